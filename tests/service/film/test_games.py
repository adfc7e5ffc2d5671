"""The cube, the games and the score of a film: three games before a simulated camera."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rules.board import Side
from rules.dice import ROLLS
from rules.game import Dropped, Offered, ResignAccepted, Taken
from rules.notation.mat import read_mat
from rules.observation import Condition, CubeOwner, CubeReading, Observation, Source
from service.film.cubes import CubeWatcher
from service.film.explain import explained
from service.film.games import GameSaid
from service.film.kept import FilmRead, keep, load_kept
from service.film.written import (
    SURE,
    Transcript,
    read_ends,
    record,
    told_game,
    transcript_json,
    write_transcript,
)
from service.reconcile.reel import Throw
from tests.service.film.match_film import Script, Told, match_film

SCRIPTS = (
    Script(takes=(5,), drops=True, turns=10),
    Script(turns=8),
    Script(takes=(3,), turns=10),
)


@pytest.fixture(scope="module", params=[("good", 1), ("club", 2)])
def film(request: pytest.FixtureRequest) -> tuple[Told, FilmRead, Transcript]:
    told, read = match_film(SCRIPTS, *request.param)
    return told, read, explained(read)


def acts(transcript: Transcript) -> list[tuple[int, int, Side, str]]:
    return [(a.game, a.after, a.side, a.act.value) for g in transcript.games for a in g.cube]


def test_every_turn_of_every_game_is_read(film: tuple[Told, FilmRead, Transcript]) -> None:
    told, _, found = film
    for number, turns in enumerate(told.turns, start=1):
        said = [t.turn for t in found.turns if t.turn.game == number]
        assert [(t.side, t.roll, t.view) for t in said] == turns
    assert found.unread == ()


def test_the_cube_is_read(film: tuple[Told, FilmRead, Transcript]) -> None:
    told, _, found = film
    assert acts(found) == told.cube
    dropper = told.turns[0][-1][0]
    dropped, given_up, cut_off = found.games
    assert (dropped.how, dropped.winner, dropped.points) == ("dropped", dropper.other, 2)
    assert (given_up.how, given_up.points) == ("resigned", 1)
    assert given_up.confidence < SURE, "nothing shows who gave the game up"
    assert (cut_off.how, cut_off.winner) == ("open", None)
    assert sum(cut_off.score) == 3


def test_what_is_written_replays(film: tuple[Told, FilmRead, Transcript], tmp_path: Path) -> None:
    told, _, found = film
    done = [type(a) for a in record(found).actions]
    assert [done.count(t) for t in (Offered, Taken, Dropped, ResignAccepted)] == [3, 2, 1, 1]
    record(found).final()
    written = write_transcript(found, "film.mp4", tmp_path)
    read = read_mat((tmp_path / "transcript.mat").read_text())
    assert len(written) == 3
    assert [type(a) for a in read.actions].count(Taken) == 2
    data = transcript_json(found, "film.mp4")
    assert [(c["game"], c["after_plays"], c["action"]) for c in data["cube"]] == [
        (game, after, act) for game, after, _, act in told.cube
    ]
    assert [g["how"] for g in data["games"]] == ["dropped", "resigned", "open"]
    assert data["games"][1]["doubtful"]
    assert "doubtful" in told_game(found.games[1], found.seating)


def test_who_won_is_put_right_by_a_person(
    film: tuple[Told, FilmRead, Transcript], tmp_path: Path
) -> None:
    _, read, found = film
    loser = found.games[1].winner
    assert loser is not None
    again = explained(read, ends={2: GameSaid(loser.other, 2)})
    assert (again.games[1].winner, again.games[1].points) == (loser.other, 2)
    assert again.games[1].confidence == 1.0
    record(again).final()
    data = json.loads(json.dumps(transcript_json(again, "film.mp4")))
    (tmp_path / "rows.json").write_text(json.dumps(data))
    assert read_ends(tmp_path / "rows.json")[2] == GameSaid(loser.other, 2)


def test_the_cube_is_kept_with_what_was_seen(
    film: tuple[Told, FilmRead, Transcript], tmp_path: Path
) -> None:
    _, read, found = film
    keep(read, tmp_path / "reading.npz")
    assert acts(explained(load_kept(tmp_path / "reading.npz"))) == acts(found)


def test_a_cube_whose_face_nobody_reads_is_told_by_where_it_lies() -> None:
    told, read = match_film(SCRIPTS, "good", 3, blurred=1.0)
    found = explained(read)
    assert acts(found) == told.cube
    assert found.games[0].how == "dropped"


def test_a_throw_that_no_turn_used_leaves_open_who_turned_the_cube(
    film: tuple[Told, FilmRead, Transcript],
) -> None:
    """It may have been a dance, and then the other side doubled."""
    _, read, found = film
    drop = found.games[0].cube[-1]
    last = max(t.turn.at for t in found.turns if t.turn.game == 1)
    thrown = Throw(drop.frame, last + 0.1, drop.at - 0.1, np.zeros(len(ROLLS)), 0.7)
    throws = sorted((*read.throws, thrown), key=lambda throw: throw.at)
    again = explained(replace(read, throws=tuple(throws)))
    assert drop.confidence > SURE > 0.31 > again.games[0].cube[-1].confidence


def test_the_cube_of_a_reading_kept_before_lay_nowhere_on_the_field(
    film: tuple[Told, FilmRead, Transcript], tmp_path: Path
) -> None:
    _, read, _ = film
    old = replace(read, cubes=tuple(replace(lie, place=lie.place[:3]) for lie in read.cubes))
    keep(old, tmp_path / "reading.npz")
    assert [lie.place for lie in load_kept(tmp_path / "reading.npz").cubes] == [
        (*lie.place[:3], lie.place[0]) for lie in read.cubes
    ]


def test_no_cube_is_offered_in_the_crawford_game() -> None:
    """The first game of a match to three leaves the winner one away: the second is Crawford's, and
    what looks like a double there is none.
    """
    _, read = match_film((*SCRIPTS[:1], *SCRIPTS[2:]), "good", 1)
    first, second = explained(replace(read, length=3)).games
    assert max(first.score) == 2
    assert second.cube == ()
    assert explained(read).games[1].cube


def cube_at(at: float, face: int, place: CubeOwner, number: int) -> Observation:
    reading = CubeReading({face: 0.9, 16: 0.1}, {place: 1.0})
    return Observation(Source.CAMERA, at, number, Condition.AT_REST, cube=reading)


def test_one_reading_of_a_die_as_the_cube_moves_nothing() -> None:
    watcher = CubeWatcher()
    for n in range(12):
        watcher.feed(cube_at(float(n), 2 if n == 6 else 64, CubeOwner.CENTRE, n))
    assert len(watcher.finish()) == 1


def test_a_still_picture_is_one_reading() -> None:
    watcher = CubeWatcher()
    watcher.feed(cube_at(0.0, 64, CubeOwner.CENTRE, 0))
    wrong = cube_at(1.0, 2, CubeOwner.WHITE, 1)
    for n in range(9):
        watcher.feed(Observation(Source.CAMERA, 1 + n / 10, n, cube=wrong.cube))
    assert not watcher.made
    watcher.feed(Observation(Source.CAMERA, 2.5, 9, cube=wrong.cube))
    assert watcher.made
