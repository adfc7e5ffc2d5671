"""A knock-out drawn up as bouts, each of whose seats says where its player comes from.

A whole event (main, consolation, last chance; or winners, losers and final) is drawn before its
first bout. Who sits where is then worked out from the endings alone (`seating`), so that a result
taken back takes back all that followed from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.tournament.field import TournamentError


@dataclass(frozen=True, slots=True)
class FromSeed:
    """The seat of the player of this number in the draw, from 1."""

    number: int


@dataclass(frozen=True, slots=True)
class WinnerOf:
    bout: str


@dataclass(frozen=True, slots=True)
class LoserOf:
    """The seat of that bout's loser; `unbeaten`: only if it is their first loss of the event, as
    for the first named of a double elimination's final.
    """

    bout: str
    unbeaten: bool = False


Origin = FromSeed | WinnerOf | LoserOf


@dataclass(frozen=True, slots=True)
class Bout:
    """One match of a bracket; `name` is its stage, round and number, as `main 1.3`."""

    stage: str
    round: int
    number: int
    first: Origin
    second: Origin

    @property
    def name(self) -> str:
        return f"{self.stage} {self.round}.{self.number}"


@dataclass(frozen=True, slots=True)
class Bracket:
    """Bouts, each after those that its players come from, for `size` seats."""

    size: int
    bouts: tuple[Bout, ...]

    def stage(self, name: str) -> tuple[Bout, ...]:
        return tuple(b for b in self.bouts if b.stage == name)

    def rounds(self, name: str) -> tuple[tuple[Bout, ...], ...]:
        """The bouts of a stage, round by round."""
        bouts = self.stage(name)
        last = max((b.round for b in bouts), default=0)
        return tuple(tuple(b for b in bouts if b.round == n) for n in range(1, last + 1))


def seats_for(many: int) -> int:
    """The next power of two: the seats of a bracket for so many players; two at least."""
    if many < 2:
        raise TournamentError(f"expected 2 players or more for a bracket, got {many}; enter more")
    return 1 << (many - 1).bit_length()


def seed_order(size: int) -> tuple[int, ...]:
    """Numbers of the draw from the top of the sheet down: 1 and 2 can meet only in the final, 1 to
    4 not before the semifinals, and so on.
    """
    order = [1]
    while len(order) < size:
        order = [each for n in order for each in (n, 2 * len(order) + 1 - n)]
    return tuple(order)


def single_elimination(many: int) -> Bracket:
    """One loss and out."""
    size = seats_for(many)
    return Bracket(size, _down("main", [FromSeed(n) for n in seed_order(size)]))


def double_elimination(many: int) -> Bracket:
    """Two losses and out: winners, losers, and a final that is played twice if its first is lost
    by the unbeaten player.
    """
    size = seats_for(many)
    winners = _down("winners", [FromSeed(n) for n in seed_order(size)])
    top = Bracket(size, winners)
    losers = _fed("losers", top, [_losers(r) for r in top.rounds("winners")])
    champion = WinnerOf(winners[-1].name)
    challenger = WinnerOf(losers[-1].name) if losers else LoserOf(winners[-1].name)
    first = Bout("final", 1, 1, champion, challenger)
    again = Bout("final", 2, 1, WinnerOf(first.name), LoserOf(first.name, unbeaten=True))
    return Bracket(size, (*winners, *losers, first, again))


def with_consolation(many: int, rounds: int, last_chance: int = 0) -> Bracket:
    """A main knock-out whose losers of the first `rounds` rounds play on in a consolation, and the
    losers of the consolation's first `last_chance` rounds in a last chance.
    """
    main = single_elimination(many)
    drops = [_losers(r) for r in main.rounds("main")[:rounds]]
    consolation = Bracket(main.size, main.bouts + _fed("consolation", main, drops))
    later = [_losers(r) for r in consolation.rounds("consolation")[:last_chance]]
    last = _fed("last chance", consolation, later)
    return Bracket(main.size, consolation.bouts + last)


def _losers(bouts: Sequence[Bout]) -> list[Origin]:
    return [LoserOf(b.name) for b in bouts]


def _round(stage: str, number: int, seats: Sequence[Origin]) -> list[Bout]:
    pairs = zip(seats[::2], seats[1::2], strict=True)
    return [Bout(stage, number, i, a, b) for i, (a, b) in enumerate(pairs, 1)]


def _down(stage: str, seats: Sequence[Origin]) -> tuple[Bout, ...]:
    """Bouts from these seats down to one winner."""
    found: list[Bout] = []
    number = 0
    while len(seats) > 1:
        number += 1
        played = _round(stage, number, seats)
        found += played
        seats = [WinnerOf(b.name) for b in played]
    return tuple(found)


def _fed(stage: str, above: Bracket, waves: Sequence[list[Origin]]) -> tuple[Bout, ...]:
    """Bouts of those who lost above, wave after wave: the first play each other down until the
    next wave is as many as they, then each meets one of that wave; at the end down to one.
    """
    if not waves:
        return ()
    came = _came_from(above)
    found: list[Bout] = []
    seats = waves[0]
    number = 0

    def play(pairs: Sequence[Origin]) -> list[Origin]:
        nonlocal number
        number += 1
        played = _round(stage, number, pairs)
        found.extend(played)
        for b in played:
            came[b.name] = _of(b.first, came) | _of(b.second, came)
        return [WinnerOf(b.name) for b in played]

    for wave in waves[1:]:
        while len(seats) > len(wave):
            seats = play(seats)
        crossed = _crossed(seats, wave, came)
        seats = play([each for pair in zip(seats, crossed, strict=True) for each in pair])
    while len(seats) > 1:
        seats = play(seats)
    return tuple(found)


def _came_from(bracket: Bracket) -> dict[str, frozenset[int]]:
    """The numbers of the draw that can sit in each bout."""
    came: dict[str, frozenset[int]] = {}
    for b in bracket.bouts:
        came[b.name] = _of(b.first, came) | _of(b.second, came)
    return came


def _of(origin: Origin, came: dict[str, frozenset[int]]) -> frozenset[int]:
    return frozenset({origin.number}) if isinstance(origin, FromSeed) else came[origin.bout]


def _crossed(
    seats: Sequence[Origin], wave: list[Origin], came: dict[str, frozenset[int]]
) -> list[Origin]:
    """The wave in that of the usual orders in which the fewest can have met their opponent above.

    The same crossing as on printed sheets: as they are, turned over, halves exchanged, both.
    """
    half = len(wave) // 2
    exchanged = wave[half:] + wave[:half]
    orders = (wave, wave[::-1], exchanged, exchanged[::-1])

    def alike(order: list[Origin]) -> int:
        pairs = zip(seats, order, strict=True)
        return sum(len(_of(a, came) & _of(b, came)) for a, b in pairs)

    return min(orders, key=alike)
