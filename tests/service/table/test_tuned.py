"""What an evening taught of a table (`takhte tune`) at the table itself: read by, recorded, and
read by again in the replay.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rules.board import Seating, Side
from rules.observation import Condition, Observation
from rules.position import Position
from rules.ruleset import ruleset
from service.recording.format import Recording, RecordingError
from service.recording.log import TickTaken
from service.session.sight import Corners, Hint, Sight, read_frame
from service.settings import Settings, parse_settings
from service.table import opening
from service.table import world as worlds
from tests.service.tables import CLIP0
from vision.frame import Frame
from vision.sets import Palette
from vision.tune import Tuned

TUNED = Tuned(Palette((180.5, 210.0, 230.0), (40.0, 40.0, 60.0)), 2.125, 9)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    file = tmp_path / "tuned.json"
    file.write_text(TUNED.to_json())
    return parse_settings(f"[table]\ndata = '{tmp_path}'\n[camera]\ntuned = '{file}'\n")


def seen(sight: Sight, hint: Hint) -> tuple[Sight, Observation]:
    """The first picture of the recording that comes with the program, read."""
    _, pixels = next(iter(Recording(CLIP0).pictures()))
    return read_frame(sight, Frame(pixels, 0.0, 1), hint)


def doubt(found: Observation) -> float:
    """The mean, over the sites, of how likely everything but the likeliest is beside it."""
    return float(np.mean([sum(p for _, _, p in s.outcomes) - 1 for s in found.sites]))


def test_a_recording_says_how_its_camera_read(settings: Settings, tmp_path: Path) -> None:
    hung = replace(settings, camera=replace(settings.camera, orientation=0))
    world = worlds.world_of(hung, None)
    writer = opening.recorder_of(hung, tmp_path / "recorded", world)
    assert writer is not None
    writer.take(TickTaken(0.0))
    writer.close()
    told = worlds.told_in(Recording(tmp_path / "recorded").header)
    assert told == world.told == worlds.CameraTold(0, TUNED)
    again, live = worlds.sight_of(told), worlds.sight_of(world.told)
    assert again.palette == live.palette == TUNED.palette
    assert again.networks.temperature == live.networks.temperature == TUNED.temperature
    assert again.orientation == 0


def test_the_table_reads_with_it_until_the_start_teaches_todays_colours(
    settings: Settings,
) -> None:
    corners = worlds.corners_in(Recording(CLIP0).header)
    told = worlds.world_of(settings, None).told
    _, plain = seen(worlds.sight_of(worlds.CameraTold(), corners), Hint(Seating()))
    sight, tuned = seen(worlds.sight_of(told, corners), Hint(Seating()))
    assert plain.condition is tuned.condition is Condition.AT_REST
    assert doubt(tuned) > doubt(plain)
    assert sight.eye is not None and sight.eye.palette == TUNED.palette
    afresh = sight.afresh(Corners(((0, 0), (9, 0), (9, 9), (0, 9)), (10, 10)))
    assert afresh.eye is None and afresh.palette == TUNED.palette
    assert afresh.networks is sight.networks
    start = Position.start(ruleset("backgammon"), Side.WHITE).placement
    sure = Hint(Seating(), start, start)
    sight, _ = seen(worlds.sight_of(told, corners), sure)
    assert sight.eye is not None and sight.eye.palette not in (None, TUNED.palette)


def test_what_cannot_be_read_is_refused_with_the_next_step(
    settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "tuned.json").write_text("{}")
    with pytest.raises(worlds.RefusalError, match=r"takhte tune.*camera\.tuned in the settings"):
        worlds.world_of(settings, None)
    header = replace(Recording(CLIP0).header, tuned="{}")
    with pytest.raises(RecordingError, match="make the recording again"):
        worlds.told_in(header)
