"""A film read again with more put right is what a first reading of it finds, and begins later."""

from __future__ import annotations

from service.film.again import FilmReader
from service.film.corrections import Correction
from service.film.explain import explained
from service.film.written import Transcript
from tests.service.film.match_film import Script, match_film


def found(transcript: Transcript) -> list[object]:
    return [
        (t.turn.frame, t.turn.side, t.turn.roll, t.turn.view, t.confidence, t.gap)
        for t in transcript.turns
    ]


def test_what_was_read_before_is_taken_up() -> None:
    _, read = match_film((Script(turns=10),), "club", 3)
    reader = FilmReader()
    first = explained(read, reader=reader)
    assert reader.begun == 0 and found(first) == found(explained(read))
    late, later = (
        Correction(one.turn.frame, one.turn.play.placement, one.turn.roll)
        for one in (first.turns[-4], first.turns[-2])
    )
    # The board of a turn before, with another; then it is taken back.
    wrong = Correction(late.frame, first.turns[-5].turn.play.placement)
    begun = []
    for corrections in ([wrong], [wrong, later], [later]):
        again = explained(read, corrections, reader=reader)
        assert found(again) == found(explained(read, corrections))
        begun.append(reader.begun)
    assert min(begun) > 0
