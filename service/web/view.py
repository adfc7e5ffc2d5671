"""What each kind of viewer may see of a state document: one pure function, the only place that
decides.

* `staff` (annotator and above): everything, live.
* `player`: no evidence, no belief, no probabilities; illegal plays only where the event's monitor
  policy lets the board speak.
* `clock`: what a clock shows and what its buttons mean now: no position, dice, play or question.
* `public`: a wall screen is a spectator, and a spectator may point nothing out: never an open
  illegal play, never an alert.

No view ever carries pip counts or equity: the state document has none. What may be told to whom
stands in the event file (`monitor`).
"""

from __future__ import annotations

from typing import Final

from service.show.document import (
    IllegalDocument,
    PlayDocument,
    PlayerDocument,
    StateDocument,
    TableDocument,
)

SPEAKING: Final = ("board", "teaching")
"""Who was told of a matter: under these the players may be, under `arbiter` and `silent` they may
not.
"""


def visible(
    document: TableDocument,
    view: str,
    *,
    delay: float = 0.0,
    connected: bool = True,
    held: int = 0,
    told: int | None = None,
) -> StateDocument:
    """The document as a viewer of this kind may see it; the input is left alone.

    Every viewer is told `delay` (seconds), `connected` (whether the table's own process answers)
    and for how many seconds the feed is `held`, where it is. `told` is the newest entry that
    spectators may read, where that is known.
    """
    out: StateDocument = {
        **document,
        "held_s": held,
        "view": view,
        "delay_s": delay,
        "connected": connected,
    }
    if not held:
        out.pop("held_s")
    if view == "staff":
        return out
    if told is not None:
        out["seq"] = told
    out.pop("belief", None)
    out.pop("trouble", None)
    out["plays"] = [_without_evidence(play) for play in out["plays"]]
    if out["phase"] == "differs" and any(
        alert["kind"] == "differs" and alert["told"] not in SPEAKING for alert in out["alerts"]
    ):
        _as_if_looking(out)
        out["differs"] = None
    alerts = [alert for alert in out["alerts"] if alert["told"] in SPEAKING]
    out["alerts"] = alerts if view == "player" else []
    illegal = out["illegal"]
    if view == "player" and illegal is not None and illegal["told"] in SPEAKING:
        out["illegal"] = _without_pictures(illegal)
    else:
        _hush(out)
    question = out["question"]
    if view != "player" or (question is not None and question["told"] not in SPEAKING):
        out["question"] = None
    if view == "clock":
        _without_position(out)
    if view in ("public", "clock"):
        out["scene"] = None
        out["rulings"] = []
        out["sources"] = {
            name: {"state": source["state"], "reason": ""}
            for name, source in out["sources"].items()
        }
    return out


def _without_position(out: StateDocument) -> None:
    """Take out what tells where checkers and dice lie, or did."""
    board = out["board"]
    nothing = [0] * len(board["white"])
    out["board"] = {**board, "white": nothing, "black": nothing}
    out["dice"] = {
        "roll": None,
        "origin": None,
        "problem": None,
        "opening": [],
        "no_play": False,
        "seen": [],
    }
    args = out["waits_for"]["args"].copy()
    args.pop("thrown", None)
    args.pop("roll", None)
    args.pop("read", None)
    out["waits_for"] = {**out["waits_for"], "args": args}
    out["plays"], out["differs"], out["premature"] = [], None, None


def _without_evidence(play: PlayDocument) -> PlayDocument:
    out = play.copy()
    out.pop("probability", None)
    out.pop("pictures", None)
    return out


def _without_pictures(illegal: IllegalDocument) -> IllegalDocument:
    out = illegal.copy()
    out.pop("pictures", None)
    return out


def _hush(out: StateDocument) -> None:
    """Take out every trace of an illegal play that still can be put right, and that these eyes may
    not be told of. What the board itself shows stays: it tells no player more than he may know.
    """
    out["illegal"] = None
    if out["phase"] == "illegal":
        _as_if_looking(out)
    players = out["match"]["players"]
    out["match"] = {
        **out["match"],
        "players": {
            "white": _without_count(players["white"]),
            "black": _without_count(players["black"]),
        },
    }


def _as_if_looking(out: StateDocument) -> None:
    """Let it seem what it is while a turn that was ended is still judged."""
    out["phase"] = "pressed"
    out["waits_for"] = {"code": "judging", "side": out["on_roll"], "args": {}}


def _without_count(player: PlayerDocument) -> PlayerDocument:
    out = player.copy()
    out.pop("illegal", None)
    return out
