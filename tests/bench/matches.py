"""Whole matches of each ruleset with each clock through the referee, against the rules room and a
score book kept by hand: `python -m tests.bench matches`. Every difference is printed, and fails.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from typing import Any, Final

from rules.axes import Opening
from rules.board import Side
from rules.play import Play, plays
from service.journal.chain import Entry, chain
from service.journal.entries import Body, Role, Who
from service.record.match_record import match_records
from service.record.score_sheet import score_sheets
from service.referee.inputs import Input, Order, Press, Tick
from service.referee.refusal import OrderError
from service.referee.state import PLAYING, Phase, State
from service.referee.step import replay, step
from tests.service.score_book import Banks, Book

CONSOLE: Final = Who("", Role.CONSOLE)
RULESETS: Final = ("backgammon", "nackgammon", "nard", "nard-himly", "nard-bozorgmehr", "narde")
CLOCKS: Final = ("none", "external", "simple", "bronstein", "fischer")
LENGTHS: Final = (1, 2, 3, None)


@dataclass(frozen=True)
class Size:
    """How many matches, and which is the first."""

    matches: int = 500
    first: int = 0


SMALLEST: Final = Size(matches=30)


class DiffersError(AssertionError):
    """What referee, rules and book do not agree on, a line each."""


class Table:
    """One match, played by chance: moves, doubles, resignations, slow turns."""

    def __init__(self, seed: int) -> None:
        kinds = list(itertools.product(RULESETS, CLOCKS))
        self.ruleset, self.clock = kinds[seed % len(kinds)]
        self.length = LENGTHS[seed // len(kinds) % len(LENGTHS)]
        self.chance = random.Random(seed)
        self.state, self.now = State(), 0.0
        self.said: list[tuple[float, float, Who, Body]] = []
        self.per = self.chance.choice(("game", "match"))
        self.bank, self.delay = self.chance.choice(((60.0, 4.0), (3000.0, 6.0)))
        self.jacoby = False

    def tell(self, given: Input) -> bool:
        """Whether the table took it."""
        try:
            outcome = step(self.state, given, self.now)
        except OrderError:
            return False
        self.state = outcome.state
        self.said += [(self.now, 0.0, outcome.by, body) for body in outcome.entries]
        return True

    def order(self, name: str, **args: Any) -> bool:
        return self.tell(Order(name, args, CONSOLE))

    def think(self) -> None:
        """Time passes, a second at a time; now and then somebody dreams."""
        slow = self.chance.random() < 0.05
        for _ in range(self.chance.randint(20, 70) if slow else self.chance.randint(0, 6)):
            self.now = round(self.now + 1.0, 3)
            self.tell(Tick())

    def play(self) -> None:
        """The whole match, at most so many games of it."""
        ours = self.clock in ("simple", "bronstein", "fischer")
        event = {
            "clock": {
                "preset": "iran",
                "mode": self.clock,
                "per": self.per,
                "bank": self.bank,
                "delay": self.delay,
                "at_flag": "automatic",
            }
        }
        # Narde's federations: who was second has a last turn, and may draw.
        last = self.ruleset == "narde" and self.chance.random() < 0.5
        self.order(
            "set_match",
            ruleset=self.ruleset,
            options={"last_roll": "draw"} if last else {},
            length=self.length,
            clock="ours" if ours else self.clock,
            event=event if ours else {},
        )
        self.jacoby = self.length is None and self.ruleset in ("backgammon", "nackgammon")
        games = 0
        while self.state.phase is not Phase.MATCH_OVER:
            if self.state.phase in (Phase.SETTING_UP, Phase.GAME_OVER):
                games += 1
                if games > (3 if self.length is None else 12):
                    self.order("end_match", reason="enough")
                    return
                self.order("next_game")
            elif self.state.phase is Phase.OPENING:
                self._open()
            else:
                self._turn()

    def _open(self) -> None:
        ruleset = self.state.match.ruleset
        assert ruleset is not None
        each = 2 if ruleset.opening is Opening.TWO_DICE_EACH else 1
        thrown = [[self.chance.randint(1, 6) for _ in range(each)] for _ in Side]
        self.order("declare_roll", white=thrown[0], black=thrown[1])
        if self.state.phase is not Phase.OPENING and self.state.match.clock is not None:
            self.tell(Press(self.state.game.on_roll.other, self.now))

    def _turn(self) -> None:
        self.think()
        state, side = self.state, self.state.game.on_roll
        if state.phase not in PLAYING:
            return
        if state.phase is Phase.DOUBLED:
            self.order(self.chance.choice(("take", "take", "drop", "beaver")))
        elif (self.chance.random() < 0.004 and self._resign(side)) or (
            state.phase is Phase.TO_ROLL and self.chance.random() < 0.08 and self.order("offer")
        ):
            return
        elif state.phase is Phase.TO_ROLL and not state.turn.stuck:
            self.order("declare_roll", roll=[self.chance.randint(1, 6) for _ in range(2)])
        else:
            self._move(side)

    def _resign(self, side: Side) -> bool:
        who = self.chance.choice((side, side.other))
        if not self.order("resign", side=who.value, level=self.chance.choice((1, 1, 2, 3))):
            return False
        self.order(self.chance.choice(("accept_resignation", "refuse_resignation")))
        return True

    def _move(self, side: Side) -> None:
        state = self.state
        placement = state.game.placement
        assert placement is not None
        if state.turn.roll is not None:
            found = sorted(plays(state.position(), state.turn.roll), key=str)
            # A race half of the time, so that games end.
            chosen = min(found, key=_pips) if self.chance.random() < 0.7 else None
            placement = (chosen or self.chance.choice(found)).placement
        if state.match.clock is not None or self.chance.random() < 0.5:
            self.tell(Press(side, self.now))
        counts = {"white": list(placement.white), "black": list(placement.black)}
        self.order("declare_play", placement=counts)

    def compare(self) -> list[str]:
        """What replay, record, sheet and book say otherwise than the table."""
        entries: list[Entry] = [entry for entry, _ in chain(self.said)]
        state, found = self.state, []
        if replay(entries) != state:
            found.append("replaying the entries gives another state")
        (record,) = match_records(entries)
        final = record.final()
        found += [f"the record remarks: {remark}" for remark in record.remarks]
        score = (state.match.score.white, state.match.score.black)
        if (final.score.white, final.score.black) != score:
            found.append(f"score: {score}, by the rules {final.score}")
        games = [(g.winner, g.points) for g in state.match.finished]
        if games != [(r.winner, r.points) for r in final.results]:
            found.append(f"games: {games}, by the rules {final.results}")
        (sheet,) = score_sheets(entries)
        if sheet["score"] != list(score) or len(sheet["games"]) != len(games):
            found.append(f"the sheet says {sheet['score']} after {len(sheet['games'])} games")
        banks = None
        if state.match.clock is not None:
            banks = Banks(self.clock, self.bank, self.delay, self.per == "game")
        book = Book(self.ruleset, self.length or 0, self.jacoby, banks)
        found += book.keep(entries)
        if banks is not None and state.match.clock is not None:
            for side in Side:
                table = state.match.clock.left(side, self.now)
                if abs(table - max(0.0, banks.left[side])) > 0.02:
                    found.append(f"{side.value} has {table} s left, by the book {banks.left[side]}")
        return found


def _pips(play: Play) -> int:
    """How far the mover's checkers have still to go."""
    return sum((i + 1) * n for i, n in enumerate(play.view[:24]) if n > 0)


def main(size: Size) -> None:
    """Play them all. Raises DiffersError naming each match that does not agree."""
    wrong, games, turns, flags = [], 0, 0, 0
    for seed in range(size.first, size.first + size.matches):
        table = Table(seed)
        table.play()
        name = f"match {seed} ({table.ruleset}, {table.clock}, {table.length or 'money'})"
        wrong += [f"{name}: {line}" for line in table.compare()]
        games += len(table.state.match.finished)
        turns += len(table.state.match.plays)
        flags += sum(table.state.match.flags)
    print(
        f"{size.matches} matches, {games} games, {turns} turns, {flags} flags:"
        f" {len(wrong)} differences"
    )
    if wrong:
        raise DiffersError("\n" + "\n".join(wrong[:20]))
