"""SGF FF[4] GM[6] as gnubg writes it: the tree, and a record from it.

Letters are White's points: `a` is 1 ... `x` 24, `y` the bar, `z` off. `W[31fehe]` plays 3-1 from f
to e and from h to e. Only the main line is read; variations and analysis are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from rules.board import BAR, OFF, Placement, Side, Site
from rules.dice import Roll
from rules.game import Corrected, GamePhase, NextGame
from rules.match import MatchRules
from rules.notation.errors import NotationError, another_match
from rules.notation.record import MatchRecord
from rules.notation.replay import Replay
from rules.notation.sgftree import Node, parse_sgf
from rules.position import absolute_site
from rules.ruleset import Ruleset, catalogue

SIDES: Final[Mapping[str, Side]] = {"W": Side.WHITE, "B": Side.BLACK}
_RESULT: Final = re.compile(r"([WB])\+(\d{1,6})(R?)")


def read_sgf(text: str, *, until_trouble: bool = False, number: int = 1) -> MatchRecord:
    """The match of a gnubg SGF file; `number` says which, where it holds several.

    Raises NotationError with line and column; with `until_trouble` only where the file is no SGF of
    backgammon: else what stands before the trouble is kept, and the last remark says what it was.
    """
    matches = _matches([game for game in parse_sgf(text) if game])
    if not matches:
        raise NotationError("there is no game in this file", 1, 1)
    if not 1 <= number <= len(matches):
        raise NotationError(f"match {number} was asked for, of {len(matches)} in this file")
    games = matches[number - 1]
    replay = _first(games[0][0])
    try:
        for game in games:
            _game(replay, game, first=game is games[0])
    except NotationError as error:
        if not until_trouble:
            raise
        return replay.salvaged(error)
    if number < len(matches):
        another = matches[number][0][0]
        replay.at(another.line, another.column)
        replay.remark(another_match(number))
    return replay.record()


def _matches(games: list[list[Node]]) -> list[list[list[Node]]]:
    """The games of each match, in the order of the file."""
    found: list[list[list[Node]]] = []
    won = False
    for game in games:
        if found and not _begins_another(found[-1][0][0], game[0], won=won):
            found[-1].append(game)
        else:
            found.append([game])
            won = False
        won = won or _RESULT.fullmatch(game[0].one("RE")) is not None
    return found


def _first(root: Node) -> Replay:
    """A match that begins as the root of its first game says."""
    names = {
        side: root.one(f"{letter}N") or root.one(f"P{letter}") or side.value.capitalize()
        for letter, side in SIDES.items()
    }
    return Replay(_rules(root, _match_info(root)), names, _tags(root))


def _begins_another(first: Node, root: Node, *, won: bool) -> bool:
    """Whether a game's root is a match of its own: of another length than the `first` of the match
    before, or back at game 0 and its score, with other players or after a game that was `won`.
    """
    began, info = _match_info(first), _match_info(root)
    if "length" in info and info["length"] != began.get("length"):
        return True
    if info.get("game") != 0 or any(info.get(k, 0) > began.get(k, 0) for k in ("ws", "bs")):
        return False
    return won or any(root.one(key) != first.one(key) for key in ("PW", "PB"))


def _game(replay: Replay, game: list[Node], *, first: bool) -> None:
    root = game[0]
    replay.at(root.line, root.column)
    if root.one("GM", "6") != "6":
        raise replay.fail(f"GM[{root.one('GM')[:10]}] is another game than backgammon, GM[6]")
    info = _match_info(root)
    if not first:
        if replay.match.game.phase is not GamePhase.OVER:
            replay.won(Side.WHITE, 0)
        replay.act(NextGame())
        replay.turns = 0
    replay.score(info.get("ws", 0), info.get("bs", 0))
    crawford = "CrawfordGame" in root.one("RU").split(":")
    if replay.match.game.crawford and not crawford:
        # The file knows better: a record may begin in the middle of a match.
        replay.act(Corrected(crawford_played=True, reason="as recorded"))
    elif crawford and not replay.match.game.crawford:
        replay.remark("the file says that this is the Crawford game; the score does not")
    _play(replay, game)


def _match_info(root: Node) -> dict[str, int]:
    found = {}
    for value in root.properties.get("MI", ()):
        key, _, number = value.partition(":")
        if not re.fullmatch(r"-?\d{1,6}", number):
            raise NotationError(
                f"MI[{value[:30]}] was expected to hold a number", root.line, root.column
            )
        found[key] = int(number)
    return found


def _rules(root: Node, info: Mapping[str, int]) -> MatchRules:
    said = root.one("RU").split(":")
    length = info.get("length", 0)
    ruleset = _variation(said, root)
    limits = (_CUBE_LIMIT.fullmatch(word) for word in said if ruleset.has_cube)
    limit = next((int(found[1]) for found in limits if found), None)
    try:
        if length:
            return MatchRules.of(ruleset, length, crawford="Crawford" in said, cube_limit=limit)
        return MatchRules.of(ruleset, 0, jacoby="Jacoby" in said, cube_limit=limit)
    except ValueError as error:
        raise NotationError(str(error), root.line, root.column) from None


def _variation(said: list[str], root: Node) -> Ruleset:
    for word in said:
        if word.lower() in catalogue():
            return catalogue()[word.lower()]
        if word.lower().startswith("hyper"):
            raise NotationError(f"variation {word} is not played here", root.line, root.column)
    return catalogue()["backgammon"]


_TAGS: Final = {
    "EV": "Event",
    "RO": "Round",
    "PC": "Site",
    "DT": "EventDate",
    "AN": "Transcriber",
    "GC": "Comment",
}


_CUBE_LIMIT: Final = re.compile(r"CubeLimit=(\d{1,7})")
"""A word of RU that is ours alone: gnubg has one limit for every match and passes over it."""
OTHER_TAG: Final = "TG"
"""Property that holds a tag that SGF has no property for, as `KEY:VALUE`; ours alone too."""


def _tags(root: Node) -> tuple[tuple[str, str], ...]:
    own = [(name, root.one(key)) for key, name in _TAGS.items() if root.one(key)]
    others = [value.partition(":") for value in root.properties.get(OTHER_TAG, ())]
    return (*own, *((key, value) for key, colon, value in others if key and colon))


def _play(replay: Replay, game: list[Node]) -> None:
    for node in game:
        replay.at(node.line, node.column)
        properties = node.properties
        for letter, side in SIDES.items():
            for value in properties.get(letter, ()):
                _action(replay, side, value)
        if "AE" in properties or "AW" in properties or "AB" in properties:
            replay.board(_stones(node, replay.match.game.placement), _turn_of(node))
        elif (
            "PL" in properties
            and "DI" not in properties
            and replay.match.game.phase is not GamePhase.OPENING
        ):
            turn = _turn_of(node)
            if turn is not None and turn is not replay.match.game.side:
                replay.act(Corrected(side=turn))
        if {"CV", "CP", "CO"} & set(properties):
            _cube(replay, node)
        if "DI" in properties and replay.match.game.phase in (GamePhase.OPENING, GamePhase.TO_ROLL):
            turn = _turn_of(node) or replay.match.game.side
            if turn is not None:
                replay.roll(turn, _roll(node.one("DI"), node))
    result = _RESULT.fullmatch(game[0].one("RE"))
    if result:
        replay.at(game[0].line, game[0].column)
        replay.won(SIDES[result[1]], int(result[2]))
    awarded = next((node.one("MA") for node in game if "MA" in node.properties), "")
    if awarded in SIDES and not replay.match.is_over:
        replay.awarded(SIDES[awarded])


def _action(replay: Replay, side: Side, value: str) -> None:
    word = value.strip().lower()
    if word == "double":
        replay.offer(side)
    elif word == "take":
        replay.take(side)
    elif word == "drop":
        replay.drop(side)
    elif match := re.fullmatch(r"([1-6])([1-6])((?:[a-z]{2}){0,12})", word):
        replay.roll(side, Roll.of(int(match[1]), int(match[2])))
        facing = replay.match.rules.ruleset.facing
        pairs = []
        for first, second in zip(match[3][::2], match[3][1::2], strict=True):
            pairs.append(
                (
                    absolute_site(facing, side, site_of(first)),
                    absolute_site(facing, side, site_of(second)),
                )
            )
        replay.play(side, pairs)
    else:
        raise replay.fail(
            "a roll with moves such as 31hefe, or double, take or drop was expected, got"
            f" {value[:40]!r}"
        )


def site_of(letter: str) -> Site:
    return {"y": BAR, "z": OFF}.get(letter, ord(letter) - ord("a") + 1)


def letter_of(site: Site) -> str:
    return "y" if site == BAR else "z" if site == OFF else chr(ord("a") + site - 1)


def _turn_of(node: Node) -> Side | None:
    return SIDES.get(node.one("PL").strip().upper()[:1])


def _roll(value: str, node: Node) -> Roll:
    if not re.fullmatch("[1-6]{2}", value):
        raise NotationError(f"DI[{value[:10]}] is no roll", node.line, node.column)
    return Roll.of(int(value[0]), int(value[1]))


def _stones(node: Node, before: Placement) -> Placement:
    """AE empties sites, AW and AB add a checker each; a list may say a range, `a:f`.

    What is on no point and no bar is off.
    """
    counts = {Side.WHITE: list(before.white), Side.BLACK: list(before.black)}
    totals = {side: sum(c) for side, c in counts.items()}
    for value in node.properties.get("AE", ()):
        for site in _range(value, node):
            counts[Side.WHITE][site] = counts[Side.BLACK][site] = 0
    for key, side in (("AW", Side.WHITE), ("AB", Side.BLACK)):
        for value in node.properties.get(key, ()):
            for site in _range(value, node):
                counts[side][site] += 1
    for side, sites in counts.items():
        sites[OFF] = 0
        sites[OFF] = max(0, totals[side] - sum(sites))
    return Placement(tuple(counts[Side.WHITE]), tuple(counts[Side.BLACK]))


def _range(value: str, node: Node) -> list[Site]:
    match = re.fullmatch(r"([a-z])(?::([a-z]))?", value)
    if match is None or (match[2] and match[2] < match[1]):
        raise NotationError(
            f"a site a-z or a range such as a:f was expected, got {value[:20]!r}",
            node.line,
            node.column,
        )
    return [site_of(chr(code)) for code in range(ord(match[1]), ord(match[2] or match[1]) + 1)]


def _cube(replay: Replay, node: Node) -> None:
    cube = replay.match.game.cube
    # The specification calls the owner CO; gnubg reads and writes CP.
    value, owner = node.one("CV"), node.one("CP") or node.one("CO")
    if value:
        if not re.fullmatch(r"\d{1,6}", value) or int(value) < 1 or int(value) & (int(value) - 1):
            raise NotationError(f"CV[{value[:10]}] is no value of a cube", node.line, node.column)
        cube = replace(cube, value=int(value))
    if owner:
        cube = replace(cube, owner={"w": Side.WHITE, "b": Side.BLACK}.get(owner.lower()))
    replay.act(Corrected(cube=cube, reason="the cube as recorded"))
