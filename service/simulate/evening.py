"""An evening at one table: a match, its games from the set-up to the last checker, and between them
what people do with cube, seats and dice. One turn is `evening_turn`'s.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Final

from rules.apply import apply
from rules.axes import Opening
from rules.board import Placement, Side
from rules.dice import Roll
from rules.game import GamePhase, NextGame, OpeningDice
from rules.match import Match, MatchRules
from rules.observation import CubeOwner, Source
from rules.position import Position
from rules.ruleset import Ruleset
from service.referee.state import PLAYING, Phase
from service.simulate.cube_sense import CubeSense
from service.simulate.evening_desk import EveningDesk
from service.simulate.evening_table import EveningTable
from service.simulate.evening_turn import TurnAtTable
from service.simulate.habit_table import People
from service.simulate.hands_at_work import HandsAtWork
from service.simulate.held_against import GameBook
from service.simulate.noise import Die, Sense
from service.simulate.troubles import Troubles
from service.simulate.truth import TrueGame

LENGTH: Final = 9
PATIENCE_S: Final = 8.0
"""So long a set-up or an opening throw waits before somebody tells the table."""
OVER: Final = (Phase.GAME_OVER, Phase.MATCH_OVER)


class Evening:
    """Plays games of a match and holds the record against each when it is over."""

    def __init__(
        self,
        ruleset: Ruleset,
        people: People,
        senses: dict[Source, Sense],
        cube_sense: CubeSense,
        journal: Path,
        book: GameBook,
        clock: str,
    ) -> None:
        self.ruleset, self.people, self.book, self.clock = ruleset, people, book, clock
        self.senses = senses
        self.desk = EveningDesk(journal, self._remember)
        start = Position.start(ruleset, Side.WHITE).placement
        self.table = EveningTable(start, senses, cube_sense, self.desk, now=10.0)
        self.troubles = Troubles(self.table, people)
        self._set_match()

    def _remember(self, placement: Placement | None) -> None:
        if Source.SENSORS in self.senses:
            self.senses[Source.SENSORS].remember(placement)

    def _set_match(self) -> None:
        self.match = Match.start(MatchRules.of(self.ruleset, LENGTH))
        self.desk.order(
            "set_match",
            self.table.now,
            args={"ruleset": self.ruleset.name, "length": LENGTH, "clock": self.clock},
        )

    def play(self, games: int, longest: int, name: str) -> None:
        """Play so many games, each of at most `longest` turns."""
        for number in range(games):
            if number:
                self._next_match_or_game()
            self._game(f"{name} game {number}", longest)
        self.desk.close()
        self.book.tally.add("entries_lost", self.desk.lost)
        self.book.tally.add("entries", len(self.desk.acknowledged))

    def _next_match_or_game(self) -> None:
        if self.match.is_over:
            self._set_match()
        elif self.match.game.phase is GamePhase.OVER:
            self.match = apply(self.match, NextGame())
        else:
            # Nobody wanted to play the long game to its end.
            self.desk.order("end_match", self.table.now, args={"reason": "late"})
            self._set_match()

    def _game(self, name: str, longest: int) -> None:
        people, table = self.people, self.table
        game = TrueGame(name, first_seq=self.desk.state.seq)
        self.troubles.of_the_game()
        hands = HandsAtWork(table, people, self.clock == "ours")
        self._set_up(game)
        thrown = self._open(game)
        turn = TurnAtTable(self.desk, table, people, hands, self.troubles, game, self.clock)
        turn.begin(self.match)
        for number in range(longest):
            self.match = turn.play(number, thrown)
            thrown = None
            if self.match.game.phase is GamePhase.OVER:
                break
        self._end(game)
        hands.straighten()
        self.troubles.end()
        self.book.end(game, self.desk, people)

    # Before the first turn.

    def _set_up(self, game: TrueGame) -> None:
        """The checkers are put at the start, and the cube where it belongs or not."""
        people, table = self.people, self.table
        table.lay_dice([])
        start = self.match.game.placement
        wrong = people.do("set_up_wrongly")
        if people.do("seats_swapped"):
            table.swapped = True
        if wrong:
            side = people.rng.choice(list(Side))
            site = people.rng.choice([p for p in range(1, 25) if start.counts(side)[p]])
            free = [p for p in range(1, 25) if not start.white[p] and not start.black[p]]
            table.stand(start.moved(side, site, people.rng.choice(free)), 4.0)
            table.pass_time(people.seconds(2.0, 5.0))
        table.stand(start, people.seconds(3.0, 6.0))
        if self.ruleset.has_cube and not (game.first_seq > 2 and people.do("cube_left")):
            table.cube = (64, CubeOwner.CENTRE)
        self._wait_for_start()
        if table.swapped:
            table.pass_time(people.seconds(1.0, 4.0))
            # They say so: from now on everybody is where the table has them.
            table.swapped = False
            for source in table.senses:
                table.relight(source)
            self._wait_for_start()
        if self.desk.state.phase in (Phase.SETTING_UP, *OVER):
            game.helped.append((table.now, 0, "set-up"))
            self.desk.order("start_game", table.now)

    def _wait_for_start(self) -> None:
        waited = 0.0
        while self.desk.state.phase in (Phase.SETTING_UP, *OVER) and waited < PATIENCE_S:
            self.table.pass_time(0.5)
            waited += 0.5

    def _open(self, game: TrueGame) -> Roll | None:
        """The opening throw, where one is due; the roll that the starter plays, if it does."""
        rng, table = self.people.rng, self.table
        each = 2 if self.ruleset.opening is Opening.TWO_DICE_EACH else 1
        while self.match.game.phase is GamePhase.OPENING:
            white = tuple(rng.randint(1, 6) for _ in range(each))
            black = tuple(rng.randint(1, 6) for _ in range(each))
            table.lay_dice([])
            table.hand(0.5)
            places = [(0.62, 0.4), (0.2, 0.6)] if each == 1 else []
            if each == 2:
                places = [(0.6, 0.4), (0.75, 0.5), (0.1, 0.6), (0.3, 0.4)]
            shake = [(x + rng.uniform(0, 0.1), y + rng.uniform(0, 0.1)) for x, y in places]
            table.lay_dice([Die(w, f) for w, f in zip(shake, white + black, strict=True)])
            self.match = apply(self.match, OpeningDice(white, black))
            game.openings.append((white, black))
            table.pass_time(self.people.seconds(1.5, 2.5))
            if self.desk.asks:
                self._say_opening(white, black)
        return self.match.game.roll

    def _say_opening(self, white: tuple[int, ...], black: tuple[int, ...]) -> None:
        """Where the table asks what was thrown, somebody types it in, or they just play on."""
        if self.people.do("question_ignored"):
            return
        self.table.pass_time(self.people.seconds(1.5, 5.0))
        self.desk.order(
            "declare_roll", self.table.now, args={"white": list(white), "black": list(black)}
        )

    # After the last turn.

    def _end(self, game: TrueGame) -> None:
        """The game's end is seen or said."""
        table, desk = self.table, self.desk
        table.hand(1.0)
        table.lay_dice([])
        result = self.match.game.result
        if result is None:
            return
        game.winner, game.points = result.winner, result.points
        waited = 0.0
        while desk.state.phase not in OVER and waited < PATIENCE_S:
            table.pass_time(0.5)
            waited += 0.5
        if desk.state.phase not in OVER:
            # Nobody looks at the screen: the checkers are set up for the next game.
            self.troubles.end()
            table.stand(Position.start(self.ruleset, Side.WHITE).placement, 4.0)
            waited = 0.0
            while desk.state.phase in PLAYING and waited < PATIENCE_S:
                table.pass_time(0.5)
                waited += 0.5
        if desk.state.phase not in PLAYING:
            return
        game.helped.append((table.now, 1, "end of game"))
        # Whoever lost says so at the tablet.
        desk.set_position(self._before_end(), result.winner.other, table.now)
        worth = max(1, round(result.points / max(1, self._cube_value())))
        loser = result.winner.other
        desk.order("resign", table.now, args={"side": loser.value, "level": min(worth, 3)})
        desk.order("accept_resignation", table.now)
        table.pass_time(0.5)

    def _before_end(self) -> Placement:
        """A position of the game before it was over, to resign from."""
        return Position.start(self.ruleset, Side.WHITE).placement

    def _cube_value(self) -> int:
        return self.desk.state.game.cube


def people_of(players: str, seed: str) -> People:
    """Players of this level, who do the same in every run."""
    return People(players, random.Random(seed))
