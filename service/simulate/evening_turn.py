"""One turn of a simulated evening: what happens before the throw, the play, how the turn ends, and
what people make of what the table says. Answers what is true afterwards: the match by the rules.
"""

from __future__ import annotations

from typing import Final

from rules.apply import apply
from rules.board import OFF, Placement, Side
from rules.dice import Roll
from rules.game import (
    Corrected,
    GamePhase,
    Passed,
    Played,
    ResignAccepted,
    ResignOffered,
    Rolled,
)
from rules.match import Match
from rules.play import Play, plays
from rules.position import Position, PositionError
from service.journal.codec import encode
from service.journal.entries import AlertRaised, IllegalNoticed, PlayEntered
from service.referee.denied import DENIED
from service.simulate.between_turns import BetweenTurns
from service.simulate.cube_at_table import CubeAtTable
from service.simulate.evening_desk import NO_QUESTION, EveningDesk
from service.simulate.evening_table import EveningTable
from service.simulate.habit_table import People
from service.simulate.hands_at_work import HandsAtWork, thrown_by
from service.simulate.troubles import Troubles
from service.simulate.truth import TrueGame, TrueTurn, WrongSpell, sure_roll, too_early

OUT_OF_TURN: Final = "out_of_turn"
LATE_WORD_S: Final = 8.0
"""So long after the next throw a word about what was played illegally is no false one."""
BEHIND: Final = 3
"""So many throws in a row that find the record where it was: the table has stopped."""


class TurnAtTable:
    """Plays turns of one game. The match is what truly happened; the desk is told by its sensors,
    its buttons and, where people answer, by their words.
    """

    def __init__(
        self,
        desk: EveningDesk,
        table: EveningTable,
        people: People,
        hands: HandsAtWork,
        troubles: Troubles,
        game: TrueGame,
        clock: str,
    ) -> None:
        self.desk, self.table, self.people, self.hands = desk, table, people, hands
        self.between = BetweenTurns(table, people, hands, troubles, game)
        self.cube = CubeAtTable(desk, table, people, game)
        self.game, self.clock = game, clock == "ours"
        self.pace = hands.pace
        self.behind = 0
        self.recorded = 0
        self.compared = 0
        """The number of the last alert for which somebody compared the record with the board."""
        self.suspects: tuple[str, ...] = ()
        self.out_of_turn = False

    def begin(self, match: Match) -> None:
        """The game begins with the match as it stands."""
        self.match = match
        self.recorded = self._lines()

    @property
    def placement(self) -> Placement:
        """What the last play left, hands and accidents aside."""
        return self.match.game.placement

    def _lines(self) -> int:
        return sum(isinstance(e.body, PlayEntered) for e in self.desk.acknowledged)

    def play(self, number: int, thrown: Roll | None) -> Match:
        """One turn; `thrown`: the opening dice, where they are played. The match after it."""
        self.people.lately.clear()
        self._give_back()
        side = self._whose_turn(thrown)
        turn = TrueTurn(number, side, thrown, began=self.table.now, before=self.placement)
        self.out_of_turn = "played_out_of_turn" in self.people.lately
        turn.illegal = self._otherwise_illegal
        if thrown is None:
            self.between.happen(side)
            self._shifted_since()
            if self._cube_or_resignation(side):
                return self.match
        self.game.turns.append(turn)
        position = self._position(side)
        turn.first_turn = position.first_turn
        if self._is_closed_out(position) and not self.people.do("closed_out_throws"):
            return self._closed_out(turn)
        if thrown is None:
            if self.clock and self.people.do("pressed_before_roll"):
                self.desk.press(side, self.table.now)
                self.table.pass_time(self.people.seconds(0.5, 2.0))
            self.hands.throw(self.game, turn, bool(number) and self.people.do("dice_left_lying"))
            self.match = apply(self.match, Rolled(side, sure_roll(turn.roll)))
        else:
            self.game.throws.append((self.table.now, side, thrown))
            turn.thrown_at = self.table.now
        for spell in self.game.wrong:
            spell.until = min(spell.until, turn.thrown_at + LATE_WORD_S)
        self._check_progress(turn)
        self._play(turn, position)
        return self.match

    def _give_back(self) -> None:
        """What was in a hand is back; what was shifted is put right, or stands there now."""
        stands = self.hands.give_back(self.placement)
        if stands != self.placement:
            self.match = apply(self.match, Corrected(after=stands))
            self.game.shifted = True

    def _whose_turn(self, thrown: Roll | None) -> Side:
        """The side that throws now, rightly or not."""
        side = self.match.game.side
        assert side is not None
        if thrown is None and self.game.turns and self.people.do("played_out_of_turn"):
            self.match = apply(self.match, Corrected(side=side.other))
            return side.other
        return side

    @property
    def _otherwise_illegal(self) -> str:
        """What is against the rules in this turn, its play aside."""
        return OUT_OF_TURN if self.out_of_turn else ""

    def _shifted_since(self) -> None:
        """What is shifted before the next throw may be said to stand there after the last turn, but
        for a checker on the floor.
        """
        last = self.game.turns[-1] if self.game.turns else None
        fallen = any(target == OFF for _, _, target in self.hands.slipped)
        if last is not None and last.stands and not fallen:
            last.stands = (*last.stands, self.hands.shifted(last.stands[0]))

    # Cube and resignation.

    def _cube_or_resignation(self, side: Side) -> bool:
        """Whether the game ended before the throw."""
        self.match = self.cube.before_throw(self.match, side)
        if self.match.game.phase is GamePhase.OVER:
            return True
        return self._is_far_behind(side) and self.people.do("resigned") and self._resign(side)

    def _is_far_behind(self, side: Side) -> bool:
        position = self._position(side)
        return position.view[27] >= position.ruleset.checkers - 4 and position.view[25] == 0

    def _resign(self, side: Side) -> bool:
        """The side resigns a single game; with a nod, or by the tablet."""
        self.match = apply(apply(self.match, ResignOffered(side, 1)), ResignAccepted(side.other))
        if self.people.do("resigned_by_nod"):
            self.game.untold = True
            return True
        table, desk = self.table, self.desk
        desk.order("resign", table.now, side, args={"level": 1})
        table.pass_time(1.0)
        desk.order("accept_resignation", table.now, side.other)
        table.pass_time(0.5)
        return True

    # The turn itself.

    def _position(self, side: Side) -> Position:
        game = self.match.game
        return Position.of(game.placement, game.ruleset, side, side not in game.taken_turns)

    def _is_closed_out(self, position: Position) -> bool:
        """Whether no throw enters a checker: such a side need not throw."""
        return bool(position.view[24]) and all(n <= -2 for n in position.view[18:24])

    def _closed_out(self, turn: TrueTurn) -> Match:
        self.match = apply(self.match, Passed(turn.side))
        turn.stands, turn.ended = (self.placement,), self.table.now
        if self.clock:
            self.desk.press(turn.side, self.table.now)
        self.table.pass_time(0.6)
        turn.habits = tuple(self.people.lately)
        return self.match

    def _play(self, turn: TrueTurn, position: Position) -> None:
        """The play, its end, and what comes of what the table says."""
        people, hands = self.people, self.hands
        legal = list(plays(position, sure_roll(turn.roll)))
        if people.do("premature_roll"):
            self._throw_too_early(turn.side.other)
        after, wrong = hands.play(self.game, turn, position, legal)
        if turn.illegal:
            turn.wrong_at = turn.thrown_at
            self.game.wrong.append(WrongSpell(turn.side, turn.began, float("inf")))
        if wrong is not None:
            turn.illegal, turn.explained = wrong.kind, wrong.explained
        self._end(turn)
        if not turn.illegal and len(legal) > 1 and people.do("changed_after"):
            after = self._change(turn, legal, after)
        after = self._watch(turn, after, legal)
        self._settle(turn, position, after, legal)

    def _throw_too_early(self, side: Side) -> None:
        """The opponent's own dice, thrown into the turn and taken up again."""
        table, people = self.table, self.people
        faces = (people.rng.randint(1, 6), people.rng.randint(1, 6))
        early = thrown_by(side, faces)
        lying = list(table.dice)
        table.lay_dice(lying + early)
        self.game.throws.append((table.now, side, Roll.of(*faces)))
        self.game.dice.append(too_early(table.now, side))
        table.pass_time(people.seconds(0.6, 2.5))
        table.lay_dice(lying)

    def _end(self, turn: TrueTurn) -> None:
        """The turn's end, by a press or by taking up the dice."""
        people, table = self.people, self.table
        if people.do("dice_up_early"):
            table.hand(0.3)
            table.lay_dice([])
            table.pass_time(people.seconds(0.4, 1.5))
        turn.ended = table.now
        if not self.clock:
            return
        if people.do("forgotten_press"):
            table.pass_time(people.seconds(0.5, 2.0))
            return
        self.desk.press(turn.side, table.now)
        if people.do("pressed_back"):
            table.pass_time(people.seconds(0.3, 1.5))
            self.desk.press(turn.side.other, table.now)
            table.pass_time(people.seconds(0.5, 1.5))
            self.desk.press(turn.side, table.now)

    def _change(self, turn: TrueTurn, legal: list[Play], after: Placement) -> Placement:
        """The play is changed after the turn's end, and the opponent agrees."""
        people, table = self.people, self.table
        table.pass_time(people.seconds(0.8, 2.5))
        if self.clock:
            self.desk.press(turn.side.other, table.now)
        changed: Placement = people.rng.choice(legal).placement
        self.hands.lay(changed, people.seconds(0.6, 1.5))
        table.pass_time(people.seconds(0.5, 1.0))
        turn.ended = table.now
        if self.clock:
            self.desk.press(turn.side, table.now)
        return changed

    # What the table says, and what people do about it.

    def _watch(self, turn: TrueTurn, after: Placement, legal: list[Play]) -> Placement:
        """The time until the next throw; returns what stands there at its end."""
        people, table, hands = self.people, self.table, self.hands
        until = table.now + people.seconds(*self.pace.next_roll_s)
        late = table.now + people.seconds(0.3, 1.2)
        seen_by_opponent = bool(turn.illegal) and people.do("opponent_notices")
        self.desk.new_entries()
        reacted = False
        while table.now < until:
            table.pass_time(0.3)
            if hands.lost and table.now >= late and not self._kept():
                hands.lost.clear()
                hands.lay(after)
            if (
                seen_by_opponent
                and turn.illegal not in ("", OUT_OF_TURN)
                and table.now > turn.wrong_at + 1.5
            ):
                after = self._put_right(turn, legal)
                until = max(until, table.now + 1.5)
            told, asked = self._heard()
            if told and not reacted:
                reacted = True
                if turn.illegal not in ("", OUT_OF_TURN) and people.do("puts_right"):
                    after = self._put_right(turn, legal)
                until = max(until, table.now + 1.5)
            elif asked and not reacted:
                reacted = True
                if not people.do("question_ignored"):
                    self._answer(turn, after)
        return after

    def _kept(self) -> bool:
        return "hit_kept" in self.people.lately

    def _heard(self) -> tuple[bool, bool]:
        """Whether the table has just called an illegal play, and whether it asks something."""
        told = asked = False
        for entry in self.desk.new_entries():
            match entry.body:
                case IllegalNoticed():
                    told = entry.body.told == "board"
                case AlertRaised() if entry.body.matter not in NO_QUESTION | {"illegal"}:
                    asked = True
        return told, asked

    def _put_right(self, turn: TrueTurn, legal: list[Play]) -> Placement:
        """The illegal play is taken back and a legal one made."""
        people, table = self.people, self.table
        table.pass_time(people.seconds(*self.pace.correct_s) / 2)
        right: Placement = people.rng.choice(legal).placement
        self.hands.lay(right, people.seconds(0.6, 1.5))
        for spell in self.game.wrong:
            # A turn out of turn is one all the same.
            if not (self.out_of_turn and spell.since == turn.began):
                spell.until = min(spell.until, table.now)
        turn.illegal = self._otherwise_illegal
        turn.ended = table.now
        if self.clock and people.rng.random() < 0.5:
            self.desk.press(turn.side, table.now)
        table.pass_time(1.0)
        return right

    def _answer(self, turn: TrueTurn, after: Placement) -> None:
        """Somebody answers the question, rightly or not."""
        people, table, desk = self.people, self.table, self.desk
        table.pass_time(people.seconds(1.5, 5.0))
        said, dice = after, encode(turn.roll)
        if people.do("answered_wrongly"):
            self.game.typed_wrongly.append(table.now)
            before = turn.before
            assert before is not None
            found = [p.placement for p in plays(self._before(turn), sure_roll(turn.roll))]
            said = people.rng.choice(found)
        if desk.has_on_record(turn.side, said):
            return
        if desk.has_other_to_play(turn.side):
            # Whoever reads there that the other side is to play says what stands, and whose turn
            # it is.
            if desk.state.game.placement != said:
                desk.set_position(said, turn.side.other, table.now)
            return
        refused = desk.order(
            "declare_play", table.now, args={"placement": encode(said), "roll": dice}
        )
        if refused is not None and turn.illegal:
            other = turn.side.other
            desk.order(
                "let_stand", table.now, other, args={"placement": encode(said), "roll": dice}
            )
        table.pass_time(0.4)

    def _before(self, turn: TrueTurn) -> Position:
        game = self.match.game
        assert turn.before is not None
        return Position.of(turn.before, game.ruleset, turn.side, turn.side not in game.taken_turns)

    # What is true now.

    def _settle(
        self, turn: TrueTurn, position: Position, after: Placement, legal: list[Play]
    ) -> None:
        """The turn is over: what stands there was played, unless no game goes on from it."""
        if turn.illegal:
            try:
                Position.of(after, position.ruleset, turn.side.other)
            except PositionError:
                after = self._put_right(turn, legal)
        stands = turn.illegal not in ("", OUT_OF_TURN)
        self.match = apply(self.match, Played(turn.side, after, stands=stands))
        shifted = self.hands.shifted(after)
        turn.troubled = bool(self.hands.slipped)
        turn.stands = (after, shifted) if shifted != after else (after,)
        turn.habits = tuple(self.suspects) + tuple(self.people.lately)
        self.suspects = tuple(self.people.lately)
        if self.match.game.phase is GamePhase.OVER:
            self.table.pass_time(0.5)

    def _compare(self, turn: TrueTurn) -> None:
        """Who is asked to compare the record with the board does so, and puts it right."""
        asked = next((a for a in self.desk.state.alerts if a.matter == DENIED), None)
        if asked is None or asked.seq <= self.compared:
            return
        self.compared = asked.seq
        if self.people.do("question_ignored"):
            return
        self.table.pass_time(self.people.seconds(1.5, 5.0))
        placement, record = turn.before, self.desk.state.game
        assert placement is not None
        if record.placement != placement and record.on_roll is turn.side:
            self.desk.set_position(placement, turn.side, self.table.now)
            self.desk.order("declare_roll", self.table.now, args={"roll": encode(turn.roll)})

    def _check_progress(self, turn: TrueTurn) -> None:
        """Whether the table keeps up; one that has stopped is helped by a person."""
        lines = self._lines()
        here = self.desk.state.game
        known = here.on_roll is turn.side and here.placement == turn.before
        self.behind = 0 if known or lines > self.recorded else self.behind + 1
        self.recorded = lines
        if self.behind < BEHIND:
            self._compare(turn)
            return
        why = self.desk.state.phase.value
        asks = "asks" if self.desk.asks else "silent"
        self.game.helped.append((self.table.now, self.behind, f"{why}, {asks}"))
        self.behind = 0
        placement, people = turn.before, self.people
        assert placement is not None
        if people.do("answered_wrongly"):
            self.game.typed_wrongly.append(self.table.now)
            wrong = self.between.shaken(1)
            if wrong.total(Side.WHITE) == placement.total(Side.WHITE):
                placement = wrong
        self.desk.set_position(placement, turn.side, self.table.now)
        # Who said so has said whose turn it is.
        turn.illegal = "" if turn.illegal == OUT_OF_TURN else turn.illegal
        self.out_of_turn = False
        self.table.pass_time(0.4)
        self.desk.order("declare_roll", self.table.now, args={"roll": encode(turn.roll)})
