"""The record of a simulated game, held against what truly happened: everything that it says
otherwise is counted, with the habits that were about. It reads entries and shares no code with the
referee.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from rules.board import Side
from rules.play import plays
from rules.position import Position, PositionError
from rules.ruleset import Ruleset
from service.journal.chain import Entry
from service.journal.entries import (
    AlertRaised,
    BoardDiffered,
    Body,
    CubeBeavered,
    CubeDropped,
    CubeOffered,
    CubeTaken,
    CubeWithdrawn,
    DiceCalled,
    DiceOrigin,
    GameEnded,
    IllegalNoticed,
    OpeningThrown,
    RollEntered,
    Standing,
)
from service.referee.state import PlayLine
from service.simulate.evening_desk import NO_QUESTION, EveningDesk
from service.simulate.habit_table import People
from service.simulate.tally import Tally
from service.simulate.truth import ThrownDice, TrueGame, TrueTurn

STOOD_S: Final = 0.8
"""An illegal play that stood for so long has to be said before the opponent's roll counts."""
EARLY_S: Final = 0.5
DICE_LIE_S: Final = 5.0
"""Dice that were taken up so long ago may be those that a call is about, s."""
TOLD_LATE_S: Final = 30.0
"""A turn out of turn may be told of so long after it was over, s: two turns later."""


@dataclass
class GameBook:
    """Counts games in a tally."""

    tally: Tally
    ruleset: Ruleset

    def end(self, game: TrueGame, desk: EveningDesk, people: People) -> None:
        """The game is over: hold what was written since its beginning against it."""
        entries = [e for e in desk.acknowledged if e.seq > game.first_seq]
        lines = [line for line in desk.state.match.plays if line.seq > game.first_seq]
        HeldGame(self.tally, self.ruleset, game, entries, lines).count()
        self.tally.add("games")
        for name, n in people.chances.items():
            self.tally.chances[name] += n
            self.tally.done[name] += people.done[name]
        people.chances.clear()
        people.done.clear()


@dataclass
class HeldGame:
    """One game held against its record."""

    tally: Tally
    ruleset: Ruleset
    game: TrueGame
    entries: Sequence[Entry]
    lines: Sequence[PlayLine]
    recorded: dict[int, PlayLine] = field(default_factory=dict)
    """Turn number -> its line of the record."""

    def __post_init__(self) -> None:
        self.whens = {entry.seq: entry.at for entry in self.entries}

    def count(self) -> None:
        """Count everything that the record says of the game."""
        self._match_lines()
        self._count_turns()
        self._count_throws()
        self._count_accusations()
        self._count_dice_calls()
        self._count_cube_and_end()
        for now, _, why in self.game.helped:
            turn = self._turn_at(now)
            doubtful = turn is not None and self._is_doubtful(turn.number)
            where = self.tally.causes.setdefault("stopped in", {})
            where[why] = where.get(why, 0) + 1
            self._add("stops_after_wrong" if doubtful else "stops", turn, why, listed=not doubtful)

    # Plays.

    def _match_lines(self) -> None:
        """Find the turn of every recorded play, in order; a play without one did not happen. Of
        turns that left the same, as dances do, the one with the roll that was recorded is meant.
        """
        after = 0
        for line in self.lines:
            at = self.whens.get(line.seq, 0.0)
            left = [
                turn
                for turn in self.game.turns[after:]
                if turn.side is line.side and line.placement in turn.stands and turn.began <= at
            ]
            found = next((turn for turn in left if turn.roll == line.roll), next(iter(left), None))
            if found is None:
                self._add_wrong_play(line, at)
                continue
            after = self.game.turns.index(found) + 1
            self.recorded[found.number] = line

    def _add_wrong_play(self, line: PlayLine, at: float) -> None:
        """A line of the record without a turn: somebody's wrong word, or the table's own error."""
        turn = self._turn_at(at)
        told = f"{line.roll} {line.text} {line.origin.value}"
        # An entry's time is rounded; what somebody said at that very time led to it.
        if any(said <= at + 0.001 for said in self.game.typed_wrongly):
            what = "wrong_word_kept" if line.by_hand else "play_after_wrong_word"
            self._add(what, turn, told, listed=not line.by_hand)
        else:
            self._add("play_wrong", turn, told)

    def _count_turns(self) -> None:
        tally = self.tally
        for turn in self.game.turns:
            tally.add("turns")
            tally.add("dice_unread", turn.roll is not None and not turn.dice_read)
            doubtful = bool(turn.illegal or turn.troubled) or self._is_doubtful(turn.number)
            asked = self._asked(turn)
            if asked is not None:
                right = not doubtful and not self._was_wrong(turn, asked.at)
                what = "asked_legal" if right else "asked_doubtful"
                self._add(what, turn, _matter_of(asked), listed=False)
            line = self.recorded.get(turn.number)
            if line is not None and turn.ended:
                tally.seconds.append(max(0.0, self.whens.get(line.seq, turn.ended) - turn.ended))
            if turn.illegal:
                self._count_illegal(turn, line)
            elif line is not None:
                self._count_legal(turn, line)
            if line is None:
                helped = any(turn.ended <= t for t, _, _ in self.game.helped)
                last = turn.number > max(self.recorded, default=-1)
                what = "unrecorded_at_stops" if helped or last else "unrecorded"
                self._add(what, turn, "", listed=what == "unrecorded")

    def _count_legal(self, turn: TrueTurn, line: PlayLine) -> None:
        # Left open, with what the dice showed as much as what was thrown, it blames nobody.
        open_twin = line.standing is Standing.UNRESOLVED and line.roll in turn.also_read
        if line.infraction and not (open_twin and line.roll != turn.roll):
            self._add("recorded_illegal", turn, line.infraction)
        if line.roll in (None, turn.roll):
            self.tally.add("recorded_right")
            if line.roll is None and turn.roll is not None:
                self.tally.add("roll_open")
            return
        if line.roll in turn.also_read:
            self._twin(turn, line)
        else:
            self._add("roll_wrong", turn, f"recorded {line.roll}, {line.origin.value}")

    def _twin(self, turn: TrueTurn, line: PlayLine) -> None:
        """Another history gives the very same observations: both are told, apart."""
        self._add(
            "same_observations",
            turn,
            f"true: {turn.roll}{' ' + turn.illegal if turn.illegal else ''};"
            f" recorded: {line.roll} {line.text}",
        )

    def _count_illegal(self, turn: TrueTurn, line: PlayLine | None) -> None:
        """An illegal play that stayed: called, asked about, or passed for something else."""
        tally = self.tally
        tally.add("illegal_made")
        said = self._said_in_time(turn)
        if said:
            tally.add(f"illegal_{said}")
            tally.misplay(turn.illegal, said)
        elif self._is_twin_of_legal(turn):
            tally.add("illegal_unseeable")
            tally.misplay(turn.illegal, "unseeable")
        else:
            tally.misplay(turn.illegal, "missed")
            recorded = f"recorded {line.roll} {line.text}" if line is not None else "not recorded"
            self._add("illegal_missed", turn, f"{turn.illegal}, {recorded}")
        if line is None:
            return
        honest = bool(line.infraction or line.standing) or line.roll is None
        if honest or (line.roll == turn.roll and said):
            tally.add("illegal_recorded_honestly")
        elif line.roll != turn.roll and line.roll in turn.also_read:
            self._twin(turn, line)
        elif line.roll != turn.roll:
            told = f"{turn.illegal}: recorded {line.roll} {line.text}"
            self._add("illegal_as_other_roll", turn, told)
            tally.add("illegal_as_read", turn.dice_read)

    def _is_twin_of_legal(self, turn: TrueTurn) -> bool:
        """Whether a legal play of a roll that the dice may be leaves the board just so."""
        if turn.dice_read or turn.before is None:
            return False
        try:
            position = Position.of(turn.before, self.ruleset, turn.side, turn.first_turn)
        except PositionError:
            return False
        stands = turn.stands[0]
        return any(
            play.placement == stands for roll in turn.also_read for play in plays(position, roll)
        )

    def _said_in_time(self, turn: TrueTurn) -> str:
        """`called` or `asked` before the opponent's next roll counted, "" for neither."""
        until = self._next_roll_counts(turn)
        said = ""
        for entry in self.entries:
            if not turn.wrong_at - EARLY_S <= entry.at <= until:
                continue
            match entry.body:
                case IllegalNoticed() if entry.body.side is turn.side:
                    return "called"
                case BoardDiffered():
                    said = "asked"
                case AlertRaised() if entry.body.matter not in NO_QUESTION:
                    said = "asked"
        return said

    def _next_roll_counts(self, turn: TrueTurn) -> float:
        """When the opponent's next roll was entered; far away when it never was."""
        return next(
            (
                entry.at
                for entry in self.entries
                if isinstance(entry.body, RollEntered)
                and entry.body.side is not turn.side
                and entry.at > turn.wrong_at
            ),
            turn.ended + 60.0,
        )

    def _asked(self, turn: TrueTurn) -> Entry | None:
        """The first question of a turn, from its throw until the next; None for none."""
        after = self.game.turns[turn.number + 1 :]
        until = after[0].thrown_at if after and after[0].thrown_at else turn.ended + 10.0
        since = turn.thrown_at or turn.began
        return next((x for x in self.entries if since <= x.at < until and _matter_of(x)), None)

    def _was_wrong(self, turn: TrueTurn, at: float) -> bool:
        """Whether an illegal play of this turn stood there at a time, which was put right later."""
        return any(
            spell.side is turn.side and spell.since - EARLY_S <= at <= spell.until + EARLY_S
            for spell in self.game.wrong
        )

    # Everything else.

    def _count_throws(self) -> None:
        """Rolls that were entered, held against those that were thrown."""
        thrown = list(self.game.throws)
        for entry in self.entries:
            body = entry.body
            if isinstance(body, RollEntered) and body.origin is DiceOrigin.READ:
                found = [t for t in thrown if t[0] <= entry.at + 1.0 and t[1] is body.side]
                turn = self._turn_at(entry.at)
                if any(t[2] == body.roll for t in found):
                    self.tally.add("rolls_read")
                elif found and turn is not None and body.roll in turn.also_read:
                    self.tally.add("rolls_misread")
                else:
                    self._add("roll_nobody_threw", turn, f"{body.side.value} {body.roll}")
            elif (
                isinstance(body, OpeningThrown)
                and body.origin is DiceOrigin.READ
                and (body.white, body.black) not in self.game.openings
            ):
                self._add("opening_wrong", None, f"{body.white} {body.black}")

    def _count_accusations(self) -> None:
        """Illegal plays that were called, and plays that people were told were out of turn."""
        for entry in self.entries:
            match entry.body:
                case IllegalNoticed(side=side, code=code):
                    late = 3.0
                case AlertRaised(matter="illegal", side=Side() as side, code="out_of_turn" as code):
                    late = TOLD_LATE_S
                case _:
                    continue
            true = any(
                spell.side is side and spell.since - EARLY_S <= entry.at <= spell.until + late
                for spell in self.game.wrong
            )
            if true:
                self.tally.add("accusations_true")
            else:
                self._add("false_accusations", self._turn_at(entry.at), f"{side.value} {code}")

    def _count_dice_calls(self) -> None:
        """Dice that people were told do not count, held against how they lay."""
        for entry in self.entries:
            if not isinstance(entry.body, DiceCalled):
                continue
            side, problem = entry.body.side, entry.body.problem
            lay = [d for d in self.game.dice if d.at <= entry.at + EARLY_S]
            mine = [d for d in lay if d.side is side]
            true = any(problem in d.wrong for d in _lately(mine, entry.at))
            if problem == "other_half":
                true = any(d.half is side.other for d in _lately(lay, entry.at))
            elif problem == "premature":
                true = true or self._threw_before_press(side, entry.at)
            if true:
                self.tally.add("dice_calls_true")
                self.tally.add(f"dice_called_{problem}")
            else:
                self._add("dice_calls_false", self._turn_at(entry.at), f"{side.value} {problem}")

    def _threw_before_press(self, side: Side, at: float) -> bool:
        """Whether the other side's turn was not yet ended on the clock when this side threw."""
        turn = self._turn_at(at)
        before = turn if turn is None or turn.side is not side else self._turn_before(turn)
        return before is not None and "forgotten_press" in before.habits

    def _turn_before(self, turn: TrueTurn) -> TrueTurn | None:
        return self.game.turns[turn.number - 1] if turn.number else None

    def _count_cube_and_end(self) -> None:
        left = list(self.game.cube)
        ended = []
        for entry, after in zip(self.entries, self._next_of_cube(), strict=True):
            body = entry.body
            if isinstance(body, CubeOffered) and isinstance(after, CubeWithdrawn):
                # Put right by an entry of its own: it counts as if it had not been said.
                self.tally.add("cube_withdrawn")
            elif isinstance(body, CubeOffered | CubeTaken | CubeDropped | CubeBeavered):
                word = (body.kind, body.side)
                if word in left:
                    del left[: left.index(word) + 1]
                    self.tally.add("cube_right")
                else:
                    self._add(
                        "cube_wrong", self._turn_at(entry.at), f"{body.kind} {body.side.value}"
                    )
            elif isinstance(body, GameEnded):
                ended.append(body)
        if left:
            self._add("cube_unrecorded", self._turn_at(self.entries[-1].at), str(left[0][0]))
        for n, body in enumerate(ended):
            last = self.game.turns[-1] if self.game.turns else None
            if n or self.game.winner is not body.winner:
                self._add("end_wrong", last, f"{body.winner.value} by {body.reason}")
            elif self.game.points != body.points and not self.game.untold:
                self._add("result_wrong", last, f"{body.points} points, not {self.game.points}")

    def _next_of_cube(self) -> list[Body | None]:
        """For each entry the next one of the cube after it."""
        found: list[Body | None] = []
        after: Body | None = None
        for entry in reversed(self.entries):
            found.append(after)
            if isinstance(entry.body, CubeOffered | CubeTaken | CubeDropped | CubeWithdrawn):
                after = entry.body
        return found[::-1]

    # Where and why.

    def _turn_at(self, at: float) -> TrueTurn | None:
        """The turn in progress at a time, or the last before it."""
        before = [turn for turn in self.game.turns if turn.began <= at]
        return before[-1] if before else None

    def _is_doubtful(self, number: int) -> bool:
        """Whether one of the last turns was truly played wrongly, or a checker was shifted."""
        near = self.game.turns[max(0, number - 4) : number + 1]
        return bool(self.game.typed_wrongly) or any(t.illegal or t.troubled for t in near)

    def _add(self, what: str, turn: TrueTurn | None, told: str, listed: bool = True) -> None:
        """Count something, and where it is a failure keep a line and its suspects."""
        tally = self.tally
        tally.add(what)
        number = turn.number if turn is not None else -1
        habits = turn.habits if turn is not None else ()
        for habit in dict.fromkeys(habits) or ("nothing unusual",):
            tally.causes.setdefault(what, {}).setdefault(habit, 0)
            tally.causes[what][habit] += 1
        if listed:
            dice = "" if turn is None or turn.dice_read else ", dice not read"
            about = ", ".join(dict.fromkeys(habits))
            tally.failures.append(f"{self.game.name} turn {number}: {what}: {told}{dice} [{about}]")


def _lately(dice: Sequence[ThrownDice], at: float) -> Sequence[ThrownDice]:
    """The last of some dice, and what was taken up so lately that a word may still be about it."""
    return [d for d in dice if d is dice[-1] or at - d.at <= DICE_LIE_S]


def _matter_of(entry: Entry) -> str:
    """What an entry asks people, "" where it asks nothing or calls an illegal play."""
    body = entry.body
    asks = isinstance(body, AlertRaised) and body.matter not in NO_QUESTION | {"illegal"}
    return body.matter if asks and isinstance(body, AlertRaised) else ""
