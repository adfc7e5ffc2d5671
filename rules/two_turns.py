"""Which two turns, the mover's and then the opponent's, explain a board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rules.board import Placement
from rules.dice import ROLLS, Roll
from rules.judge import Turn, play_leading_to, rolls_explaining, rolls_moving_to
from rules.play import plays
from rules.position import BAR_AT, Position, View, view_of


def turns_explaining(
    position: Position,
    first_roll: Roll | None,
    after: Placement,
    second_roll: Roll | None = None,
    second_first_turn: bool = False,
) -> tuple[tuple[Turn, Turn], ...]:
    """Every pair of turns, the mover's and then the opponent's, that leaves the board at `after`; a
    roll that is not known may be any.

    `second_first_turn`: the opponent would be on its own first turn of the game.
    """
    return tuple(_pairs(position, first_roll, after, second_roll, second_first_turn))


def is_two_turns(position: Position, after: Placement) -> bool:
    """Whether two turns, the mover's and then the opponent's, of any rolls leave the board so."""
    return any(True for _ in _pairs(position, None, after, None, False))


def _pairs(
    position: Position,
    first_roll: Roll | None,
    after: Placement,
    second_roll: Roll | None,
    second_first_turn: bool,
) -> Iterator[tuple[Turn, Turn]]:
    """See `turns_explaining`; found one by one."""
    view = view_of(after, position.ruleset.facing, position.side)
    if view is None:
        return
    rolls: Iterable[Roll] = ROLLS if first_roll is None else (first_roll,)
    if not view[BAR_AT]:
        # Nobody was hit: the mover's checkers stand as its own turn left them.
        rolls = rolls_moving_to(position, rolls, view)
    for roll in rolls:
        # The second turn moves none of the first mover's checkers but those it hits.
        for play in plays(position, roll).where(lambda made: _only_hit(made, view)):
            middle = position.after(play.view, second_first_turn)
            if middle.is_over:
                continue
            if second_roll is None:
                seconds = rolls_explaining(middle, after)
            else:
                second = play_leading_to(plays(middle, second_roll), after)
                seconds = () if second is None else ((second_roll, second),)
            yield from (((roll, play), turn) for turn in seconds)


def _only_hit(before: View, after: View) -> bool:
    """Whether the mover's checkers changed only as the opponent's hits change them."""
    hits = 0
    for was, now in zip(before[:24], after[:24], strict=True):
        if was > 0 and max(now, 0) != was:
            if was != 1:
                return False
            hits += 1
        elif was <= 0 < now:
            return False
    return after[24] == before[24] + hits and after[25] == before[25]
