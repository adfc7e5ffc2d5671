"""What each kind of viewer may see of a state document: one pure function, the only place that decides.

* `staff` (annotator and above): everything, live.
* `player`: no evidence, no belief, no probabilities; illegal plays only where the event's monitor policy lets the board speak.
* `public`: a wall screen is a spectator, and a spectator may point nothing out: never an open illegal play, never an alert.

No view ever carries pip counts or equity: the state document has none. What may be told to whom stands in the event file (`monitor`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Document = dict[str, Any]

SPEAKING: Final = ("board", "teaching")
"""Values of the monitor policy under which the players may be told of an illegal play."""
_SILENT_PHASES: Final = ("illegal",)
_PUBLIC_ALERTS: Final[tuple[str, ...]] = ()
_PLAYER_ALERTS: Final = ("cocked", "dice", "flag", "differs", "source_lost", "slow_play", "director", "frozen", "resignation", "dispute", "set_up")


def monitor(document: Mapping[str, Any]) -> str:
    """The event's policy: who may be told of an illegal play. The default is conduct.md's."""
    event = (document.get("match") or {}).get("event") or {}
    said = event.get("monitor") or (event.get("conduct") or {}).get("monitor")
    return str(said or "board")


def visible(document: Mapping[str, Any], view: str, *, delay: float = 0.0, connected: bool = True) -> Document:
    """The document as a viewer of this kind may see it; the input is left alone.

    `delay` (seconds) and `connected` (whether the table's own process answers) are told to every viewer.
    """
    out: Document = dict(document)
    out["view"], out["delay_s"], out["connected"] = view, delay, connected
    if view == "staff":
        return out
    for private in ("belief", "legal"):
        out.pop(private, None)
    out["plays"] = [{k: v for k, v in play.items() if k != "probability"} for play in out.get("plays") or []]
    speaks = view == "player" and monitor(document) in SPEAKING
    alerts = out.get("alerts") or []
    if view == "public":
        out["alerts"] = []
    elif not speaks:
        out["alerts"] = [a for a in alerts if a.get("kind") in _PLAYER_ALERTS]
    if not speaks:
        _hush(out)
    if view == "public":
        out["sources"] = {name: {"state": s.get("state"), "reason": ""} for name, s in (out.get("sources") or {}).items()}
    return out


def _hush(out: Document) -> None:
    """Take out every trace of an illegal play that nobody on the board's own initiative may point out."""
    if out.get("phase") in _SILENT_PHASES:
        out["phase"] = "pressed"
    waits = out.get("waits_for")
    if isinstance(waits, dict) and "illegal" in str(waits.get("code", "")):
        out["waits_for"] = {"code": "verdict", "side": waits.get("side"), "args": {}}
    out["scene"] = None
    match = out.get("match")
    if isinstance(match, dict) and isinstance(match.get("players"), dict):
        match = dict(match)
        match["players"] = {
            side: {k: v for k, v in player.items() if k != "illegal"} if isinstance(player, dict) else player
            for side, player in match["players"].items()
        }
        out["match"] = match
