"""What was decided in a match, and the positions that must be judged to weigh it. Pure.

A decision is a play with more than one choice, a turn that could have begun with the cube, and the
answer to a cube. Whatever is judged is named by an XGID, so that an answer can be kept and asked
for again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from rules import game as do
from rules.board import Placement, Side
from rules.dice import Roll
from rules.match import Match
from rules.notation.errors import NotationError
from rules.notation.record import MatchRecord, games
from rules.notation.xgid import write_xgid
from rules.play import Play, plays
from rules.ruleset import Ruleset, catalogue


class DecisionKind(Enum):
    """What a decision was about."""

    PLAY = "play"
    ROLLED_ON = "no double"
    DOUBLED = "double"
    TOOK = "take"
    DROPPED = "drop"


@dataclass(frozen=True, slots=True)
class Question:
    """A position for an engine: before the roll where there are no dice in `xgid`, else with them.

    `after` is the XGID of what was played, the opponent on roll; "" where the game ended or nothing
    was played. `played` is the placement it left.
    """

    xgid: str
    after: str = ""
    played: Placement | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of a side, with the match at that moment."""

    game: int
    turn: int
    side: Side
    choice: DecisionKind
    match: Match
    question: Question
    text: str = ""
    """The play as it is written; "" for the cube."""


@dataclass(frozen=True, slots=True)
class ThrownTurn:
    """A roll whose luck can be told: the positions before and after it."""

    game: int
    turn: int
    side: Side
    match: Match
    roll: Roll
    before: Question
    rolled: Question


@dataclass(frozen=True, slots=True)
class MatchQuestions:
    """Everything that is asked of a match."""

    decisions: tuple[Decision, ...]
    throws: tuple[ThrownTurn, ...]
    moments: tuple[tuple[int, int, Match, Question], ...]
    """(game, turn, match, position before the roll): the course of the match."""

    def questions(self) -> tuple[Question, ...]:
        """Each once, in the order of the match: what an engine found of a turn serves the next."""
        asked = [(game, turn, question) for game, turn, _, question in self.moments]
        asked += [(d.game, d.turn, d.question) for d in self.decisions]
        asked += [(t.game, t.turn, t.rolled) for t in self.throws]
        return tuple(dict.fromkeys(one for _, _, one in sorted(asked, key=lambda a: a[:2])))


def known_to_engines(ruleset: Ruleset) -> bool:
    """Whether this is backgammon in every axis, whatever it is called and wherever its checkers
    start (nackgammon): an engine judges positions. Any other rule, and it would judge another game.
    """
    known = catalogue()["backgammon"]
    here = replace(ruleset, name=known.name, title=known.title, start=known.start)
    return here == known and ruleset.checkers == known.checkers


def questions_of_match(record: MatchRecord) -> MatchQuestions:
    """What a record asks; nothing under rules that no engine knows."""
    found = _Found()
    if known_to_engines(record.rules.ruleset):
        for game in games(record):
            found.turn = 0
            for before, action, after in game.steps:
                found.take(game.number, before, action, after)
    return MatchQuestions(tuple(found.decisions), tuple(found.throws), tuple(found.moments))


class _Found:
    """What was found so far."""

    def __init__(self) -> None:
        self.decisions: list[Decision] = []
        self.throws: list[ThrownTurn] = []
        self.moments: list[tuple[int, int, Match, Question]] = []
        self.turn = 0
        self.asked: Question | None = None
        """The position before the roll that stands there; None after an opening or a correction."""

    def take(self, number: int, before: Match, action: do.Action, after: Match) -> None:
        match action:
            case do.Rolled():
                self.turn += 1
                self.asked = self._moment(number, before)
                if self.asked and before.may_offer(action.side):
                    self._cube(number, before, action.side, DecisionKind.ROLLED_ON)
            case do.OpeningDice() | do.Starts():
                self.turn += 1
                self.asked = None
            case do.Offered():
                self.turn += 1
                self.asked = self._moment(number, before)
                self._cube(number, before, action.side, DecisionKind.DOUBLED)
                self.turn -= 1
            case do.Taken() | do.Beavered() if before.game.phase is do.GamePhase.OFFERED:
                self._cube(number, before, action.side, DecisionKind.TOOK)
            case do.Dropped() if before.game.phase is do.GamePhase.OFFERED:
                self._cube(number, before, action.side, DecisionKind.DROPPED)
            case do.Played():
                self._play(number, before, action, after)
            case _:
                pass

    def _moment(self, number: int, match: Match) -> Question | None:
        xgid = _xgid(unrolled(match))
        if not xgid:
            return None
        question = Question(xgid)
        if not self.moments or self.moments[-1][3] != question:
            self.moments.append((number, self.turn, unrolled(match), question))
        return question

    def _cube(self, number: int, match: Match, side: Side, choice: DecisionKind) -> None:
        offerer = side.other if choice in (DecisionKind.TOOK, DecisionKind.DROPPED) else side
        # A cube that can gain nothing is no decision.
        if self.asked is not None and not match.cube_is_dead(offerer):
            self.decisions.append(
                Decision(number, max(1, self.turn), side, choice, match, self.asked)
            )

    def _play(self, number: int, before: Match, action: do.Played, after: Match) -> None:
        asked, self.asked = self.asked, None
        roll, xgid = before.game.roll, _xgid(before)
        if roll is None or not xgid or action.stands:
            return
        legal = plays(before.game.position, roll)
        made = next((play for play in legal if play.placement == action.after), None)
        over = after.game.phase is do.GamePhase.OVER
        question = Question(xgid, "" if over else _xgid(unrolled(after)), action.after)
        if asked is not None:
            self.throws.append(
                ThrownTurn(number, self.turn, action.side, before, roll, asked, question)
            )
        if isinstance(made, Play) and len(legal) > 1:
            self.decisions.append(
                Decision(
                    number, self.turn, action.side, DecisionKind.PLAY, before, question, str(made)
                )
            )


def unrolled(match: Match) -> Match:
    """The position at this moment, before the roll or the double."""
    return replace(
        match, game=replace(match.game, phase=do.GamePhase.TO_ROLL, roll=None, resigning=None)
    )


def _xgid(match: Match) -> str:
    try:
        return write_xgid(match)
    except NotationError:
        return ""


def all_throws(record: MatchRecord) -> Iterator[tuple[int, Side, Roll]]:
    """Every roll that a side threw with two dice, with its game; opening dice are no roll."""
    for game in games(record):
        for _, action, _ in game.steps:
            if isinstance(action, do.Rolled):
                yield game.number, action.side, action.roll
