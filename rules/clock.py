"""The clock as a value. Time is monotonic host seconds, always passed in as `now`; nothing here
reads a clock.

Three modes, and they are not the same:

- SIMPLE delay: the bank is untouched while the delay of the move runs; what is left of the delay is
  lost at the press.
- BRONSTEIN: the bank runs at once and the press gives back what was used, up to the delay. A bank
  never grows, and the flag can fall inside the delay.
- FISCHER: the bank runs at once and the press adds the whole increment. A bank can grow.

A flag that does not end the match leaves the bank at zero, and of each further move only the delay
(in Fischer as many seconds as the increment) is left; each expiry is the next violation, at most
one a turn. No time is added until overtime or the arbiter says so.

A turn's time is kept as what was spent before `since` and since then, never counted up tick by
tick, so nothing drifts.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field, replace

from rules.board import BySide, Side


class ClockError(ValueError):
    """What was asked of the clock cannot be; nothing has changed."""


class DelayMode(enum.Enum):
    SIMPLE = "simple"
    BRONSTEIN = "bronstein"
    FISCHER = "fischer"


class BankPer(enum.Enum):
    MATCH = "match"
    GAME = "game"


@dataclass(frozen=True, slots=True)
class TimeControl:
    """`bank` seconds a side for the match or for each game; `delay` seconds of each move (the
    increment, in Fischer).
    """

    bank: float
    delay: float = 0.0
    mode: DelayMode = DelayMode.SIMPLE
    per: BankPer = BankPer.MATCH

    def __post_init__(self) -> None:
        if not (0 < self.bank <= 86_400 and 0 <= self.delay <= 3_600):
            raise ClockError(
                f"a bank is more than 0 s and at most a day, a delay 0 to 3600 s; got {self.bank}"
                f" and {self.delay}"
            )

    def charged(self, spent: float) -> float:
        """What a turn that has lasted so long costs the bank before the press."""
        return max(0.0, spent - self.delay) if self.mode is DelayMode.SIMPLE else spent

    def credit(self, spent: float) -> float:
        """What the press gives back."""
        return {
            DelayMode.SIMPLE: 0.0,
            DelayMode.BRONSTEIN: min(spent, self.delay),
            DelayMode.FISCHER: self.delay,
        }[self.mode]


@dataclass(frozen=True, slots=True)
class Clock:
    """Both sides' time. `banks` in seconds as they were when the turn began; `running` is the side
    whose time it is.

    `since` is None while the clock stands still: before the start, between games, paused.
    """

    control: TimeControl
    banks: BySide[float]
    running: Side | None = None
    since: float | None = None
    spent: float = 0.0
    """Seconds of this turn before `since`."""
    violations: BySide[int] = field(default_factory=lambda: BySide.both(0))
    """Flags fallen in this match."""
    gone: frozenset[Side] = frozenset()
    """Sides whose bank has run out and stays at zero."""
    flagged: bool = False
    """This turn has cost its violation already."""
    overtime_used: frozenset[Side] = frozenset()

    @classmethod
    def of(cls, control: TimeControl) -> Clock:
        return cls(control, BySide.both(control.bank))

    def bank(self, side: Side) -> float:
        return self.banks[side]

    def turn_time(self, now: float) -> float:
        """Seconds that the present turn has lasted on the clock."""
        return self.spent + (max(0.0, now - self.since) if self.since is not None else 0.0)

    def left(self, side: Side, now: float) -> float:
        """Seconds in a side's bank, never below zero."""
        if side is not self.running or side in self.gone:
            return self.bank(side)
        return max(0.0, self.bank(side) - self.control.charged(self.turn_time(now)))

    def delay_left(self, now: float) -> float:
        """Seconds of the move's delay before the bank runs (SIMPLE, or a side whose bank is gone);
        0 where it runs at once.
        """
        if self.running is None or (
            self.control.mode is not DelayMode.SIMPLE and self.running not in self.gone
        ):
            return 0.0
        return max(0.0, self.control.delay - self.turn_time(now))

    @property
    def is_paused(self) -> bool:
        return self.since is None

    def flag(self, now: float) -> Side | None:
        """The side whose time is up at this moment, whether or not it was counted."""
        if self.running is None:
            return None
        spent = self.turn_time(now)
        if self.running in self.gone:
            return self.running if spent >= self.control.delay else None
        up = self.control.charged(spent) >= self.bank(self.running) and spent > 0
        return self.running if up else None

    def flag_due(self, now: float) -> float | None:
        """Seconds until the flag of the running side falls if nobody presses; None while the clock
        stands.
        """
        if self.running is None or self.since is None or self.flagged:
            return None
        allowed = self.control.delay
        if self.running not in self.gone:
            allowed = self.bank(self.running) + (
                self.control.delay if self.control.mode is DelayMode.SIMPLE else 0.0
            )
        return max(0.0, allowed - self.turn_time(now))


def start(clock: Clock, side: Side, now: float) -> Clock:
    """A side's time begins. Raises ClockError while a turn is timed already."""
    if clock.running is not None:
        raise ClockError(f"{clock.running.value}'s time is running; press or stop first")
    return replace(clock, running=side, since=now, spent=0.0, flagged=False)


def press(clock: Clock, side: Side, now: float) -> Clock:
    """A side ends its turn: its bank is settled and the other's time begins.

    Raises ClockError unless that side's time is running.
    """
    if clock.running is not side or clock.since is None:
        whose = (
            "nobody's time is"
            if clock.running is None or clock.since is None
            else f"{clock.running.value}'s time is"
        )
        raise ClockError(f"{side.value} pressed while {whose} running")
    return replace(_turn_ended(clock, now), running=side.other, since=now)


def stop(clock: Clock, now: float) -> Clock:
    """The turn is over and nobody's time runs: a game ended."""
    return clock if clock.running is None else _turn_ended(clock, now)


def _turn_ended(clock: Clock, now: float) -> Clock:
    clock = tick(clock, now)
    side = clock.running
    assert side is not None
    banks = clock.banks
    if side not in clock.gone:
        spent = clock.turn_time(now)
        left = clock.bank(side) - clock.control.charged(spent) + clock.control.credit(spent)
        banks = banks.put(side, left)
    return replace(clock, banks=banks, running=None, since=None, spent=0.0, flagged=False)


def tick(clock: Clock, now: float) -> Clock:
    """Notice a flag: the bank is gone and the violation counted, once a turn.

    Anything else is left as it is.
    """
    side = None if clock.flagged else clock.flag(now)
    if side is None:
        return clock
    return replace(
        clock,
        banks=clock.banks.put(side, 0.0),
        violations=clock.violations.put(side, clock.violations[side] + 1),
        gone=clock.gone | {side},
        flagged=True,
    )


def pause(clock: Clock, now: float) -> Clock:
    """Both stand still; what the turn has used of its delay stays used."""
    clock = tick(clock, now)
    return replace(clock, spent=clock.turn_time(now), since=None)


def resume(clock: Clock, now: float) -> Clock:
    """The running side's time goes on.

    A clock that is running, or has no turn, is left as it is.
    """
    return replace(clock, since=now) if clock.since is None and clock.running is not None else clock


def correct(
    clock: Clock, side: Side, seconds: float, now: float, violations: int | None = None
) -> Clock:
    """The arbiter sets what a side has left at this moment, and its violations if given.

    Raises ClockError for less than nothing.
    """
    if not 0 <= seconds <= 86_400:
        raise ClockError(f"a side has 0 s to a day left; got {seconds}")
    bank = seconds
    if clock.running is side:
        bank += clock.control.charged(clock.turn_time(now))
    counts = clock.violations if violations is None else clock.violations.put(side, violations)
    back = seconds > 0
    return replace(
        clock,
        banks=clock.banks.put(side, bank if back else 0.0),
        violations=counts,
        gone=clock.gone - {side} if back else clock.gone | {side},
        flagged=clock.flagged and not (back and clock.running is side),
    )


def overtime(clock: Clock, side: Side, seconds: float, now: float) -> Clock:
    """Time granted once after a flag. Raises ClockError the second time."""
    if side in clock.overtime_used:
        raise ClockError(f"{side.value} has had its overtime")
    return replace(correct(clock, side, seconds, now), overtime_used=clock.overtime_used | {side})


def new_game(clock: Clock, now: float) -> Clock:
    """Between games nobody's time runs; banks are full again where they are per game.

    Violations stay: they count in the match.
    """
    clock = stop(clock, now)
    if clock.control.per is BankPer.MATCH:
        return clock
    return replace(clock, banks=BySide.both(clock.control.bank), gone=frozenset())
