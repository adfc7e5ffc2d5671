"""Writing SGF as gnubg reads it back with the same actions, tried against it.

gnubg plays the letters of a move whatever the dice say, so every play that moved one side's
checkers can be written as it was, legal or not; anything else is a set-up node (`AE`, `AW`, `AB`).
A turn without a roll is no node at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rules.board import POINTS, Placement, Side
from rules.game import (
    Beavered,
    Corrected,
    Dropped,
    Game,
    GameAwarded,
    GamePhase,
    MatchAwarded,
    Offered,
    OpeningDice,
    Played,
    ResignOffered,
    Taken,
)
from rules.judge import judge
from rules.match import Match
from rules.notation.errors import CannotCarryError
from rules.notation.mathead import VARIATIONS, row_name, variation
from rules.notation.record import GameRecord, MatchRecord, games
from rules.notation.sgf import OTHER_TAG, letter_of
from rules.notation.steps import change_of
from rules.play import Play
from rules.position import PositionError, absolute_site
from rules.ruleset import Ruleset
from rules.words import printable

LETTER: Final = {Side.WHITE: "W", Side.BLACK: "B"}
_SAID: Final = ("EventDate", "CubeLimit", "Crawford", "Jacoby", "Variation", "Ruleset")
"""Tags whose content properties of their own say."""
_TAGS: Final = {"Event": "EV", "Round": "RO", "Site": "PC", "Transcriber": "AN", "Comment": "GC"}


def write_sgf(record: MatchRecord) -> str:
    """Raises CannotCarryError with the reason for what gnubg's SGF has no words for."""
    variation = _variation(record.rules.ruleset)
    return "".join(_game(record, game, variation) for game in games(record))


def _variation(ruleset: Ruleset) -> str:
    """What RU says of the start, "" for backgammon's.

    Raises CannotCarryError for a game that gnubg would replay as another.
    """
    if (said := variation(ruleset)) is not None:
        return "" if said == VARIATIONS["backgammon"] else said.capitalize()
    raise CannotCarryError(
        f"SGF speaks backgammon's numbering, hits and starts; {ruleset.name} would be replayed as"
        " another game. JSON carries it."
    )


def _escaped(text: str) -> str:
    return (
        "".join(c if printable(c) else " " for c in text)
        .replace("\\", "\\\\")
        .replace("]", "\\]")
        .replace(":", "\\:")
    )


def _game(record: MatchRecord, game: GameRecord, variation: str) -> str:
    opening, rules, score = game.opening, record.rules, game.opening.score
    said = ["Jacoby"] if rules.is_money and rules.jacoby else []
    if not rules.is_money and rules.crawford:
        said = ["Crawford", *(["CrawfordGame"] if opening.game.crawford else [])]
    if variation:
        said.append(variation)
    if rules.cube_limit is not None:
        said.append(f"CubeLimit={rules.cube_limit}")
    if rules.ruleset.has_cube and rules.beavers is not rules.is_money:
        said.append("Beavers=On" if rules.beavers else "Beavers=Off")
    names = {side: _escaped(row_name(record.names[side], LETTER[side])) for side in Side}
    # gnubg cuts a name after so many bytes, within a letter if need be; a long one is whole in a
    # property that it passes over.
    whole = "".join(
        f"{LETTER[s]}N[{_escaped(record.names[s])}]"
        for s in Side
        if _escaped(record.names[s]) != names[s]
    )
    tags = "".join(f"{_TAGS[key]}[{_escaped(value)}]" for key, value in record.tags if key in _TAGS)
    tags += "".join(
        f"{OTHER_TAG}[{_escaped(key.replace(':', ' '))}:{_escaped(value)}]"
        for key, value in record.tags
        if key not in _TAGS and key not in _SAID
    )
    date = dict(record.tags).get("EventDate", "").replace(".", "-")
    root = (
        "(;FF[4]GM[6]CA[UTF-8]AP[takhte:0.1]"
        f"MI[length:{rules.length}][game:{game.number - 1}]"
        f"[ws:{score.white}][bs:{score.black}]"
        f"PW[{names[Side.WHITE]}]PB[{names[Side.BLACK]}]"
        + (f"DT[{_escaped(date)}]" if date else "")
        + whole
        + tags
        + (f"RU[{':'.join(said)}]" if said else "")
        + _result(game)
    )
    return root + "".join(f"\n;{node}" for node in _nodes(game)) + ")\n"


def _result(game: GameRecord) -> str:
    winner, points = game.gain
    result = game.after.game.result
    if winner is None or result is None:
        return ""
    played_out = result.how in ("played", "dropped")
    return f"RE[{LETTER[winner]}+{points}{'' if played_out else 'R'}]"


def _nodes(game: GameRecord) -> Iterator[str]:
    for match, action, after in game.steps:
        if isinstance(action, Played):
            yield from _turn(match, action, after)
        elif isinstance(action, (Offered, Beavered)):
            yield f"{LETTER[action.side]}[double]"
        elif isinstance(action, Taken):
            yield f"{LETTER[action.side]}[take]"
        elif isinstance(action, Dropped):
            yield f"{LETTER[action.side]}[drop]"
        elif isinstance(action, OpeningDice) and after.game.cube != match.game.cube:
            yield f"CV[{after.game.cube.value}]"
        elif isinstance(action, Corrected):
            yield from _correction(match, after)
        if (
            isinstance(action, (ResignOffered, GameAwarded, MatchAwarded))
            and match.game.phase is GamePhase.ROLLED
        ):
            yield _rolled(match.game)
        if isinstance(action, MatchAwarded):
            yield f"MA[{LETTER[action.side]}]C[The match is awarded.]"
    if game.after.game.phase is GamePhase.ROLLED:
        yield _rolled(game.after.game)


def _rolled(game: Game) -> str:
    """A roll that nothing was played with."""
    assert game.side is not None
    return f"PL[{LETTER[game.side]}]DI[{game.roll}]"


def _turn(match: Match, action: Played, after: Match) -> Iterator[str]:
    game, side, letter = match.game, action.side, LETTER[action.side]
    assert game.roll is not None
    try:
        position = game.position
    except PositionError:
        yield f"{letter}[{game.roll}]"
        yield _set_up(action.after, side.other)
        return
    verdict = judge(position, game.roll, action.after)
    pairs: tuple[tuple[int, int], ...] | None
    if isinstance(verdict, Play):
        pairs = tuple((m.source, m.target) for m in verdict.moves)
    else:
        change = change_of(position, action.after)
        pairs = change.pairs if change is not None and len(change.pairs) <= 4 else None
    facing = position.ruleset.facing
    if pairs is None:
        yield f"{letter}[{game.roll}]"
        yield _set_up(action.after, side.other)
        return
    yield (
        f"{letter}[{game.roll}"
        + "".join(letter_of(absolute_site(facing, side, s)) for pair in pairs for s in pair)
        + "]"
    )


def _set_up(placement: Placement, turn: Side) -> str:
    """A node that sets the whole board.

    Raises CannotCarryError for a board with both sides on one point.
    """
    if any(placement.white[p] and placement.black[p] for p in POINTS):
        raise CannotCarryError(
            "gnubg's SGF cannot say both sides on one point; the JSON form carries it"
        )
    text = f"PL[{LETTER[turn]}]AE[a:y]"
    for key, counts in (("AW", placement.white), ("AB", placement.black)):
        stones = "".join(f"[{letter_of(site)}]" * counts[site] for site in (*POINTS, 25))
        text += key + stones if stones else ""
    return text


def _correction(match: Match, after: Match) -> Iterator[str]:
    if after.game.placement != match.game.placement:
        yield _set_up(after.game.placement, after.game.side or Side.WHITE)
    elif after.game.side is not match.game.side and after.game.side is not None:
        yield f"PL[{LETTER[after.game.side]}]"
    if after.game.cube != match.game.cube:
        owner = {Side.WHITE: "w", Side.BLACK: "b", None: "c"}[after.game.cube.owner]
        yield f"CV[{after.game.cube.value}]"
        yield f"CP[{owner}]"
