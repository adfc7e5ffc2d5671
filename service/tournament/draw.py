"""Who gets which number of a draw, and which group: seeds in order, clubmates far apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from service.tournament.bracket import seats_for, seed_order
from service.tournament.field import Entrant, TournamentError
from service.tournament.matching import assigned

Kin = Callable[[Entrant], str]


def club_of(entrant: Entrant) -> str:
    """Their club, empty if none is known: two with an empty one are no kin."""
    return entrant.club


def draw_numbers(seeds: Sequence[Entrant], kin: Kin = club_of) -> tuple[Entrant, ...]:
    """The players by number of the draw: each tier (1, 2, 3-4, 5-8, ...) keeps its players, and
    within a tier they sit so that kin meet as late as can be, then nearest to their own number.
    """
    size = seats_for(len(seeds))
    row = {number: at for at, number in enumerate(seed_order(size))}
    sits: dict[int, Entrant] = {}
    start, end = 1, 1
    while start <= len(seeds):
        tier = list(range(start, min(end, len(seeds)) + 1))
        players = [seeds[n - 1] for n in tier]

        def cost(player: Entrant, number: int) -> int:
            early = sum(
                # To meet in one round weighs more than to meet kin in every later round.
                size * size >> (2 * ((row[number] ^ row[there]).bit_length() - 1))
                for there, other in sits.items()
                if kin(player) and kin(other) == kin(player)
            )
            return early * size**4 + (seeds.index(player) + 1 - number) ** 2

        for player, number in zip(players, assigned(players, tier, cost), strict=True):
            sits[number] = player
        start, end = end + 1, 2 * end
    return tuple(sits[n] for n in range(1, len(seeds) + 1))


def groups_of(
    seeds: Sequence[Entrant], many: int, kin: Kin = club_of
) -> tuple[tuple[Entrant, ...], ...]:
    """Players in so many groups, row by row to and fro (1 2 3, 6 5 4, ...), kin apart where a
    player of the same row can take the place instead.
    """
    if not 1 <= many <= max(1, len(seeds) // 2):
        raise TournamentError(
            f"expected groups of two players or more, got {many} groups for {len(seeds)}; choose"
            " fewer groups"
        )
    groups: list[list[Entrant]] = [[] for _ in range(many)]
    for turn, start in enumerate(range(0, len(seeds), many)):
        players = seeds[start : start + many]
        order = list(range(many)) if turn % 2 == 0 else list(range(many))[::-1]
        row = list(players)

        def cost(
            player: Entrant, group: int, order: Sequence[int] = order, row: list[Entrant] = row
        ) -> int:
            mates = sum(kin(p) == kin(player) != "" for p in groups[group])
            return mates * 2 * many**3 + (order.index(group) - row.index(player)) ** 2

        for player, group in zip(players, assigned(row, order, cost), strict=True):
            groups[group].append(player)
    return tuple(tuple(g) for g in groups)


def after_groups(groups: Sequence[Sequence[Entrant]], through: int) -> tuple[Entrant, ...]:
    """The draw of the bracket after groups, each group in its final order: all winners, then all
    seconds, and so on, those of one group as far apart as can be.
    """
    short = [g for g in groups if len(g) < through]
    if short:
        raise TournamentError(
            f"expected {through} players or more in each group, got {len(short[0])} in one; let"
            " fewer through"
        )
    home = {p.name: str(i) for i, group in enumerate(groups) for p in group}
    seeds = [group[place] for place in range(through) for group in groups]
    return draw_numbers(seeds, lambda p: home[p.name])


def drawn_from(entrants: Sequence[Entrant], names: Sequence[str]) -> tuple[Entrant, ...]:
    """The entrants of these names in this order, as for the best sixteen of a Swiss; they play
    from round 1 of what comes next.
    """
    known = {e.name: e for e in entrants}
    missing = [n for n in names if n not in known]
    if missing:
        raise TournamentError(f"expected players of this event, got {missing[0]}; enter them first")
    return tuple(replace(known[n], joins=1, leaves=None) for n in names)
