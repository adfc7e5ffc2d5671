"""A second reading of the rulesets, slow and obvious, sharing nothing with `rules.play`: lists of
counts, every order of the dice, no shortcuts. It takes the axes as plain words."""

from __future__ import annotations

import random
from typing import Any

DEFAULTS: dict[str, dict[str, Any]] = {
    "backgammon": {},
    "nackgammon": {},
    "nard": {},
    "nard-himly": {"doubles": 2, "higher_die": False, "bearoff": "exact"},
    "nard-bozorgmehr": {"doubles": 2, "higher_die": False},
    "narde": {
        "facing": "rotate",
        "landing": "claim",
        "head.limit": 1,
        "prime.length": 6,
        "head_point": 24,
    },
}
BASE: dict[str, Any] = {
    "facing": "mirror",
    "landing": "hit",
    "entry": "open",
    "contact": "each_die",
    "doubles": 4,
    "higher_die": True,
    "bearoff": "standard",
    "mandatory_hit": False,
    "head.limit": 0,
    "head.first_turn": "any",
    "head_point": 24,
    "prime.length": 0,
    "prime.checked": "each_step",
    "prime.needs_opponent_ahead": 1,
    "first_move_triple": "allowed",
}


class State:
    """Own and opposing checkers by the mover's point, 25 the mover's bar, 0 off; how many left the
    head.
    """

    def __init__(self, own: list[int], opp: list[int], obar: int, ooff: int, left: int = 0) -> None:
        self.own, self.opp, self.obar, self.ooff, self.left = own, opp, obar, ooff, left

    def copy(self) -> State:
        return State(self.own[:], self.opp[:], self.obar, self.ooff, self.left)


def step(axes: dict[str, Any], s: State, source: int, die: int) -> State | None:
    """The state after one checker moved by one die, None where that is against the rules."""
    if not s.own[source]:
        return None
    if s.own[25] and source != 25:
        return None
    target = source - die
    if target <= 0:
        if any(s.own[p] for p in range(7, 26)):
            return None
        if target < 0 and (
            axes["bearoff"] == "exact" or any(s.own[p] for p in range(source + 1, 7))
        ):
            return None
        target = 0
    else:
        against = s.opp[target]
        if against >= (1 if axes["landing"] == "claim" else 2):
            return None
        if source == 25:
            if axes["entry"] == "empty" and (against or s.own[target]):
                return None
            if axes["entry"] == "no_stack" and (against >= 2 or s.own[target] >= 2):
                return None
    after = s.copy()
    after.own[source] -= 1
    after.own[target] += 1
    if target and after.opp[target] == 1 and axes["contact"] == "each_die":
        after.opp[target] = 0
        after.obar += 1
    if axes["head.limit"] and source == axes["head_point"]:
        after.left += 1
        if after.left > axes["may_leave"]:
            return None
    if axes["prime.length"] and axes["prime.checked"] == "each_step" and bad_prime(axes, after):
        return None
    return after


def bad_prime(axes: dict[str, Any], s: State) -> bool:
    """Walk the opponent's way from its 24 to its 1 and look at each whole run of the mover's
    points. A checker touched counts as hit.
    """
    hit = [p for p in range(1, 25) if s.own[p] and s.opp[p]]
    s = s.copy()
    for p in hit:
        s.opp[p] = 0

    def mine(q: int) -> int:
        return 25 - q if axes["facing"] == "mirror" else (q + 12 if q <= 12 else q - 12)

    q = 24
    while q >= 1:
        if not s.own[mine(q)]:
            q -= 1
            continue
        end = q
        while end >= 1 and s.own[mine(end)]:
            end -= 1
        # The run is q, q-1, ..., end+1.
        if q - end >= axes["prime.length"]:
            ahead = s.ooff + sum(s.opp[mine(p)] for p in range(1, end + 1))
            if ahead < axes["prime.needs_opponent_ahead"]:
                return True
        q = end
    return False


def finished(axes: dict[str, Any], s: State) -> tuple[int, ...]:
    """The view at the end of the turn; contact at the end of the turn hits now."""
    s = s.copy()
    if axes["contact"] == "turn_end":
        for p in range(1, 25):
            if s.own[p] and s.opp[p]:
                assert s.opp[p] == 1
                s.opp[p] = 0
                s.obar += 1
    return (*(s.own[p] - s.opp[p] for p in range(1, 25)), s.own[25], s.own[0], s.obar, s.ooff)


def successors(
    name: str,
    options: dict[str, Any],
    view: tuple[int, ...],
    dice: tuple[int, int],
    first_turn: bool,
) -> set[tuple[int, ...]]:
    axes = {**BASE, **DEFAULTS[name], **options}
    a, b = dice
    if axes["head.limit"]:
        two = first_turn and (
            axes["head.first_turn"] == "any"
            or (axes["head.first_turn"] == "33_44_66" and a == b and a in (3, 4, 6))
        )
        axes["may_leave"] = max(2, axes["head.limit"]) if two else axes["head.limit"]
    own = [view[25], *(max(n, 0) for n in view[:24]), view[24]]
    opp = [0, *(max(-n, 0) for n in view[:24]), 0]
    begin = State(own, opp, view[26], view[27])
    ends: list[tuple[tuple[int, ...], tuple[int, ...]]] = []

    seen: set[tuple[Any, ...]] = set()

    def go(s: State, left: tuple[int, ...], used: tuple[int, ...]) -> None:
        key = (tuple(s.own), tuple(s.opp), s.obar, s.left, left)
        if key in seen:
            return
        seen.add(key)
        if used and not (
            axes["prime.length"] and axes["prime.checked"] == "end_of_turn" and bad_prime(axes, s)
        ):
            ends.append((used, finished(axes, s)))
        for die in set(left):
            rest = list(left)
            rest.remove(die)
            for source in range(1, 26):
                after = step(axes, s, source, die)
                if after is not None:
                    go(after, tuple(rest), (*used, die))

    go(begin, (a,) * axes["doubles"] if a == b else (a, b), ())
    if not ends:
        return {tuple(view)}
    most = max(len(used) for used, _ in ends)
    best = [(used, end) for used, end in ends if len(used) == most]
    if most == 1 and a != b and axes["higher_die"]:
        high = [(used, end) for used, end in best if used == (max(a, b),)]
        best = high or best
    results = {end for _, end in best}
    if first_turn and axes["first_move_triple"] == "avoid":
        results = {
            r for r in results if not any(r[i] >= 3 and view[i] < 3 for i in range(24))
        } or results
    if axes["mandatory_hit"]:
        results = {r for r in results if r[26] > view[26]} or results
    return results


def scattered(rng: random.Random, landing: str, checkers: int = 15) -> tuple[int, ...]:
    """A random view, reachable or not: crowded, empty, bearing off, on the bar."""
    pts = [0] * 24
    bar = off = obar = ooff = 0
    style = rng.choice(["any", "home", "late", "bar", "walls"])
    if style in ("home", "late"):
        off = rng.randint(0, checkers - 1) if style == "late" else rng.randint(0, 5)
        ooff = rng.randint(0, checkers - 1) if rng.random() < 0.5 else 0
    if landing == "hit" and style == "bar":
        bar, obar = rng.randint(1, 4), rng.choice([0, 0, 1, 2])
    mine = rng.sample(range(6 if style in ("home", "late") else 24), rng.randint(1, 6))
    if style == "walls":
        low = rng.randint(0, 17)
        mine = [p % 24 for p in range(low, low + rng.randint(5, 7))]
    if style == "late" and rng.random() < 0.4:
        mine.append(rng.randint(6, 23))
    for _ in range(checkers - bar - off):
        pts[rng.choice(mine)] += 1
    free = [p for p in range(24) if not pts[p]]
    theirs = rng.sample(free, min(len(free), rng.randint(1, 12)))
    for _ in range(checkers - obar - ooff):
        pts[rng.choice(theirs)] -= 1
    return (*pts, bar, off, obar, ooff)
