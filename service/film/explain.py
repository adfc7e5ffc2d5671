"""From what was seen in a film, and what a person says of it, to plays that explain it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rules.board import Colour, Side
from rules.position import Position
from service.film.corrections import Correction, is_corrected, with_corrections
from service.film.kept import FilmRead
from service.film.written import Transcript
from service.reconcile.beam import Beam


def explained(read: FilmRead, corrections: Sequence[Correction] = ()) -> Transcript:
    """The plays that explain best what was seen, and what a person says stood there."""
    stills, throws = with_corrections(read.stills, read.throws, corrections)
    starts = _start_positions(read)
    turns = tuple(
        replace(turn, confidence=1.0)
        if is_corrected(turn.turn.frame, read.stills, corrections)
        else turn
        for turn in Beam(stills, throws, read.presses).read(starts)
    )
    return Transcript(
        read.ruleset,
        read.seating,
        read.start,
        turns,
        len(stills),
        len(throws),
        read.unread,
        read,
    )


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
