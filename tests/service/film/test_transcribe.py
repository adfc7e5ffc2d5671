"""A film read as a whole: simulated cameras whose games are known, and what is written of them."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from rules.board import Placement, Seating, Side
from rules.dice import Roll
from rules.notation.mat import read_mat
from rules.observation import Observation, Source
from rules.position import Position
from rules.ruleset import ruleset
from service.film.errors import FilmError
from service.film.frames import frames_of
from service.film.stills import stills_and_throws
from service.film.transcribe import main
from service.film.written import (
    SURE,
    Transcript,
    read_presses,
    transcript_json,
    write_transcript,
)
from service.reconcile.beam import Beam
from service.reconcile.reel import ReadTurn
from service.simulate.desk import DeskAnswer
from service.simulate.game import GamePlayed
from service.simulate.habits import PLAYERS
from service.simulate.noise import Sense, pools
from service.simulate.score import TurnPlayed
from service.simulate.tally import Tally


class Tape:
    """A desk that only keeps what the camera said."""

    def __init__(self) -> None:
        self.seen: list[Observation] = []

    def observe(self, observation: Observation, now: float) -> Sequence[DeskAnswer]:
        self.seen.append(observation)
        return ()

    def press(self, side: Side, now: float) -> Sequence[DeskAnswer]:
        return ()

    def answer(self, roll: Roll, placement: Placement, now: float) -> None: ...

    def source(self, source: Source, ok: bool, now: float) -> None: ...

    def waits_for(self, side: Side) -> bool:
        return False

    def resync(self, placement: Placement, on_roll: Side, now: float) -> bool:
        return False


class Filmed(GamePlayed):
    """A game whose turns are known and whose dice are lifted after each."""

    def _end(self, turn: TurnPlayed) -> Placement:
        self.truth.append((turn.position.side, turn.roll, turn.play.view))
        self.table.rest((0.8,))
        self.table.hand()
        self.table.dice.clear()
        self.table.rest((0.5, 0.4))
        return turn.play.placement

    truth: list[tuple[Side, Roll, tuple[int, ...]]]


def film(
    name: str, level: str, seed: int, turns: int
) -> tuple[list[tuple[Side, Roll, tuple[int, ...]]], tuple[ReadTurn, ...]]:
    """The truth, and what was read."""
    rng = random.Random(seed)
    tape = Tape()
    habits = replace(
        PLAYERS["club"], illegal=0.0, bump=0.0, cable=0.0, hit_checker_late=0.0, forgotten_press=0.0
    )
    senses = {Source.CAMERA: Sense(pools()["camera", level], random.Random(seed))}
    game = Filmed(
        ruleset(name), habits, rng, senses, lambda position, now: tape, Tally(), longest=turns
    )
    game.truth = []
    game.play()
    stills, throws = stills_and_throws(tape.seen)
    return game.truth, Beam(stills, throws).read(
        [Position.start(ruleset(name), side) for side in Side]
    )


@pytest.mark.parametrize("name", ["backgammon", "narde", "nard-himly"])
def test_club_films_are_read_turn_by_turn(name: str) -> None:
    played = sure = 0
    for seed in (1, 2, 3):
        truth, read = film(name, "club", seed, 14)
        for t in read:
            if t.confidence >= SURE:
                assert (t.turn.side, t.turn.roll, t.turn.view) in truth
                sure += 1
        played += len(truth)
    assert sure >= 0.9 * played


def test_a_bad_film_is_never_wrong_in_silence() -> None:
    """A film that the camera reads badly: the same misread in twenty stills once outvoted every
    rule, turn after turn.
    """
    for seed in (11, 12):
        truth, read = film("backgammon", "bad", seed, 16)
        wrong = [
            t
            for t in read
            if t.confidence >= SURE and (t.turn.side, t.turn.roll, t.turn.view) not in truth
        ]
        assert not wrong


def test_what_is_written_replays(tmp_path: Path) -> None:
    truth, read = film("backgammon", "good", 5, 10)
    rules = ruleset("backgammon")
    transcript = Transcript(
        rules, Seating(), Position.start(rules, Side.WHITE).placement, read, 0, 0
    )
    written = write_transcript(transcript, "film.mp4", tmp_path)
    data = json.loads((tmp_path / "transcript.json").read_text())
    assert [p["dice"] for p in data["plays"]] == [[r.high, r.low] for _, r, _ in truth]
    assert {"game", "side", "dice", "play", "confidence", "frame", "doubtful"} <= set(
        data["plays"][0]
    )
    assert len(written) == 2
    assert len(
        [a for a in read_mat(written[1].read_text()).actions if type(a).__name__ == "Played"]
    ) == len(truth)
    assert transcript_json(transcript, "film.mp4") == data


def test_mat_is_not_written_where_it_would_be_replayed_as_another_game(tmp_path: Path) -> None:
    _, read = film("narde", "good", 6, 6)
    rules = ruleset("narde")
    assert [
        p.name
        for p in write_transcript(
            Transcript(rules, Seating(), Position.start(rules, Side.WHITE).placement, read, 0, 0),
            "f",
            tmp_path,
        )
    ] == ["transcript.json"]


def pictures(folder: Path, count: int) -> None:
    rng = np.random.default_rng(1)
    for n in range(count):
        cv2.imwrite(str(folder / f"f{n:02}.png"), rng.integers(0, 255, (120, 160, 3), np.uint8))


def test_a_folder_with_times_is_played_by_them(tmp_path: Path) -> None:
    pictures(tmp_path, 3)
    rows = [{"image": f"f{n:02}.png", "t": t} for n, t in ((2, 5.0), (0, 1.0), (1, 1.02))]
    (tmp_path / "clip.json").write_text(json.dumps({"frames": rows}))
    assert [f.seen_at for f in frames_of(tmp_path)] == [1.0, 1.02, 5.0]
    assert [f.seen_at for f in frames_of(tmp_path, every=0.5)] == [1.0, 5.0]


def test_a_folder_without_times_goes_by_name(tmp_path: Path) -> None:
    pictures(tmp_path, 3)
    assert [f.seen_at for f in frames_of(tmp_path)] == [0.0, 0.5, 1.0]


BAD = [
    "[",
    '{"frames": 3}',
    '[{"image": "../f00.png", "t": 1}]',
    '[{"image": "f00.png", "t": true}]',
    '[{"image": "f00.png"}]',
]


@pytest.mark.parametrize("text", BAD)
def test_times_that_make_no_sense_are_refused(text: str, tmp_path: Path) -> None:
    pictures(tmp_path, 1)
    (tmp_path / "clip.json").write_text(text)
    with pytest.raises(FilmError, match="expected"):
        list(frames_of(tmp_path))


def test_a_film_that_is_not_there_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "none.mp4"), "--out", str(tmp_path)]) == 1
    (tmp_path / "empty").mkdir()
    assert main([str(tmp_path / "empty"), "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err.count("\n") == 2


@pytest.mark.parametrize(
    "text", ["1.5\n3\n", "[1.5, 3]", '{"presses": [{"t": 3}, {"t": 1.5}]}', "1.5 light\n3 dark\n"]
)
def test_presses_in_any_form(text: str, tmp_path: Path) -> None:
    (tmp_path / "p").write_text(text)
    assert read_presses(tmp_path / "p") == [1.5, 3.0]
