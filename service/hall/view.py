"""What the hall makes of each table: its state folded from believed entries, and the card that the
wall shows, with who needs help and why.

Pure: `now` is the hall's monotonic time in seconds. Table time is never compared with any machine's
date: a table's own word says what time it is there, and it goes on from when that word came.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NotRequired, TypedDict

from rules.board import Side
from rules.observation import AWAITED, DEVICES
from service.hall.ledger import MessageRefused
from service.hall.wire import Row, TableStatus
from service.journal.chain import JournalError, parse_entry
from service.journal.codec import Json
from service.journal.entries import MatchEnded, MatchSet
from service.referee.clock_document import ClockDocument, clock_document
from service.referee.fold import fold
from service.referee.phases import OutOfOrderError
from service.referee.state import Phase, State

SILENT_S: Final = 8.0
"""So long without a word, and the hall no longer knows what happens at a table."""
STOPPED_S: Final = 6.0
"""So long without a sign of life of the table's own process, while its publisher speaks."""
BEHIND: Final = 40
SLOW_S: Final = 180.0
"""A turn longer than this, where nobody's clock runs, is slow play."""
FRESH_S: Final = 600.0
"""How long a refusal or a record begun anew is told on the wall."""
DATE_OFF_S: Final = 60.0

PLAYING: Final = frozenset(Phase) - {Phase.IDLE, Phase.MATCH_OVER, Phase.ADJOURNED}
URGENT, SOON, WATCH, CALM = 3, 2, 1, 0
_LEVELS: Final[Mapping[int, tuple[str, ...]]] = {
    URGENT: (
        *(
            "illegal",
            "cannot_stand",
            "director_called",
            "director",
            "appeal",
            "dispute",
            "flag",
            "differs",
            "illegal_limit",
            "frozen",
            "record",
        ),
        *("silent", "stopped", "orphan", "unreadable"),
    ),
    SOON: (
        "source",
        "source_lost",
        "source_awaited",
        "say_roll",
        "choose_play",
        "unanswered",
        "denied",
        "set_up_anew",
        "hit_checker",
        "dice",
        "cocked",
        "refused",
        "late",
    ),
    WATCH: ("slow", "slow_play", "missing_press", "missed_press", "anew", "behind", "date"),
}
NEEDS: Final[Mapping[str, int]] = {code: need for need, codes in _LEVELS.items() for code in codes}
"""How soon somebody should come, by matter; one that is not here is worth a look soon."""


class MatterFacts(TypedDict, total=False):
    """What the words of a matter need to know."""

    seconds: int | None
    count: int
    reason: str


class Matter(MatterFacts):
    """Something that somebody should know of a table; `need` is how soon somebody should come."""

    code: str
    side: str | None
    need: int


class Card(TypedDict):
    """What the wall shows of one table. `made` is the hall's monotonic time of it, in seconds."""

    table: str
    seq: int
    epoch: int
    need: int
    matters: list[Matter]
    phase: str
    names: list[str]
    score: list[int]
    length: int | None
    game: int
    crawford: bool
    white: list[int] | None
    black: list[int] | None
    seating: dict[str, Json]
    facing: str
    on_roll: str | None
    roll: list[int] | None
    cube: list[int | str | None] | None
    clock: ClockDocument
    silent: bool
    heard: bool
    made: NotRequired[float]


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match of a table's record, as far as it has got. `seq` is the entry that set it."""

    seq: int
    white: str
    black: str
    length: int | None
    score: tuple[int, int] = (0, 0)
    over: bool = False
    winner: str = ""
    begun: bool = False


@dataclass(frozen=True, slots=True)
class TableView:
    """One table as the hall knows it.

    `heard` is when its last status came, `moved` its last entry, monotonic seconds; None for never.
    """

    name: str
    state: State = field(default_factory=State)
    epoch: int = 0
    matches: tuple[MatchLine, ...] = ()
    status: TableStatus | None = None
    heard: float | None = None
    moved: float | None = None
    unreadable: str = ""
    """Why entries that are believed cannot be shown: written by a later version."""
    refused: tuple[float, str] = (-1e9, "")
    """When a message was last refused, and why."""
    anew: float = -1e9
    """When the table's record was begun anew."""
    date_off: float = 0.0
    """How far the table machine's date is from the hall's, in seconds."""

    @property
    def seq(self) -> int:
        """Number of the last entry that is known."""
        return self.state.seq

    def table_time(self, now: float) -> float:
        """What time it is at the table: its last word of it, and the hall's own clock since; it
        stands where the table is not heard.
        """
        if self.status is None or self.heard is None:
            return self.state.at
        gone = min(max(0.0, now - self.heard), SILENT_S)
        running = 0.0 if self.status.beat_age > STOPPED_S else gone
        return max(self.state.at, self.status.at + running)

    def silent(self, now: float) -> bool:
        """Whether the table has said nothing for too long, by the hall's clock `now`."""
        return self.heard is None or now - self.heard > SILENT_S


def with_entries(view: TableView, epoch: int, rows: Iterable[Row], now: float) -> TableView:
    """The view after believed entries."""
    if epoch != view.epoch:
        anew = now if view.epoch else view.anew
        view = replace(view, epoch=epoch, state=State(), matches=(), unreadable="", anew=anew)
    state, matches, why = view.state, view.matches, view.unreadable
    for _, text, sealed in () if why else rows:
        try:
            entry = parse_entry(text, sealed)
            state = fold(state, entry.seq, entry.at, entry.by, entry.body)
        except (JournalError, OutOfOrderError, ValueError) as error:
            why = str(error)
            break
        if isinstance(entry.body, MatchSet):
            matches = (*matches, MatchLine(entry.seq, "", "", None))
        if matches:
            winner = entry.body.winner if isinstance(entry.body, MatchEnded) else None
            matches = (*matches[:-1], _line(matches[-1], state, winner))
    return replace(view, state=state, matches=matches, unreadable=why, moved=now)


def _line(line: MatchLine, state: State, winner: Side | None) -> MatchLine:
    over = state.phase is Phase.MATCH_OVER
    won = winner.value if winner else line.winner if over else ""
    return MatchLine(
        line.seq,
        state.match.names.white,
        state.match.names.black,
        state.match.length,
        (state.match.score.white, state.match.score.black),
        over,
        won,
        line.begun or over or state.game.number > 0,
    )


def with_status(view: TableView, status: TableStatus, now: float, wall: float) -> TableView:
    """The view after a status; `wall` is the hall's date."""
    return replace(view, status=status, heard=now, date_off=status.wall - wall)


def with_refusal(view: TableView, verdict: MessageRefused, now: float) -> TableView:
    """The view after a message that was not believed."""
    return replace(view, refused=(now, verdict.reason.value))


# The wall.


def matters(view: TableView, now: float, slow_after: float = SLOW_S) -> list[Matter]:
    """What somebody should know of a table, worst first."""
    state = view.state
    found: list[Matter] = []
    playing = state.phase in PLAYING

    def add(code: str, side: Side | None = None, facts: MatterFacts | None = None) -> None:
        if all(m["code"] != code for m in found):
            named, need = side.value if side else None, NEEDS.get(code, SOON)
            found.append({"code": code, "side": named, "need": need, **(facts or {})})

    if view.unreadable:
        add("unreadable")
    if playing and view.silent(now):
        add(
            "silent", None, {"seconds": round(now - view.heard) if view.heard is not None else None}
        )
    elif view.status is not None and playing:
        if view.status.beat_age > STOPPED_S:
            add("stopped")
        if view.status.behind > BEHIND:
            add("behind", None, {"count": view.status.behind})
    for alert in state.alerts:
        if not (alert.acknowledged_by or alert.settled):
            missing = alert.matter == "source_lost" and alert.code in state.lost
            awaited = missing and state.lost[alert.code].startswith(AWAITED)
            add("source_awaited" if awaited else alert.matter, alert.side)
    if state.phase is Phase.FROZEN:
        add("frozen")
    if playing and set(DEVICES) <= set(state.lost):
        add("orphan")
    if now - view.refused[0] < FRESH_S:
        add("refused", None, {"reason": view.refused[1]})
    if now - view.anew < FRESH_S:
        add("anew")
    if playing and not view.silent(now) and state.game.number and _waited(view, now) > slow_after:
        add("slow_play", state.game.on_roll, {"seconds": round(_waited(view, now))})
    if view.status is not None and abs(view.date_off) > DATE_OFF_S and not view.silent(now):
        add("date", None, {"seconds": round(view.date_off)})
    return sorted(found, key=lambda m: -m["need"])


def _waited(view: TableView, now: float) -> float:
    state = view.state
    if state.phase not in (Phase.TO_ROLL, Phase.MOVING, Phase.DOUBLED):
        return 0.0
    return view.table_time(now) - state.at


def card(view: TableView, now: float, slow_after: float = SLOW_S) -> Card:
    """The wall's card of one table for staff.

    `age`: seconds since the table was last heard; None for never.
    """
    state, at = view.state, view.table_time(now)
    found = matters(view, now, slow_after)
    placement = state.game.placement
    return {
        "table": view.name,
        "seq": state.seq,
        "epoch": view.epoch,
        "need": max((m["need"] for m in found), default=CALM),
        "matters": found,
        "phase": state.phase.value,
        "names": list(state.match.names),
        "score": list(state.match.score),
        "length": state.match.length,
        "game": state.game.number,
        "crawford": state.game.crawford,
        "white": list(placement.white) if placement else None,
        "black": list(placement.black) if placement else None,
        "seating": dict(state.match.setting.seating) if state.match.setting else {},
        "facing": state.match.ruleset.facing.value if state.match.ruleset else "mirror",
        "on_roll": state.game.on_roll.value if state.game.number else None,
        "roll": [state.turn.roll.high, state.turn.roll.low] if state.turn.roll else None,
        "cube": [state.game.cube, state.game.cube_owner.value if state.game.cube_owner else None]
        if state.match.ruleset and state.match.ruleset.has_cube
        else None,
        "clock": clock_document(
            state.match.clock,
            state.match.setting.clock if state.match.setting else "none",
            at,
            state.match.flags,
        ),
        "silent": view.silent(now),
        "heard": view.heard is not None,
    }


def public_card(card: Card) -> Card:
    """The card for a spectator: without who needs help, and without an illegal play that can still
    be put right.
    """
    hushed = card["phase"] == "illegal"
    return {**card, "need": CALM, "matters": [], "phase": "pressed" if hushed else card["phase"]}


def natural(name: str) -> list[tuple[int, int, str]]:
    """Sorts t2 before t10."""
    parts: list[tuple[int, int, str]] = []
    word = ""
    for letter in name:
        if word and letter.isdecimal() != word[-1].isdecimal():
            parts.append(_part(word))
            word = ""
        word += letter
    return [*parts, _part(word)] if word else parts


def _part(word: str) -> tuple[int, int, str]:
    return (0, int(word), "") if word.isdecimal() else (1, 0, word.lower())


def by_need(cards: Iterable[Card]) -> list[str]:
    """Names of the tables in the wall's reading order: who needs somebody soonest first, then by
    name.
    """
    return [c["table"] for c in sorted(cards, key=lambda c: (-c["need"], natural(c["table"])))]
