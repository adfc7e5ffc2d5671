"""Entries about everything around the board: match, clock, director, alerts, sensors.

See `service.journal.entries`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from rules.board import Side
from service.journal.codec import Json
from service.journal.entry import Body, Facts

EventKeys: TypeAlias = Mapping[str, Json]
"""What an event says, by section or by dotted names."""


@dataclass(frozen=True, slots=True)
class TableOpened(Body):
    """A journal begins. `program` is the version that wrote it; `clock_trust` whether the date can
    be right: machine or none.
    """

    kind: ClassVar[str] = "table_opened"
    table: str
    program: str
    clock_trust: str = "machine"


@dataclass(frozen=True, slots=True)
class Restarted(Body):
    """The table's process came back. `away` is how long it was gone by the machine's own date, None
    where the date cannot be trusted; this time is nobody's. `since_heartbeat` is the most that a
    running clock may have lost, in seconds."""

    kind: ClassVar[str] = "restarted"
    away: float | None
    since_heartbeat: float = 1.0
    program: str = ""
    clock_trust: str = "machine"


@dataclass(frozen=True, slots=True)
class EventChosen(Body):
    """The event that every match is played by from now on, until another is chosen: its keys by
    section, and the club's own rulesets file that it may name.
    """

    kind: ClassVar[str] = "event_chosen"
    event: EventKeys = field(default_factory=dict)
    rules_text: str = ""


@dataclass(frozen=True, slots=True)
class MatchSet(Body):
    """Who plays what: ruleset and options, length in points (None = a money session), names,
    seating, time control, the whole event file as data."""

    kind: ClassVar[str] = "match_set"
    ruleset: str
    options: Mapping[str, Json] = field(default_factory=dict)
    length: int | None = None
    white: str = ""
    black: str = ""
    seating: Mapping[str, Json] = field(
        default_factory=lambda: {"white": "light", "home": "south-east"}
    )
    clock: str = "none"
    """ours, external or none"""
    event: EventKeys = field(default_factory=dict)
    score: tuple[int, int] = (0, 0)
    rules_text: str = ""
    """The club's own rulesets file, where the ruleset comes from one: a journal is read without it.
    """


@dataclass(frozen=True, slots=True)
class MatchAmended(Body):
    """Something of the match was said wrongly and is put right:

    `what` is white, black (names), length, score, seating, crawford (whether it was played) or
    clock (what keeps the time, and the event's keys about it).
    """

    kind: ClassVar[str] = "match_amended"
    what: str
    value: Json
    before: Json = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class MatchCalled(Body):
    """The match is to begin at `due`, in table time: who is not there then is late."""

    kind: ClassVar[str] = "match_called"
    due: float


@dataclass(frozen=True, slots=True)
class Confirmed(Body):
    """A side is there, and agrees with the length and the clock of the match."""

    kind: ClassVar[str] = "confirmed"
    side: Side
    source: str = "page"


@dataclass(frozen=True, slots=True)
class PhonePressed(Body):
    """A finger came down on a phone that is the table's clock: white or black (a half of the
    clock), or a button's name. `number` counts the presses of that device; `doubt` is by how many
    seconds `pressed_at` may be wrong, since two clocks are compared over a network. What the press
    did stands in the entries after it.
    """

    kind: ClassVar[str] = "phone_pressed"
    device: str
    number: int
    pressed: str
    pressed_at: float
    doubt: float = 0.0


@dataclass(frozen=True, slots=True)
class ClockStarted(Body):
    """The clock of `side` runs from `started_at`."""

    kind: ClassVar[str] = "clock_started"
    side: Side
    started_at: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ClockStopped(Body):
    """Both clocks rest from `stopped_at`; the banks are what was left then."""

    kind: ClassVar[str] = "clock_stopped"
    stopped_at: float
    reason: str
    white: float | None = None
    black: float | None = None


@dataclass(frozen=True, slots=True)
class ClockAdjusted(Body):
    """An arbiter set a side's bank, in seconds."""

    kind: ClassVar[str] = "clock_adjusted"
    side: Side
    bank: float
    before: float
    reason: str = ""
    overtime: bool = False
    """Granted once, after a flag."""


@dataclass(frozen=True, slots=True)
class Flagged(Body):
    """A side's time ran out at `at`; `violation` counts its flags in the match; `consequence` is
    what the event says follows, for the director or at once."""

    kind: ClassVar[str] = "flagged"
    side: Side
    flagged_at: float
    violation: int
    consequence: str
    amount: int = 0
    automatic: bool = False


@dataclass(frozen=True, slots=True)
class MatchEnded(Body):
    """The match is over."""

    kind: ClassVar[str] = "match_ended"
    winner: Side | None
    score: tuple[int, int]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DirectorCalled(Body):
    """Somebody calls the director: both clocks stop."""

    kind: ClassVar[str] = "director_called"
    side: Side | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Frozen(Body):
    """The table is frozen for a dispute: nobody moves a checker, nothing is judged, both clocks
    stop.
    """

    kind: ClassVar[str] = "frozen"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Unfrozen(Body):
    """The dispute is over; play goes on."""

    kind: ClassVar[str] = "unfrozen"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Ruled(Body):
    """The director ruled, with a reason. `about` is the entry it is about; `appeal_until` the end
    of the appeal window, in table time."""

    kind: ClassVar[str] = "ruled"
    text: str
    about: int | None = None
    appeal_until: float | None = None


@dataclass(frozen=True, slots=True)
class Penalised(Body):
    """A penalty: warning, time (seconds), points, game or match.

    `score` is the match score after it.
    """

    kind: ClassVar[str] = "penalised"
    side: Side
    penalty: str
    amount: float = 0.0
    reason: str = ""
    score: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Appealed(Body):
    """A side appeals the ruling numbered `ruling` to the committee."""

    kind: ClassVar[str] = "appealed"
    ruling: int
    side: Side | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AppealClosed(Body):
    """The appeal is decided, or its window has passed."""

    kind: ClassVar[str] = "appeal_closed"
    ruling: int
    decision: str


@dataclass(frozen=True, slots=True)
class AlertRaised(Body):
    """Something a person should look at.

    `alert` is its id; `told` who sees it by the monitor policy: board, arbiter, silent. `facts` are
    what the words for `matter` and `code` name: those of an infraction, the `reason` why a source
    is lost, or what became of a damaged journal (`record`: entries, first, last, head, file).
    """

    kind: ClassVar[str] = "alert_raised"
    version: ClassVar[int] = 2
    alert: str
    matter: str
    side: Side | None = None
    code: str = ""
    facts: Facts = field(default_factory=dict)
    told: str = "arbiter"
    about: int | None = None


@dataclass(frozen=True, slots=True)
class AlertAcknowledged(Body):
    """A person took note of an alert, by name (the entry's `by`)."""

    kind: ClassVar[str] = "alert_acknowledged"
    alert: str


@dataclass(frozen=True, slots=True)
class Adjourned(Body):
    """The match stops here, to be resumed at this score, position and clocks."""

    kind: ClassVar[str] = "adjourned"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Resumed(Body):
    """An adjourned match goes on."""

    kind: ClassVar[str] = "resumed"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SourceLost(Body):
    """A sensor went blind or away: camera or board.

    Where it was never there, `reason` begins with `awaited: `.
    """

    kind: ClassVar[str] = "source_lost"
    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class SourceBack(Body):
    """A sensor sees again."""

    kind: ClassVar[str] = "source_back"
    source: str


@dataclass(frozen=True, slots=True)
class Noted(Body):
    """An observation with no consequence, for the director: slow play, a missing press, a touched
    checker, a device seen.
    """

    kind: ClassVar[str] = "noted"
    matter: str
    side: Side | None = None
    text: str = ""
    by_hand: bool = False
    """A person entered it, and `text` is his own words."""


@dataclass(frozen=True, slots=True)
class NamesErased(Body):
    """A person's name was taken out of earlier entries, by `takhte forget`. `entries`: each one's
    number, and the SHA-256 of its text as it stands since. Its hash stayed, so that every other
    entry and every head that was noted still proves what it did; what such an entry says is no
    longer proven by its own. It counts only where it is signed: `key` is the table's public key,
    and only entries of kinds that hold names or people's own words may be named.
    """

    kind: ClassVar[str] = "names_erased"
    entries: Mapping[str, str]
    key: str
    signature: str
