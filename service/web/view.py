"""What each kind of viewer may see of a state document: one pure function, the only place that
decides.

* `staff` (annotator and above): everything, live.
* `player`: no evidence, no belief, no probabilities; illegal plays only where the event's monitor
  policy lets the board speak.
* `public`: a wall screen is a spectator, and a spectator may point nothing out: never an open
  illegal play, never an alert.

No view ever carries pip counts or equity: the state document has none. What may be told to whom
stands in the event file (`monitor`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Document = dict[str, Any]

SPEAKING: Final = ("board", "teaching")
"""Who was told of a matter: under these the players may be, under `arbiter` and `silent` they may
not.
"""
_STAFF_ONLY: Final = ("belief", "legal", "trouble")
_EVIDENCE: Final = ("probability", "pictures")


def visible(
    document: Mapping[str, Any], view: str, *, delay: float = 0.0, connected: bool = True
) -> Document:
    """The document as a viewer of this kind may see it; the input is left alone.

    `delay` (seconds) and `connected` (whether the table's own process answers) are told to every
    viewer.
    """
    out: Document = dict(document)
    out["view"], out["delay_s"], out["connected"] = view, delay, connected
    if view == "staff":
        return out
    for private in _STAFF_ONLY:
        out.pop(private, None)
    out["plays"] = [
        {k: v for k, v in play.items() if k not in _EVIDENCE} for play in out.get("plays") or []
    ]
    alerts = [a for a in out.get("alerts") or [] if a.get("told") in SPEAKING]
    out["alerts"] = alerts if view == "player" else []
    illegal = out.get("illegal")
    told = isinstance(illegal, Mapping) and illegal.get("told") in SPEAKING
    if view == "player" and told and isinstance(illegal, Mapping):
        out["illegal"] = {k: v for k, v in illegal.items() if k not in _EVIDENCE}
    else:
        _hush(out)
    if view == "public":
        out["scene"] = None
        out["rulings"] = []
        out["sources"] = {
            name: {"state": s.get("state"), "reason": ""}
            for name, s in (out.get("sources") or {}).items()
        }
    return out


def _hush(out: Document) -> None:
    """Take out every trace of an illegal play that still can be put right, and that these eyes may
    not be told of.
    """
    out["illegal"] = None
    if out.get("phase") == "illegal":
        out["phase"] = "pressed"
        out["scene"] = None
        out["waits_for"] = {"code": "judging", "side": out.get("on_roll"), "args": {}}
    match = out.get("match")
    if isinstance(match, dict) and isinstance(match.get("players"), dict):
        match = dict(match)
        match["players"] = {
            side: {k: v for k, v in player.items() if k != "illegal"}
            if isinstance(player, dict)
            else player
            for side, player in match["players"].items()
        }
        out["match"] = match
