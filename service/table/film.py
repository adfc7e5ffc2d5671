"""The recording that a table plays, as its page sees and steers it; and which checkers the last
play moved, for outlining them in the picture.
"""

from __future__ import annotations

from typing import Protocol

from rules.board import Seating
from rules.position import Position
from service.recording.playback import Stage
from service.referee.hardware_orders import FILM
from service.referee.inputs import Order
from service.referee.refusal import OrderError
from service.referee.state import State
from service.show.document import FilmDocument
from vision.overlay import CheckerPlace


class Showing(Protocol):
    """What a person's word about the recording reaches of a running table."""

    @property
    def stage(self) -> Stage | None: ...
    @property
    def may_begin_again(self) -> bool: ...
    def begin_again(self) -> None: ...


def film_document(stage: Stage, *, again: bool) -> FilmDocument:
    """How far the recording is, for the state document."""
    return {
        "state": "over" if stage.over else "paused" if stage.paused else "playing",
        "position": round(min(stage.position, stage.length), 1),
        "length": round(stage.length, 1),
        "speed": stage.speed,
        "again": again,
        "about": stage.about,
    }


def steer(table: Showing, order: Order) -> None:
    """Pause the recording, go on with it, or begin it again. Raises OrderError."""
    stage, wanted = table.stage, FILM.of(order)
    if stage is None:
        raise OrderError("no_film", "a table that plays a recording", "a table that is played at")
    if wanted == "again" and not table.may_begin_again:
        raise OrderError(
            "no_film",
            "a table that chose its journal itself",
            "one that was named",
            "start takhte with another --journal",
        )
    {"pause": stage.pause, "play": stage.go, "again": table.begin_again}[wanted]()


def last_moved(state: State, seating: Seating) -> tuple[CheckerPlace, ...]:
    """Where the last play's checkers lie now, as the picture has it; none before a first play."""
    plays = [play for play in state.match.plays if play.game == state.game.number]
    if not plays or state.match.ruleset is None:
        return ()
    last = plays[-1]
    start = Position.start(state.match.ruleset, last.side).placement
    before = plays[-2].placement if len(plays) > 1 else start
    found = []
    for point in range(1, 25):
        site = seating.site(point)
        count = last.placement.counts(last.side)[site]
        came = count - before.counts(last.side)[site]
        found += [CheckerPlace(point, count - 1 - n) for n in range(max(0, came))]
    return tuple(found)
