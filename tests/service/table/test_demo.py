"""The recording that comes with the program, through the whole house, against what truly happened
in it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rules.board import Placement
from service.journal.store import Reader
from service.recording.format import Recording
from service.referee.state import PlayLine
from service.table.options import DEMO
from service.table.replay import main, play_line, replayed
from tests.service.tables import CLIP0
from tests.service.unchanged import bodies_in, bodies_of, differences

TRUTHS = {DEMO: Path(__file__).resolve().parents[2] / "data/demo.json", CLIP0: CLIP0 / "truth.json"}
WRITTEN = Path(__file__).parent / "data/demo.journal"
"""What was written of it when that was last looked at: the plays, rolls and times of every version,
with how often the board's sensors were at rest since they were read anew.
"""
LET_IN = [(DEMO, True, True), (CLIP0, True, False), (DEMO, False, True)]
"""What is played, and whether its camera and its board are let in."""


def placement(turn: dict[str, Any]) -> Placement:
    return Placement(tuple(turn["placement"]["white"]), tuple(turn["placement"]["black"]))


def right(play: PlayLine, turn: dict[str, Any]) -> bool:
    return (play.side.value, play.placement) == (turn["side"], placement(turn))


@pytest.mark.parametrize(("played", "camera", "board"), LET_IN)
def test_every_play_is_right_whatever_is_let_in(
    played: Path, camera: bool, board: bool, tmp_path: Path
) -> None:
    turns: list[dict[str, Any]] = json.loads(TRUTHS[played].read_text())["turns"]
    end = replayed(Recording(played), tmp_path / "journal", camera=camera, board=board)
    lines = "\n".join(map(play_line, end.match.plays))
    assert len(end.match.plays) == len(turns), lines
    assert all(map(right, end.match.plays, turns)), lines
    for play, turn in zip(end.match.plays, turns, strict=True):
        if play.origin.value in ("read", "inferred"):
            assert play.roll is not None
            assert [play.roll.high, play.roll.low] == turn["roll"], lines
    assert not any(p.infraction for p in end.match.plays)
    if camera and board:
        assert all(p.origin.value in ("read", "inferred") for p in end.match.plays), lines
        with Reader(tmp_path / "journal") as reader:
            now = bodies_of(entry.body for entry in reader.read())
        assert list(differences(bodies_in(WRITTEN), now)) == []
        # chris64 doubled and lasse dropped, on the board's own buttons.
        assert (end.phase.value, end.match.score.black) == ("game-over", 1)
    assert not end.lost, "a recording's own end is no lost camera while it plays"


def test_the_recording_is_whole_and_small() -> None:
    found = Recording(DEMO)
    assert sum(1 for _ in found.pictures()) == len(found.frames)
    assert found.problem is None
    assert 120 < found.length < 150
    assert sum(p.stat().st_size for p in DEMO.iterdir()) < 3_000_000
    assert "lassehjorthmadsen/bglab (MIT licence)" in found.header.about


def test_the_command_prints_the_plays(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main([str(DEMO), "--camera", "none", "--journal", str(tmp_path / "kept.journal")]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].split()[:5] == ["1.1", "white", "41", "24/23", "13/9"]
    assert out[-1] == "13 plays; the table waits in phase game-over"
    assert main([str(DEMO), "--camera", "none", "--journal", str(tmp_path / "kept.journal")]) == 1
    assert main([str(tmp_path)]) == 1


def test_the_same_recording_makes_the_same_journal(tmp_path: Path) -> None:
    heads = []
    for name in ("a", "b"):
        replayed(Recording(CLIP0), tmp_path / name, camera=False)
        with Reader(tmp_path / name) as reader:
            reader.read()
            heads.append(reader.head)
    assert heads[0] == heads[1]
