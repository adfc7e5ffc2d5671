"""From what was seen in a film, and what a person says of it, to plays that explain it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from rules.board import Colour, Side
from rules.match import MatchRules
from rules.position import Position
from service.film.again import FilmReader
from service.film.corrections import Correction, is_corrected, with_corrections
from service.film.games import GameSaid, read_games
from service.film.kept import FilmRead
from service.film.last_dance import with_last_dance
from service.film.unread import unexplained
from service.film.written import Transcript
from service.reconcile.reel import Costs, ReadTurn, Throw

_FILMED: Final = Costs(set_up=9.0)


def explained(
    read: FilmRead,
    corrections: Sequence[Correction] = (),
    ends: Mapping[int, GameSaid] | None = None,
    reader: FilmReader | None = None,
) -> Transcript:
    """The plays that explain best what was seen, and what a person says stood there; `ends`: who a
    person says won each game; `reader`: who read this film before.
    """
    reader = FilmReader() if reader is None else reader
    stills, throws = with_corrections(read.stills, read.throws, corrections)
    starts = _start_positions(read)
    turns = tuple(
        replace(turn, confidence=1.0)
        if is_corrected(turn.turn.frame, read.stills, corrections)
        else turn
        for turn in _danced_when_thrown(
            reader.read(stills, throws, read.presses, _FILMED, starts), throws
        )
    )
    rules = MatchRules.of(read.ruleset, read.length)
    turns = with_last_dance(turns, throws)
    games = read_games(turns, read.cubes, rules, ends, throws)
    # After a game that ended checkers may be put away.
    goes_on = not games or games[-1].how == "open"
    last = turns[-1].turn.frame if turns else stills[0].frame if stills else 0
    return Transcript(
        read.ruleset,
        read.seating,
        read.start,
        turns,
        len(stills),
        len(throws),
        (*read.unread, *unexplained(stills, last)) if goes_on else read.unread,
        read,
        games,
    )


def _danced_when_thrown(turns: Iterable[ReadTurn], throws: Sequence[Throw]) -> Iterator[ReadTurn]:
    """The turns; one in which nothing moved was over when its dice lay there, whatever still it was
    told from: a double that follows comes after it.
    """
    for read in turns:
        turn = read.turn
        if turn.throw is not None and turn.play.placement == turn.position.placement:
            thrown = throws[turn.throw]
            turn = replace(turn, frame=thrown.frame, at=min(turn.at, thrown.at))
        yield replace(read, turn=turn)


def _start_positions(read: FilmRead) -> list[Position]:
    """The positions that the film may begin with, one for each side that may be on roll."""
    sides = (
        list(Side)
        if read.on_roll is None
        else [Side.WHITE if read.on_roll is Colour.LIGHT else Side.BLACK]
    )
    if not read.given:
        return [Position.start(read.ruleset, side) for side in sides]
    return [Position.of(read.start, read.ruleset, side) for side in sides]
