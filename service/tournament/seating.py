"""Who sits where in a bracket, worked out from the draw and the endings so far."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from service.tournament.bracket import Bout, Bracket, FromSeed, LoserOf, Origin
from service.tournament.field import Ending, TournamentError


class Vacant(StrEnum):
    """A seat without a player."""

    UNDECIDED = "undecided"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Sitter:
    """The player of a seat."""

    name: str


Seat = Sitter | Vacant


@dataclass(frozen=True, slots=True)
class Seated:
    """A bout with its seats; `winner` and `loser` are UNDECIDED until it is over.

    `ready`: both players are known and it is to be played now.
    """

    bout: Bout
    first: Seat
    second: Seat
    winner: Seat
    loser: Seat

    @property
    def ready(self) -> bool:
        both = isinstance(self.first, Sitter) and isinstance(self.second, Sitter)
        return both and self.winner is Vacant.UNDECIDED


def seating(
    bracket: Bracket,
    draw: Sequence[str],
    endings: Mapping[str, Ending],
    gone: Sequence[str] = (),
) -> tuple[Seated, ...]:
    """Every bout with who sits there; `draw` are the players by seed, `endings` by bout's name.

    Those who have `gone`, in the order they left, keep what they won and lose what was to play.
    """
    if not 2 <= len(draw) <= bracket.size or len(set(draw)) != len(draw):
        raise TournamentError(
            f"expected 2 to {bracket.size} players, each once, got {len(draw)}; draw again"
        )
    done: dict[str, Seated] = {}
    for bout in bracket.bouts:
        first, second = (_seat(o, draw, done) for o in (bout.first, bout.second))
        winner, loser = _decided(bout, first, second, endings.get(bout.name), gone)
        done[bout.name] = Seated(bout, first, second, winner, loser)
    unknown = sorted(set(endings) - set(done))
    if unknown:
        raise TournamentError(
            f"expected an ending for a bout of this bracket, got {unknown[0]}; take it away"
        )
    return tuple(done.values())


def _seat(origin: Origin, draw: Sequence[str], done: Mapping[str, Seated]) -> Seat:
    if isinstance(origin, FromSeed):
        return Sitter(draw[origin.number - 1]) if origin.number <= len(draw) else Vacant.NOBODY
    before = done[origin.bout]
    if not isinstance(origin, LoserOf):
        return before.winner
    if origin.unbeaten and isinstance(before.loser, Sitter) and before.loser == before.second:
        return Vacant.NOBODY
    return before.loser


def _decided(
    bout: Bout, first: Seat, second: Seat, ending: Ending | None, gone: Sequence[str]
) -> tuple[Seat, Seat]:
    if ending is not None:
        return _played(bout, first, second, ending)
    if Vacant.UNDECIDED in (first, second):
        return Vacant.UNDECIDED, Vacant.UNDECIDED
    if Vacant.NOBODY in (first, second):
        return (second if first is Vacant.NOBODY else first), Vacant.NOBODY
    left_first, left_second = _left(first, gone), _left(second, gone)
    if left_first == left_second:
        return Vacant.UNDECIDED, Vacant.UNDECIDED
    # Who left first loses: the other may have gone on from here before they left too.
    # Nobody goes on as a loser from a bout that nobody played: who left does not play below either.
    return (first if left_first > left_second else second), Vacant.NOBODY


def _left(seat: Seat, gone: Sequence[str]) -> int:
    """When they left, in the order of leaving; after everybody else if they did not."""
    if isinstance(seat, Sitter) and seat.name in gone:
        return gone.index(seat.name)
    return len(gone)


def _played(bout: Bout, first: Seat, second: Seat, ending: Ending) -> tuple[Seat, Seat]:
    if not (isinstance(first, Sitter) and isinstance(second, Sitter)):
        raise TournamentError(
            f"{bout.name}: expected two players before an ending, got {_said(first)} and"
            f" {_said(second)}; enter the earlier bouts first, or take this ending away"
        )
    match ending:
        case Ending.FIRST:
            return first, second
        case Ending.SECOND:
            return second, first
        case Ending.NEITHER:
            return Vacant.NOBODY, Vacant.NOBODY
        case Ending.DRAWN:
            raise TournamentError(
                f"{bout.name}: expected a winner in a knock-out, got a draw; play it out"
            )


def _said(seat: Seat) -> str:
    return seat.name if isinstance(seat, Sitter) else seat.value


def finishers(seated: Sequence[Seated], stages: Collection[str]) -> tuple[tuple[str, ...], ...]:
    """Names in the order they finished these stages, the winner first, those who went out at the
    same step together. Those still in, and those not yet known, are left out.
    """
    step: dict[str, int] = {}
    out: dict[str, int] = {}
    for each in seated:
        if each.bout.stage not in stages:
            continue
        before = (each.bout.first, each.bout.second)
        step[each.bout.name] = 1 + max(
            (step.get(o.bout, 0) for o in before if not isinstance(o, FromSeed)), default=0
        )
        for seat in (each.first, each.second):
            if isinstance(seat, Sitter):
                over = each.winner is not Vacant.UNDECIDED and each.winner != seat
                out[seat.name] = step[each.bout.name] if over else 0
    last = [e for e in seated if e.bout.stage in stages][-1:]
    champion = [e.winner.name for e in last if isinstance(e.winner, Sitter)]
    beaten = {name: at for name, at in out.items() if at and name not in champion}
    steps = sorted(set(beaten.values()), reverse=True)
    groups = [tuple(n for n, at in beaten.items() if at == each) for each in steps]
    return (*([tuple(champion)] if champion else []), *groups)
