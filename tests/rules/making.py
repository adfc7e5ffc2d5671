"""Matches made for tests: random ones, and one of each thing that a file finds hard to say."""

from __future__ import annotations

import random

from rules.apply import apply
from rules.board import Placement, Side
from rules.dice import Roll
from rules.game import (
    Action,
    Beavered,
    Corrected,
    Dropped,
    GameAwarded,
    GamePhase,
    MatchAwarded,
    NextGame,
    Offered,
    OpeningDice,
    Passed,
    Played,
    PointsAdjusted,
    ResignAccepted,
    ResignOffered,
    Rolled,
    Starts,
    Taken,
)
from rules.match import Match, MatchRules
from rules.notation.record import MatchRecord
from rules.play import plays
from rules.ruleset import ruleset

W, B = Side.WHITE, Side.BLACK
NAMES = {W: "Ann", B: "Bob"}


CLOSING_SEED = 74


class Making:
    """A match being made, its actions kept."""

    def __init__(self, rules: MatchRules, names: dict[Side, str] | None = None) -> None:
        self.rules, self.names = rules, names or NAMES
        self.match = Match.start(rules, self.names)
        self.actions: list[Action] = []

    def act(self, *actions: Action) -> Making:
        for action in actions:
            self.match = apply(self.match, action)
            self.actions.append(action)
        return self

    def play(self, side: Side, roll: Roll, text: str = "") -> Making:
        """Roll and play, the play by its notation or the first there is."""
        if self.match.game.phase is GamePhase.TO_ROLL:
            self.act(Rolled(side, roll))
        found = list(plays(self.match.game.position, roll))
        chosen = next(p for p in found if str(p) == text) if text else found[0]
        return self.act(Played(side, chosen.placement))

    def stands(self, side: Side, roll: Roll, after: Placement) -> Making:
        return self.act(Rolled(side, roll), Played(side, after, stands=True))

    def some_turns(self, rng: random.Random, count: int) -> Making:
        for _ in range(count):
            game = self.match.game
            if game.phase not in (GamePhase.TO_ROLL, GamePhase.ROLLED) or game.side is None:
                break
            roll = game.roll or Roll.of(rng.randint(1, 6), rng.randint(1, 6))
            if game.phase is GamePhase.TO_ROLL:
                self.act(Rolled(game.side, roll))
            self.act(
                Played(game.side, rng.choice(list(plays(self.match.game.position, roll))).placement)
            )
        return self

    def record(self, *tags: tuple[str, str]) -> MatchRecord:
        return MatchRecord(self.rules, self.names, tuple(self.actions), tags)


def random_record(
    seed: int, rules: MatchRules, games: int = 30, names: dict[Side, str] | None = None
) -> MatchRecord:
    """A whole match, random in everything that is allowed."""
    rng = random.Random(seed)
    making = Making(rules, names)
    for _ in range(4_000):
        match, game = making.match, making.match.game
        if match.is_over or (game.phase is GamePhase.OVER and game.number >= games):
            break
        if game.phase is GamePhase.OVER:
            making.act(NextGame())
        elif game.phase is GamePhase.OPENING:
            making.act(OpeningDice((rng.randint(1, 6),), (rng.randint(1, 6),)))
        elif (
            game.phase is GamePhase.TO_ROLL
            and game.side is not None
            and match.may_offer(game.side)
            and rng.random() < 0.06
        ):
            making.act(Offered(game.side))
            if rules.beavers and game.cube.value * 4 <= game.cube.limit and rng.random() < 0.4:
                making.act(Beavered(game.side.other), Taken(game.side))
            else:
                making.act((Taken if rng.random() < 0.6 else Dropped)(game.side.other))
        elif game.phase is GamePhase.TO_ROLL and game.closed_out:
            assert game.side is not None
            making.act(Passed(game.side))
        elif game.phase is GamePhase.TO_ROLL and game.side is not None and rng.random() < 0.003:
            making.act(ResignOffered(game.side, 1), ResignAccepted(game.side.other))
        else:
            making.some_turns(rng, 1)
    return making.record()


def started(
    length: int = 7,
    name: str = "backgammon",
    names: dict[Side, str] | None = None,
    **options: object,
) -> Making:
    return Making(MatchRules.of(ruleset(name, options), length), names).act(OpeningDice((3,), (1,)))


CLOSED = Placement.of({1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 4, 8: 1}, {25: 1, 13: 14})


def really_closed_out(seed: int = CLOSING_SEED) -> MatchRecord:
    """A side closed out by play alone: White keeps its home and hits, Black leaves blots."""
    rng = random.Random(seed)
    making = started()
    for _ in range(120):
        game = making.match.game
        if (
            game.side is None
            or game.phase is GamePhase.OVER
            or making.actions.count(Passed(B)) == 2
        ):
            break
        if game.phase is GamePhase.TO_ROLL and game.side is B and game.closed_out:
            making.act(Passed(B))
            continue
        if game.phase is GamePhase.TO_ROLL:
            making.act(Rolled(game.side, Roll.of(rng.randint(1, 6), rng.randint(1, 6))))
        assert making.match.game.roll is not None
        found = list(plays(making.match.game.position, making.match.game.roll))
        sign = 1 if game.side is W else -1
        best = max(found, key=lambda p: sign * _closing(p.placement))
        making.act(Played(game.side, best.placement))
    return making.record()


def _closing(stands: Placement) -> float:
    held = sum(2.0 for p in range(1, 7) if stands.white[p] >= 2)
    coming = sum(min(stands.white[p], 3) * 0.3 for p in range(1, 12))
    blots = sum(0.5 for p in range(1, 25) if stands.white[p] == 1)
    return held + coming - blots + 3 * stands.black[25] - 2 * stands.white[25] - 4 * stands.white[0]


def hard_records() -> dict[str, MatchRecord]:
    """One of each thing that is hard to say."""
    rng = random.Random(5)
    found: dict[str, MatchRecord] = {"really closed out": really_closed_out()}

    names = {W: "علی‌رضا حسینی", B: "مریم"}
    found["Persian names"] = (
        started(names=names).play(W, Roll(3, 1)).some_turns(rng, 8).record(("Event", "جام نوروز"))
    )
    long = {W: "محمدرضا شجریان‌پور حسینی اصفهانی", B: "A very long name indeed, with: a colon"}
    found["long names"] = started(names=long).play(W, Roll(3, 1)).some_turns(rng, 8).record()
    found["no names"] = (
        started(names={W: "", B: " "}).play(W, Roll(3, 1)).some_turns(rng, 3).record()
    )

    making = started().play(W, Roll(3, 1)).play(B, Roll(6, 4))
    making.stands(W, Roll(2, 1), making.match.game.placement.moved(W, 13, 9))
    found["illegal, by its dice"] = making.some_turns(rng, 4).record()
    making = started().play(W, Roll(3, 1)).play(B, Roll(6, 4), "24/18 13/9")
    making.stands(W, Roll(2, 1), making.match.game.placement.moved(W, 13, 4).moved(W, 24, 15))
    found["illegal, by no dice"] = making.some_turns(rng, 4).record()
    making = started().play(W, Roll(3, 1)).play(B, Roll(6, 4))
    making.stands(W, Roll(2, 1), making.match.game.placement)
    found["illegal, nothing moved"] = making.some_turns(rng, 4).record()

    making = (
        Making(MatchRules.of(ruleset("backgammon"), 0))
        .act(OpeningDice((3,), (1,)))
        .play(W, Roll(3, 1))
    )
    found["beaver"] = making.act(Offered(B), Beavered(W), Taken(B)).some_turns(rng, 6).record()
    making = started(5)
    for side, value in ((W, 1), (B, 2), (W, 3)):
        making.act(ResignOffered(side, value), ResignAccepted(side.other))
        if not making.match.is_over:
            making.act(NextGame(), OpeningDice((2,), (5,)))
    found["resignations"] = making.record()
    making = started(5).act(
        PointsAdjusted(B, 1, None, "flag"),
        GameAwarded(W, 2, "ruling"),
        NextGame(),
        OpeningDice((2,), (5,)),
    )
    found["rulings"] = making.some_turns(rng, 4).act(MatchAwarded(B, "ruling")).record()
    making = (
        started(5)
        .some_turns(rng, 3)
        .act(GameAwarded(W, 0, "does not count"), NextGame(), OpeningDice((2,), (5,)))
    )
    found["a game for nobody"] = making.some_turns(rng, 3).record()
    found["other starts"] = (
        Making(MatchRules.of(ruleset("backgammon"), 3)).act(Starts(B)).some_turns(rng, 5).record()
    )
    found["two moves a double"] = started(3, "nard-himly").some_turns(rng, 30).record()
    return found


def only_sgf() -> dict[str, MatchRecord]:
    """What .mat has no words for."""
    rng = random.Random(6)
    found = {}
    making = started().play(W, Roll(3, 1)).play(B, Roll(6, 4))
    making.stands(W, Roll(2, 1), making.match.game.placement.moved(W, 13, 14))
    found["backwards"] = making.some_turns(rng, 4).record()
    making = started().play(W, Roll(3, 1)).play(B, Roll(6, 4), "24/18 13/9")
    making.stands(W, Roll(2, 1), making.match.game.placement.moved(W, 13, 10).moved(B, 12, 11))
    found["opponent moved"] = making.record()
    making = started().play(W, Roll(3, 1)).act(Corrected(after=CLOSED, side=B))
    found["corrected"] = making.record()
    making = (
        Making(MatchRules.of(ruleset("backgammon"), 0))
        .act(OpeningDice((3,), (1,)))
        .play(W, Roll(3, 1))
    )
    making.act(Offered(B), Beavered(W), Dropped(B), NextGame(), OpeningDice((1,), (2,)))
    found["beaver dropped"] = making.some_turns(rng, 3).record()
    rules = MatchRules.of(ruleset("backgammon"), 0)
    making = Making(rules).act(OpeningDice((3,), (3,)), OpeningDice((3,), (2,)))
    found["automatic double"] = making.some_turns(rng, 4).record()
    # Bearing off by the exact number only leaves turns unplayed that backgammon would play.
    found["idle turns"] = random_record(1002, MatchRules.of(ruleset("nard-himly"), 3), games=2)
    found["nackgammon"] = started(3, "nackgammon").some_turns(rng, 6).record()
    return found
