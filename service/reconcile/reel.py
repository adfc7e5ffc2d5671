"""What several turns are told from and what is read from them: stills, throws, turns, and what each
way in which a table goes on costs. Values only; `beam` reads them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from rules.board import Placement, Side
from rules.dice import Roll
from rules.observation import Source
from rules.play import Play, plays
from rules.position import Position
from service.reconcile.arrays import F64, Bools, Logs, Nats
from service.reconcile.codes import SITES, Codes, codes_of
from service.reconcile.rates import RATES
from service.reconcile.tuning import DEFAULT


@dataclass(frozen=True, slots=True)
class Still:
    """The board at rest for a while, from `at` to `until`, s; `frame`: number of its first frame.

    `logs` (26, 256): mean log tables, 0 at the best and 0 throughout where `seen` (26,) is false.
    `reads`: each source that spoke, with what it read (26,) by itself. `unlooked`: from when to
    when nobody looked who sees dice, s, where it is the first still after that or began meanwhile.
    """

    frame: int
    at: float
    until: float
    logs: Logs
    seen: Bools
    reads: tuple[tuple[Source, Codes], ...] = ()
    unlooked: tuple[float, float] | None = None

    def denied(self, left: Placement) -> Nats:
        """Nats against each site (26,) standing as a turn left it, 0 where it is not seen."""
        against = np.where(self.seen, -self.logs[np.arange(SITES), codes_of(left)], 0)
        result: Nats = against.astype(np.float32)
        return result

    def shows(self, left: Placement) -> bool:
        """Whether nothing that is seen stands otherwise than a turn left it."""
        return bool((self.denied(left) < DEFAULT.differs_nats).all())

    def bears_out(self, left: Placement) -> bool:
        """Whether the whole board is seen to stand as a turn left it."""
        return bool(self.seen[1:].all()) and self.shows(left)


@dataclass(frozen=True, slots=True)
class Throw:
    """Two dice that lay there together from `at` to `until`, s.

    `rolls` (21,): log-likelihoods, 0 at the best; `valid`: P(both are dice and lie flat);
    `first_at`: when the first of the two was seen, where that is known; `side`: in whose half they
    lie, None where people throw where there is room, or they lie in both.
    """

    frame: int
    at: float
    until: float
    rolls: F64
    valid: float
    first_at: float = math.inf
    side: Side | None = None

    @property
    def began(self) -> float:
        """When the first of the two was seen, as far as is known."""
        return min(self.at, self.first_at)


UNSEEN_TURN: Final = RATES["unseen_throw"].share
"""Share of turns whose dice a camera that is there never sees. Fitted."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What a story pays, nats."""

    one_site: float = DEFAULT.reach(Source.CAMERA).one_site_nats
    """Most against a story from one site over one window: what a film's only source may say."""
    unseen_throw: float = -math.log(UNSEEN_TURN)
    """A turn whose dice no still shows; twice where nothing was played either: nothing says that it
    passed."""
    skipped_throw: float = RATES["skipped_throw"].nats
    """A valid throw that no turn uses. Fitted."""
    other_half: float = RATES["other_half"].nats
    """A throw that lies in the other side's half, where people keep to their own. Fitted."""
    out_of_turn: float = RATES["out_of_turn"].nats
    """A turn of the side whose turn it is not. Fitted."""
    changed: float = RATES["changed"].nats
    """A play that was changed after it had stood. Fitted."""
    new_game: float = RATES["new_game"].nats
    """A game given up, and the next one set up. Fitted."""
    set_up: float = math.inf
    """Each change and each throw while checkers are set up between games: what a turn of a game
    costs, where nobody says that a game has ended."""
    lost: float = 2 * DEFAULT.one_source_nats
    """Going on from what stands there without a turn that explains it: as much as both sources
    together may say against a turn."""
    unpressed: float = RATES["unpressed"].nats
    """A turn that ends without a press where presses are known, or a press without a turn's end.
    Fitted."""
    beam: int = 32
    margin: float = 22.0
    """A story so far behind the best is dropped (12-30). A cost that a person chose."""
    candidates: int = 12
    """Results of one turn followed up."""
    misfit: float = 20.0
    """Unexplained nats around a turn at which it is as likely wrong as right (6-25). A cost that a
    person chose."""
    misplays: bool = False
    """Whether a turn may have been played against the rules, at the rate of its kind."""
    lag: float = 0.7
    """Each still that a play took longer to make than to be seen begun (0-2). A cost that a person
    chose."""
    same_reading: float = 1.0
    """A reading that moved less than this at its best count has not changed (0.5-2). A cost that a
    person chose."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as read, from `position`, leaving the mover's `view`.

    `throw`: index of the throw it used, None when none was seen; `frame` and `at` (s) of the still
    that first shows its result; `game` counts from 1; `other_rolls`: P(another roll made the same
    board); `price`: what a turn against the rules costs, nats, None for a legal one.
    """

    position: Position
    roll: Roll
    view: tuple[int, ...]
    throw: int | None
    frame: int
    at: float
    game: int
    other_rolls: float
    price: float | None = None

    @property
    def side(self) -> Side:
        return self.position.side

    @property
    def placement(self) -> Placement:
        return self.position.after(self.view).placement

    @property
    def play(self) -> Play:
        found = plays(self.position, self.roll).with_result(self.view)
        assert found is not None, "the view came from these plays"
        return found


@dataclass(frozen=True, slots=True)
class ReadTurn:
    """A turn and how sure it is.

    `gap`: nats to the best story without it; `misfit`: nats that nothing explains from the turn
    before to the turn after next, since a story that has lost its way fits badly; `confidence`: the
    probability made of both and of the roll's doubt; `placed`: that what stood there after it did,
    by its own fit and the next turn's, whatever was rolled; `left`: the same by the best story in
    which something else stood there alone, `unexplained`: the nats that its own fit rests on.
    """

    turn: Turn
    gap: float
    confidence: float
    misfit: float
    placed: float
    left: float
    unexplained: float
