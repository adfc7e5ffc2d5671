"""What a person says of a film is put among what was seen, and the rest is read again with it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rules.board import Placement, Seating, Side
from rules.dice import ROLLS, Roll
from rules.position import Position
from rules.ruleset import ruleset
from service.film.corrections import Correction, with_corrections
from service.film.errors import FilmError
from service.film.explain import explained
from service.film.kept import FilmRead, keep, load_kept
from service.film.written import Transcript, read_corrections, transcript_json
from service.reconcile.codes import CODES, SITES, codes_of
from service.reconcile.reel import Still, Throw

RULES = ruleset("backgammon")
START = Position.start(RULES, Side.WHITE)
OPENING = [
    (Roll(3, 1), {8: 2, 6: 4, 5: 2}, {}),
    (Roll(4, 2), {}, {21: 2, 17: 2, 19: 4}),
    (Roll(6, 5), {24: 1, 13: 6}, {}),
    (Roll(6, 1), {}, {12: 4, 19: 5}),
]
"""Dice, and what then stands on White's and on Black's points that changed."""


def after(placement: Placement, white: dict[int, int], black: dict[int, int]) -> Placement:
    return Placement(
        tuple(white.get(n, count) for n, count in enumerate(placement.white)),
        tuple(black.get(n, count) for n, count in enumerate(placement.black)),
    )


def shown(number: int, placement: Placement) -> Still:
    """The board at rest, read well."""
    logs = np.full((SITES, CODES), -9.0, np.float32)
    logs[np.arange(SITES), codes_of(placement)] = 0.0
    seen = np.ones(SITES, np.bool_)
    seen[0] = False
    return Still(10 * number, 5.0 * number, 5.0 * number + 2, logs, seen)


def thrown(number: int, roll: Roll) -> Throw:
    rolls = np.full(len(ROLLS), -9.0)
    rolls[ROLLS.index(roll)] = 0.0
    at = 5.0 * number - 2
    return Throw(10 * number - 4, at, at + 1, rolls, 0.95)


def film() -> tuple[FilmRead, list[Placement]]:
    """Four turns read well, and what stood after each."""
    stood, stills, throws = [START.placement], [shown(0, START.placement)], []
    for number, (roll, white, black) in enumerate(OPENING, start=1):
        stood.append(after(stood[-1], white, black))
        stills.append(shown(number, stood[-1]))
        throws.append(thrown(number, roll))
    read = FilmRead(RULES, Seating(), START.placement, False, None, tuple(stills), tuple(throws))
    return read, stood[1:]


def said(transcript: Transcript) -> list[tuple[Roll, Placement]]:
    return [(t.turn.roll, t.turn.play.placement) for t in transcript.turns]


def misread() -> FilmRead:
    """The same with one die of the first throw taken for another, and a checker of it seen on the
    point that this one leads to, from then on.
    """
    read, stood = film()
    wrong = after(stood[0], {8: 3, 6: 3}, {})
    stills = [read.stills[0]]
    for still, true in zip(read.stills[1:], stood, strict=True):
        seen_as = Placement(
            tuple(wrong.white[n] if n in (8, 6) else c for n, c in enumerate(true.white)),
            true.black,
        )
        stills.append(replace(shown(0, seen_as), frame=still.frame, at=still.at, until=still.until))
    throws = (thrown(1, Roll(1, 1)), *read.throws[1:])
    return replace(read, stills=tuple(stills), throws=throws)


def test_a_misread_that_stays_is_put_right_by_one_correction() -> None:
    true, stood = film()
    assert said(explained(true)) == [
        (roll, p) for (roll, *_), p in zip(OPENING, stood, strict=True)
    ]
    read = misread()
    assert said(explained(read)) != said(explained(true))
    put_right = explained(read, [Correction(10, stood[0], Roll(3, 1))])
    assert said(put_right) == said(explained(true))
    assert put_right.turns[0].confidence == 1.0


def test_a_correction_of_what_was_read_right_changes_nothing() -> None:
    read, stood = film()
    for number, placement in enumerate(stood):
        again = explained(read, [Correction(10 * (number + 1), placement, OPENING[number][0])])
        assert said(again) == said(explained(read))


def test_a_site_that_was_touched_since_speaks_for_itself() -> None:
    read, stood = film()
    wrong = after(stood[0], {5: 3, 6: 3}, {})
    stills, _ = with_corrections(read.stills, read.throws, [Correction(10, wrong)])
    assert stills[1].logs.argmax(1).tolist() == codes_of(wrong).tolist()
    # Point 24 changes two turns later, and is as it was read there.
    assert stills[3].logs[24].argmax() == codes_of(stood[2])[24]
    assert stills[0] is read.stills[0]


def test_what_was_seen_is_kept_to_the_bit(tmp_path: Path) -> None:
    read, _ = film()
    keep(read, tmp_path / "reading.npz")
    again = load_kept(tmp_path / "reading.npz")
    assert said(explained(again)) == said(explained(read))
    assert [t.confidence for t in explained(again).turns] == [
        t.confidence for t in explained(read).turns
    ]
    assert all((a.logs == b.logs).all() for a, b in zip(again.stills, read.stills, strict=True))


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"nothing of the kind"])
def test_what_is_no_reading_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "reading.npz").write_bytes(data)
    with pytest.raises(FilmError, match="expected what was seen"):
        load_kept(tmp_path / "reading.npz")


@pytest.mark.parametrize("name", ["logs", "seen", "rolls"])
def test_rows_of_another_shape_are_refused(name: str, tmp_path: Path) -> None:
    keep(film()[0], tmp_path / "reading.npz")
    with np.load(tmp_path / "reading.npz") as data:
        arrays = dict(data)
    arrays[name] = np.zeros((len(arrays[name]), 3))
    np.savez(tmp_path / "reading.npz", **arrays)
    with pytest.raises(FilmError, match=f"{name}: expected"):
        load_kept(tmp_path / "reading.npz")


def test_rows_of_a_transcript_are_corrections(tmp_path: Path) -> None:
    read, stood = film()
    written = transcript_json(explained(read), "film.mp4")
    (tmp_path / "rows.json").write_text(json.dumps(written["plays"][:2]))
    rows = read_corrections(tmp_path / "rows.json")
    assert [(c.roll, c.placement) for c in rows] == [(OPENING[n][0], stood[n]) for n in range(2)]
    (tmp_path / "rows.json").write_text('[{"frame": 1}]')
    with pytest.raises(FilmError, match="rows as in"):
        read_corrections(tmp_path / "rows.json")
