"""Who wins how much: prizes by place, shared by those who share places."""

from __future__ import annotations

from collections.abc import Sequence

from service.tournament.field import TournamentError


def prize_list(pool: int, percent: Sequence[int]) -> tuple[int, ...]:
    """What each place wins of a pool in the smallest coin, by whole percents, the first first.

    Nothing is lost in rounding: what is left of a whole hundred goes one coin each to the places
    that lost most by it.
    """
    if pool < 0 or sum(percent) > 100 or any(p < 0 for p in percent):
        raise TournamentError(
            f"expected a pool of 0 or more and percents up to 100 together, got {pool} and"
            f" {sum(percent)}; correct them"
        )
    exact = [pool * p for p in percent]
    found = [e // 100 for e in exact]
    left = pool * sum(percent) // 100 - sum(found)
    for i in sorted(range(len(exact)), key=lambda i: (-(exact[i] % 100), i))[:left]:
        found[i] += 1
    return tuple(found)


def prizes_shared(prizes: Sequence[int], order: Sequence[Sequence[str]]) -> dict[str, int]:
    """What each player wins: those who finished together share the prizes of their places alike.

    A coin that cannot be halved goes to the first named of them.
    """
    won: dict[str, int] = {}
    place = 0
    for group in order:
        together = sum(prizes[place : place + len(group)])
        for i, name in enumerate(group):
            share = together // len(group) + (i < together % len(group))
            if share:
                won[name] = share
        place += len(group)
    return won
