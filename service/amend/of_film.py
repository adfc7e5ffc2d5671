"""The transcript of a film as the desk begins with it: what a person said of plays is put among
what was seen, and the film is explained anew with it. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from rules import game as do
from rules.board import Placement, Side
from rules.dice import ROLLS
from rules.match import Match, MatchRules
from service.amend.edits import PlayGone, PlayMissed, PlaySaid, Said
from service.amend.recorded import Doubt, RecordedMatch, RecordedTurn
from service.film.again import FilmReader
from service.film.corrections import Correction
from service.film.explain import explained
from service.film.games import CubeAct, GameRead, cube_actions, given_up
from service.film.kept import FilmRead
from service.film.written import SURE, Transcript
from service.reconcile.arrays import Logs
from service.reconcile.codes import CODES, SITES, codes_of
from service.reconcile.reel import ReadTurn, Still, Throw

_NEVER: Final = -40.0
"""Log-likelihood of what a person says was not so."""
_BEFORE: Final = 1e-3
"""Seconds by which what a film does not show came before what it shows next."""


class FilmOnDesk:
    """A film that is read again and again with more said of it: what comes before the newest saying
    is not read again.
    """

    def __init__(self, read: FilmRead) -> None:
        self._read, self._reader = read, FilmReader()

    def match(self, said: Iterable[Said]) -> RecordedMatch:
        """The match with what was said of it."""
        return match_of_film(self._read, said, self._reader)


def match_of_film(
    read: FilmRead, said: Iterable[Said], reader: FilmReader | None = None
) -> RecordedMatch:
    """The match that explains the film best, with what a person said stood there; `reader`: who
    read this film before.

    The light side is White's. Marks are frames: of a play the one that first showed it.
    """
    every = tuple(said)
    corrections = []
    for one in every:
        if isinstance(one, PlaySaid):
            corrections.append(Correction(one.mark, one.placement, one.roll))
        elif isinstance(one, PlayGone):
            corrections.append(Correction(one.mark, one.before))
    # Of two sayings of one frame the later holds.
    kept = {one.frame: one for one in corrections}
    found = explained(_with_missed(read, every), tuple(kept.values()), reader=reader)
    return RecordedMatch(
        found.rules,
        {Side.WHITE: "light", Side.BLACK: "dark"},
        _turns(found, read.start),
        tags=(("Transcriber", "takhte"),),
        doubts={one.turn.frame: _doubt(one, read) for one in found.turns},
        between=dict(_unsure(found)),
        sure=SURE,
        seating=read.seating,
    )


def _with_missed(read: FilmRead, said: tuple[Said, ...]) -> FilmRead:
    """What was seen, with a still and a throw for each play that no still showed."""
    stills, throws = list(read.stills), list(read.throws)
    for one in said:
        if not isinstance(one, PlayMissed):
            continue
        # Just before what shows the next play: until then the board may have been read wrongly.
        upto = one.mark + 1 if one.upto is None else one.upto
        after = next((n for n, s in enumerate(stills) if s.frame >= upto), len(stills))
        if after < len(stills):
            frame, at = stills[after].frame - 1, stills[after].at - _BEFORE
        else:
            frame, at = stills[-1].frame + 1, stills[-1].until + _BEFORE
        logs: Logs = np.full((SITES, CODES), _NEVER, np.float32)
        logs[np.arange(SITES), codes_of(one.placement)] = 0.0
        stills.insert(after, Still(frame, at, at, logs, np.ones(SITES, np.bool_)))
        rolls = np.full(len(ROLLS), _NEVER)
        rolls[ROLLS.index(one.roll)] = 0.0
        throws.append(Throw(frame, at, at, rolls, 1.0))
    throws.sort(key=lambda throw: throw.at)
    return replace(read, stills=tuple(stills), throws=tuple(throws))


def _turns(found: Transcript, start: Placement) -> tuple[RecordedTurn, ...]:
    """The turns of the film, with what was done with the cube and how games ended between them."""
    games = {game.number: game for game in found.games}
    turns: list[RecordedTurn] = []
    number, made, stood = 0, 0, start
    for one in found.turns:
        turn = one.turn
        dice: list[do.Action] = []
        before = turn.position.placement
        if turn.game != number:
            if turns:
                _add(turns, *_ended(games.get(number), made, found.rules), do.NextGame())
            number, made = turn.game, 0
            dice.append(do.Starts(turn.side))
        else:
            if number in games:
                _add(turns, *cube_actions(games[number], made))
            if before != stood:
                dice.append(do.Corrected(after=before, side=turn.side, undo_roll=True))
        dice.append(do.Rolled(turn.side, turn.roll))
        stood, made = turn.play.placement, made + 1
        turns.append(RecordedTurn(turn.frame, turn.side, turn.roll, stood, dice=tuple(dice)))
    if turns:
        _add(turns, *_ended(games.get(number), made, found.rules))
    return tuple(turns)


def _add(turns: list[RecordedTurn], *actions: do.Action) -> None:
    """Nothing; these were done after the last turn so far."""
    if turns:
        turns[-1] = replace(turns[-1], between=(*turns[-1].between, *actions))


def _ended(game: GameRead | None, made: int, rules: MatchRules) -> tuple[do.Action, ...]:
    """What was done after a game's last turn."""
    if game is None:
        return ()
    match = Match.start(rules, {})
    value = max((act.value for act in game.cube if act.act is CubeAct.TAKE), default=1)
    cube = replace(match.game.cube, value=value)
    match = replace(match, game=replace(match.game, cube=cube))
    return (*cube_actions(game, made), *given_up(game, match))


def _unsure(found: Transcript) -> Iterator[tuple[int, str]]:
    """The marks after which a cube or an end of a game is doubtful, with the code."""
    for game in found.games:
        own = [one.turn.frame for one in found.turns if one.turn.game == game.number]
        if game.how == "resigned" and game.confidence < SURE:
            yield own[-1], "end_unsure"
        for act in game.cube:
            if act.confidence < SURE:
                yield own[min(act.after, len(own)) - 1], "cube_unsure"


def _doubt(one: ReadTurn, read: FilmRead) -> Doubt:
    turn = one.turn
    why = ("dice_unread",) if turn.throw is None else ()
    return Doubt(one.confidence, why, _pictures(turn.frame, read), turn.at)


def _pictures(frame: int, read: FilmRead) -> tuple[str, str]:
    """The frames of the still before this one, and of its own."""
    shown = [read.stills[0].frame] * 2
    shown += [still.frame for still in read.stills if still.frame <= frame]
    return str(shown[-2]), str(shown[-1])
