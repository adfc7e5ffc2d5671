"""Writing .mat so that gnubg replays it with the same actions.

What gnubg's reader wants, each tried against it: the first game is ` Game 1`; no empty name (it
crashes); right-hand cells from column 34; every move by itself, since it checks no legality and
drops a step that no die makes. A blank cell is a turn that did not happen.

A play that was illegal and stood is named in a tag, `; [IllegalPlay "Game 2, Move 19 of NAME"]`.
Where no steps of its dice say what was done, its cell holds the roll alone and rows of the same
side bring the checkers to where they stood; the tag then says `bridged` and our reader takes those
rows back into the play.

What .mat has no words for cuts its game there: a tag `; [Cut "Game 2 after Move 7: ..."]` says why,
and the game's result follows, so that the score and the games after it are right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rules.board import Side
from rules.game import (
    Beavered,
    Corrected,
    Dropped,
    GameAwarded,
    GamePhase,
    MatchAwarded,
    Offered,
    OpeningDice,
    Played,
    ResignOffered,
    Rolled,
    Starts,
    Taken,
)
from rules.judge import judge
from rules.match import Match
from rules.move import write_moves
from rules.notation.errors import CannotCarryError
from rules.notation.mathead import CUT, VARIATIONS, row_name, variation
from rules.notation.record import GameRecord, MatchRecord, games
from rules.notation.steps import as_dice_steps, bridge_of, change_of
from rules.play import Play, plays
from rules.position import Position, PositionError
from rules.ruleset import Ruleset, catalogue
from rules.words import printable

LEFT_WIDTH: Final = 28
Note = tuple[str, str]
"""A tag's key and what it says."""


@dataclass(frozen=True)
class Cell:
    """One half of a row; `note` is what the tag of an illegal play says after its place."""

    side: Side
    text: str
    note: str | None = None


def write_mat(record: MatchRecord) -> str:
    """Raises CannotCarryError for a ruleset that .mat would turn into another game."""
    if variation(record.rules.ruleset) is None:
        raise CannotCarryError(
            f".mat speaks backgammon's numbering, hits and start; {record.rules.ruleset.name} would"
            " be replayed as another game. The JSON form carries it."
        )
    notes: list[Note] = []
    parts = [part for game in games(record) for part in _game(record, game, notes)]
    return (
        "\n".join([*_head(record, notes), f" {record.rules.length} point match", "", *parts]) + "\n"
    )


def _head(record: MatchRecord, notes: list[Note]) -> Iterator[str]:
    rules = record.rules
    said = dict(record.tags)
    said |= {
        # A file's own tags hold the real names where its rows hold what a site calls the players.
        "Player 1": said.get("Player 1") or record.names[Side.WHITE],
        "Player 2": said.get("Player 2") or record.names[Side.BLACK],
        "Variation": _variation(rules.ruleset),
    }
    if rules.ruleset.name not in catalogue():
        said["Ruleset"] = rules.ruleset.name
    if rules.ruleset.has_cube:
        said |= {
            "Crawford": _on(rules.crawford),
            "CubeLimit": str(rules.highest_cube or rules.ruleset.cube_limit),
        }
        if rules.is_money:
            said |= {"Jacoby": _on(rules.jacoby), "Beavers": _on(rules.beavers)}
    for key, value in said.items():
        if key not in ("IllegalPlay", CUT, "MatchAwarded"):
            yield f'; [{_quoted(key)} "{_quoted(value)}"]'
    for action in record.actions:
        if isinstance(action, MatchAwarded):
            yield f'; [MatchAwarded "{row_name(record.names[action.side], action.side.value)}"]'
    for key, where in notes:
        yield f'; [{key} "{_quoted(where)}"]'


def _variation(ruleset: Ruleset) -> str:
    said = variation(ruleset) or ""
    own = ruleset.name in catalogue() and ruleset.name not in VARIATIONS
    return ruleset.name.capitalize() if own else said


def _on(flag: bool) -> str:
    return "On" if flag else "Off"


def _quoted(text: str) -> str:
    return "".join(c if printable(c) and c not in '"[]' else " " for c in text).strip()


def _game(record: MatchRecord, game: GameRecord, notes: list[Note]) -> Iterator[str]:
    left, right = (
        row_name(record.names[Side.WHITE], "Player 1"),
        row_name(record.names[Side.BLACK], "Player 2"),
    )
    score = game.opening.score
    yield f" Game {game.number}"
    # However long the left name, a blank stands before the right one.
    yield f" {left + ' : ' + str(score.white):<{LEFT_WIDTH + 3}} {right} : {score.black}"
    names = {Side.WHITE: left, Side.BLACK: right}
    told, untold = _up_to_trouble(game)
    rows = list(_rows(told))
    for number, _, cells in rows:
        notes.extend(
            ("IllegalPlay", f"Game {game.number}, Move {number} of {names[c.side]}{c.note}")
            for c in cells
            if c.note is not None
        )
    if untold:
        after = f" after Move {rows[-1][0]}" if rows else ""
        notes.append((CUT, f"Game {game.number}{after}: {untold}"))
    yield from _with_result([row for _, row, _ in rows], rows[-1][2] if rows else [], game)
    yield ""


def _with_result(rows: list[str], last: list[Cell], game: GameRecord) -> list[str]:
    """The rows and the result: beside the last row where the right player won and its cell is free
    (gnubg takes a row of its own for another cube action there), else on a row without a number."""
    winner, points = game.gain
    # A game that counts for nobody has no result; the next score says so.
    if winner is None:
        return rows
    over = " and the match" if game.after.winner is winner else ""
    wins = f"Wins {points} point{'s' * (points != 1)}{over}"
    if winner is Side.BLACK and last and last[-1].side is Side.WHITE:
        # After one blank gnubg takes it for a move of the left cell.
        return [*rows[:-1], f"{rows[-1] + ' ':<{LEFT_WIDTH + 5}} {wins}"]
    return [*rows, f"      {'' if winner is Side.WHITE else ' ' * LEFT_WIDTH}{wins}"]


def _rows(cells: list[Cell]) -> Iterator[tuple[int, str, list[Cell]]]:
    """Each row with its number and its cells."""
    number, index = 1, 0
    while index < len(cells):
        left = cells[index] if cells[index].side is Side.WHITE else None
        index += left is not None
        right = cells[index] if index < len(cells) and cells[index].side is Side.BLACK else None
        index += right is not None
        # gnubg looks for the right cell after the left; one blank is enough where the left is long.
        text = f"{left.text if left else '':<{LEFT_WIDTH - 1}} {right.text if right else ''}"
        yield (
            number,
            f"{number:3d}) {text}".rstrip(),
            [cell for cell in (left, right) if cell is not None],
        )
        number += 1


def cuts(text: str) -> list[str]:
    """What a .mat file that was written here says of games that it could not tell whole."""
    start = f'; [{CUT} "'
    return [line[len(start) : -2] for line in text.splitlines() if line.startswith(start)]


def _up_to_trouble(game: GameRecord) -> tuple[list[Cell], str]:
    """The cells of a game up to the first thing that .mat has no words for, and what that was; ""
    where all of it is told.
    """
    told: list[Cell] = []
    try:
        for cell in _cells(game):
            told.append(cell)
    except (CannotCarryError, PositionError) as error:
        return told, str(error)
    return told, ""


def _cells(game: GameRecord) -> Iterator[Cell]:
    idle = False
    for match, action, after in game.steps:
        value = match.game.cube.value
        if isinstance(action, Played):
            was_idle, idle = idle, _is_idle(match, action)
            if was_idle and idle:
                raise CannotCarryError(
                    "twice running nothing was moved though backgammon has a play"
                )
            yield from _turn(match, action)
        elif isinstance(action, Offered):
            yield Cell(action.side, f" Doubles => {value * 2}")
        elif isinstance(action, Beavered):
            yield Cell(action.side, f" Beavers => {value * 4}")
        elif isinstance(action, Taken) and match.game.phase is GamePhase.OFFERED:
            # A beaver is accepted by rolling on.
            yield Cell(action.side, " Takes")
        elif isinstance(action, Dropped) and match.game.phase is GamePhase.BEAVERED:
            # gnubg's reader does not notice that this ends the game, and loses the next one.
            raise CannotCarryError("a beaver was dropped")
        elif isinstance(action, Dropped):
            yield Cell(action.side, " Drops")
        elif (
            isinstance(action, (ResignOffered, GameAwarded, MatchAwarded))
            and match.game.phase is GamePhase.ROLLED
        ):
            assert match.game.side is not None
            yield Cell(match.game.side, f"{match.game.roll}:")
        elif isinstance(action, OpeningDice) and after.game.cube.value != value:
            raise CannotCarryError("an automatic double")
        elif isinstance(action, Corrected) and not _said_elsewhere(action, match, after):
            raise CannotCarryError("the board or the cube was set by hand")
    if game.steps and isinstance(game.steps[-1][1], (OpeningDice, Starts, Rolled)):
        # The record ends before the play.
        last = game.after.game
        if last.roll is not None and last.side is not None:
            yield Cell(last.side, f"{last.roll}:")


def _is_idle(match: Match, action: Played) -> bool:
    """Whether nothing was moved though backgammon's own rules have a play: gnubg takes such a cell
    for a turn that is not over.
    """
    game = match.game
    if action.after != game.placement or game.roll is None or game.side is None:
        return False
    return bool(plays(Position.of(game.placement, catalogue()["backgammon"], game.side), game.roll))


def _said_elsewhere(action: Corrected, match: Match, after: Match) -> bool:
    """Whether a correction changes nothing on the board that a reader of rows could not know."""
    return (
        after.game.placement == match.game.placement
        and after.game.cube == match.game.cube
        and after.rules == match.rules
        and not action.reopen
        and (action.score is None or after.game.phase is GamePhase.OVER)
    )


def _turn(match: Match, action: Played) -> Iterator[Cell]:
    game, side = match.game, action.side
    assert game.roll is not None
    roll, position = str(game.roll), game.position
    verdict = judge(position, game.roll, action.after)
    if isinstance(verdict, Play):
        yield Cell(side, f"{roll}: {write_moves(verdict.moves)}".rstrip())
        return
    change = change_of(position, action.after)
    bridge = None if change is None else bridge_of(position, change)
    steps = None if change is None else as_dice_steps(position, change, game.roll)
    if steps is not None:
        yield Cell(side, f"{roll}: {write_moves(steps)}".rstrip(), "")
    elif bridge is not None:
        yield Cell(side, f"{roll}:", f" bridged {len(bridge)}")
        for die, move in bridge:
            yield Cell(side, f"{die}{die}: {write_moves([move])}")
    else:
        raise CannotCarryError(
            f"a play by {side.value} that stood did what no forward moves of its checkers do"
        )
