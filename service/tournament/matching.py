"""Everybody with somebody, at the least cost: the one place that knows a library for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import networkx as nx

P = TypeVar("P")
S = TypeVar("S")


def cheapest_pairs(costs: Mapping[tuple[int, int], int]) -> tuple[tuple[int, int], ...]:
    """Pairs that together hold as many numbers as can be, at the least sum of costs.

    Costs are whole numbers of any size, so that what matters more can outweigh all that matters
    less. The same costs give the same pairs.
    """
    dearest = max(costs.values(), default=0)
    graph: nx.Graph[int] = nx.Graph()
    graph.add_weighted_edges_from((a, b, dearest - cost) for (a, b), cost in sorted(costs.items()))
    found = nx.max_weight_matching(graph, maxcardinality=True)
    return tuple(sorted((min(pair), max(pair)) for pair in found))


def assigned(
    players: Sequence[P], slots: Sequence[S], cost: Callable[[P, S], int]
) -> tuple[S, ...]:
    """The slot of each player, at the least sum of costs; there are as many slots or more.

    Costs are no less than 0, so that an order that costs nothing is taken as it is.
    """
    as_they_are = tuple(slots[: len(players)])
    if not any(cost(player, slot) for player, slot in zip(players, as_they_are, strict=True)):
        return as_they_are
    many = len(players)
    costs = {
        (i, many + j): cost(player, slot)
        for i, player in enumerate(players)
        for j, slot in enumerate(slots)
    }
    return tuple(slots[there - many] for _, there in cheapest_pairs(costs))
