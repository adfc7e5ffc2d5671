"""gnubg's Position ID and Match ID: a board in 14 letters, a match in 12.

A Position ID is 80 bits, least significant first: the side that is not on roll, then the side on
roll; of each its points 1 to 24 and its bar, a one for each checker and a zero. A Match ID is 67
bits of fields, least significant first. White is gnubg's player 0. Only boards where both sides
number from opposite ends have a Position ID.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import replace
from typing import Final

from rules.axes import Facing
from rules.board import Side
from rules.cube import Cube
from rules.dice import Roll
from rules.game import GamePhase, start_game
from rules.match import Match, MatchRules, Score
from rules.notation.errors import CannotCarryError, NotationError
from rules.position import Position, PositionError
from rules.ruleset import Ruleset, catalogue

PLAYERS: Final = (Side.WHITE, Side.BLACK)
_STATES: Final = ("none", "playing", "over", "resigned", "dropped")
FIELDS: Final = (
    ("cube", 4),
    ("owner", 2),
    ("on_roll", 1),
    ("crawford", 1),
    ("state", 3),
    ("turn", 1),
    ("doubled", 1),
    ("resigned", 2),
    ("die1", 3),
    ("die2", 3),
    ("length", 15),
    ("score0", 15),
    ("score1", 15),
    ("no_jacoby", 1),
)


def write_position_id(position: Position) -> str:
    """Raises CannotCarryError for a ruleset whose sides do not face each other, or more than 15
    checkers.
    """
    if position.ruleset.facing is not Facing.MIRROR or position.ruleset.checkers > 15:
        raise CannotCarryError(
            f"a Position ID speaks of 15 checkers that go opposite ways; {position.ruleset.name}"
            " does not"
        )
    view = position.view
    mine = [*(max(n, 0) for n in view[:24]), view[24]]
    theirs = [*(max(-n, 0) for n in reversed(view[:24])), view[26]]
    bits = shift = 0
    for count in theirs + mine:
        bits |= ((1 << count) - 1) << shift
        shift += count + 1
    return base64.b64encode(bits.to_bytes(10, "little")).decode().rstrip("=")


def read_position_id(
    text: str, ruleset: Ruleset | None = None, side: Side = Side.WHITE
) -> Position:
    """The position, `side` on roll.

    Checkers that are not on the board have been borne off. Raises NotationError.
    """
    rules = catalogue()["backgammon"] if ruleset is None else ruleset
    bits = int.from_bytes(_decoded(text, 14, "Position ID"), "little")
    counts, run, ended = [], 0, 0
    for shift in range(80):
        if bits >> shift & 1:
            run += 1
        else:
            counts.append(run)
            run, ended = 0, shift
        if len(counts) == 50:
            break
    if len(counts) < 50 or bits >> ended:
        raise NotationError(f"{text!r} holds no board: its bits do not end as a Position ID's do")
    theirs, mine = counts[:25], counts[25:]
    total = rules.checkers
    if any(mine[p] and theirs[23 - p] for p in range(24)):
        raise NotationError(f"{text!r} puts both sides on one point")
    pts = tuple(mine[p] - theirs[23 - p] for p in range(24))
    view = (*pts, mine[24], total - sum(mine), theirs[24], total - sum(theirs))
    try:
        return Position(rules, side, view)
    except PositionError as error:
        raise NotationError(f"{text!r}: {error}") from None


def _decoded(text: str, length: int, what: str) -> bytes:
    text = text.strip()
    if len(text) != length:
        raise NotationError(f"a {what} has {length} letters; got {len(text)}")
    try:
        return base64.b64decode(text + "=" * (-length % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise NotationError(f"{text!r} is no {what}: {error}") from None


def write_match_id(match: Match) -> str:
    game = match.game
    side = game.side or Side.WHITE
    decides = side.other if game.phase is GamePhase.OFFERED else side
    resigning = game.resigning
    state = {GamePhase.OVER: 2}.get(game.phase, 1)
    if game.result is not None and game.result.how in ("dropped", "resigned"):
        state = _STATES.index(game.result.how)
    dice = (game.roll.high, game.roll.low) if game.roll is not None else (0, 0)
    said = {
        "cube": game.cube.value.bit_length() - 1,
        "owner": 3 if game.cube.owner is None else PLAYERS.index(game.cube.owner),
        "on_roll": PLAYERS.index(side),
        "crawford": int(game.crawford),
        "state": state,
        "turn": PLAYERS.index(resigning[0].other if resigning else decides),
        "doubled": int(game.phase is GamePhase.OFFERED),
        "resigned": resigning[1] if resigning else 0,
        "die1": dice[0],
        "die2": dice[1],
        "length": match.rules.length,
        "score0": max(0, match.score.white),
        "score1": max(0, match.score.black),
        # gnubg 1.07 keeps it after the scores, set in every match.
        "no_jacoby": int(not match.rules.jacoby),
    }
    bits = shift = 0
    for name, width in FIELDS:
        if said[name] >> width:
            raise CannotCarryError(
                f"a Match ID has {width} bits for {name}; {said[name]} does not fit"
            )
        bits |= said[name] << shift
        shift += width
    return base64.b64encode(bits.to_bytes(9, "little")).decode()


def read_fields(text: str) -> dict[str, int]:
    """The fields of a Match ID as numbers. Raises NotationError."""
    bits = int.from_bytes(_decoded(text, 12, "Match ID"), "little")
    found = {}
    for name, width in FIELDS:
        found[name] = bits & ((1 << width) - 1)
        bits >>= width
    if (
        max(found["die1"], found["die2"]) > 6
        or bool(found["die1"]) != bool(found["die2"])
        or found["state"] >= len(_STATES)
    ):
        raise NotationError(f"{text!r} is no Match ID: its dice or its state cannot be")
    return found


def read_match(position_id: str, match_id: str, rules: MatchRules | None = None) -> Match:
    """The match of a `position:match` pair as gnubg shows them (`GNUBGID`); `rules` says what the
    ids cannot, its length is theirs.
    """
    said = read_fields(match_id)
    side = PLAYERS[said["on_roll"]]
    base = (
        MatchRules.of(catalogue()["backgammon"], said["length"] if said["length"] <= 999 else 999)
        if rules is None
        else rules
    )
    if said["length"] > 999:
        raise NotationError(f"{match_id!r}: a match to {said['length']} points is longer than any")
    base = replace(base, length=said["length"], jacoby=not said["length"] and not said["no_jacoby"])
    position = read_position_id(position_id, base.ruleset, side)
    owner = None if said["owner"] == 3 else PLAYERS[said["owner"] & 1]
    cube = Cube(
        1 << said["cube"],
        owner,
        max(base.highest_cube, 1 << said["cube"]) if base.highest_cube else 0,
        turned=owner is not None,
    )
    phase = (
        GamePhase.OFFERED
        if said["doubled"]
        else GamePhase.ROLLED
        if said["die1"]
        else GamePhase.TO_ROLL
    )
    if said["state"] != 1:
        phase = GamePhase.OVER
    roll = Roll.of(said["die1"], said["die2"]) if phase is GamePhase.ROLLED else None
    game = replace(
        start_game(base.ruleset, cube, 1, bool(said["crawford"]), side),
        placement=position.placement,
        phase=phase,
        roll=roll,
        taken_turns=frozenset(Side),
        resigning=(
            (PLAYERS[said["turn"]].other, said["resigned"])
            if said["resigned"] and phase is not GamePhase.OVER
            else None
        ),
    )
    match = Match(base, game, Score(said["score0"], said["score1"]))
    needs_one = [s for s in Side if match.away(s) == 1]
    return replace(match, crawford_played=bool(needs_one) and not said["crawford"])
