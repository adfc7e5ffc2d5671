"""Borne-off checkers: strips look alike from every side, painted trays are counted, and a place out
of view is no empty place.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.board import OFF, Colour, Seating
from tests.vision.weights import NETWORKS
from vision.checkers import CheckerReading, read_checkers
from vision.frame import Frame
from vision.prediction import Prediction, off_json, predict, prediction_json, prediction_text
from vision.prepared import PreparedMap
from vision.reader import read_picture
from vision.settings import DEFAULT, Thresholds, TraySettings
from vision.synthetic.beside import BesidePlan, BesideScene, paint_beside
from vision.synthetic.look import Look, random_look
from vision.synthetic.truth import DARK, LIGHT
from vision.synthetic.viewpoint import random_camera
from vision.trays import (
    BEYOND,
    COUNTS,
    LENGTHWISE,
    LONG,
    PLACES,
    WIDE,
    TrayReading,
    believed,
    borne_off,
    covered,
    in_view,
    off_reading,
    on_board,
    read_trays,
    spot,
    tray_strips,
)

TRAYS = DEFAULT.trays
OBSERVED = Thresholds(trays=TraySettings(observed=True))
COUNTS_ON_BOARD = {5: (3, 0), 6: (4, 0), 8: (2, 0), 20: (0, 4), 19: (0, 3)}


def look(seed: int) -> Look:
    """A board with a tray at its east whose sets cannot be mistaken for each other."""
    for k in range(400):
        found = random_look(np.random.default_rng(1000 * seed + k))
        if (
            found.tray
            and found.east > found.rail + 1
            and abs(sum(found.light) - sum(found.dark)) > 200
        ):
            return found
    raise AssertionError("no such look in 400")


def board(
    off: tuple[int, int],
    seed: int,
    orientation: int = 0,
    counts: dict[int, tuple[int, int]] | None = None,
) -> BesideScene:
    rng = np.random.default_rng(seed)
    return paint_beside(
        rng,
        COUNTS_ON_BOARD if counts is None else counts,
        BesidePlan(off),
        look=look(seed),
        size=(1280, 960),
        orientation=orientation,
    )


def cut_off_beside(made: BesideScene) -> tuple[Frame, BesideScene]:
    """The picture without what lies to the right of the field."""
    m = made.scene.board_map
    cut = int(m.corners()[:, 0].max()) + 3
    narrow = replace(m, size=(cut, m.size[1]))
    pixels = np.ascontiguousarray(made.scene.frame.pixels[:, :cut])
    return Frame(pixels), replace(made, scene=replace(made.scene, board_map=narrow))


@pytest.mark.parametrize("orientation", [0, 180])
@pytest.mark.parametrize("place", range(4))
def test_every_strip_begins_at_its_outer_end(place: int, orientation: int) -> None:
    """A mark near a corner of the field appears near the strip's outer end and its inner side,
    wherever the camera stands.
    """
    rng = np.random.default_rng(4)
    m = random_camera(rng, random_look(rng), (1280, 960), orientation, oblique=False)
    right, up = PLACES[place]
    upright = m.facing(0)
    x, y = right * (m.width / 2 + 0.5), up * (m.height / 2 - 0.5)
    pixel = upright.project([(x, y, 0.45)])[0]
    row, column = spot(m, place, pixel)
    assert row == pytest.approx((BEYOND + 0.5) * LENGTHWISE, abs=0.01)
    assert 8 < column < 11
    canvas = np.zeros((960, 1280, 3), np.uint8)
    at = np.round(pixel).astype(int)
    canvas[at[1] - 6 : at[1] + 7, at[0] - 6 : at[0] + 7] = 255
    found, within = tray_strips(canvas, PreparedMap(m))
    assert found.shape == (4, LONG, WIDE, 3)
    if within[place][int(row), int(column)]:
        assert found[place][int(row) - 1 : int(row) + 2, int(column)].mean() > 150
        assert sum(int(s.max() > 0) for s in found) == 1


def test_painted_truth_lies_where_it_is_said_to_lie() -> None:
    made = board((6, 9), seed=3)
    classes, m = made.scene.classes, made.scene.board_map
    assert [b.colour for b in made.beside].count(LIGHT) == 6
    hits = 0
    for one in made.beside:
        u, v = (
            m.project(
                [(one.x, one.y, one.z + (0.9 * m.checker / 2 if one.on_edge else m.thickness))]
            )[0]
            .round()
            .astype(int)
        )
        hits += classes[v, u] == one.colour
    assert hits >= 13
    assert {b.colour for b in made.beside} == {LIGHT, DARK}


def test_painted_trays_are_counted() -> None:
    """Boards never trained on, some of whose piles nobody can count: numbers are near, and hardly
    anything false is claimed.
    """
    away, false = [], 0
    for seed in range(16):
        off = ((3 * seed + 1) % 9, (5 * seed + 2) % 11)
        counts = {5: (9 - off[0], 0), 6: (6, 0), 20: (0, 11 - off[1]), 19: (0, 4)}
        made = board(off, 700 + seed, 180 * (seed % 2), {p: c for p, c in counts.items() if any(c)})
        belief = predict(made.scene.frame, made.scene.board_map, NETWORKS)
        if belief.off is not None:
            away += [abs(int(row.argmax()) - n) for row, n in zip(belief.off, off, strict=True)]
        found = off_json(belief.off)
        false += found is not None and (found["light"], found["dark"]) != off
    assert len(away) >= 24
    assert float(np.mean(away)) < 1.5
    assert false <= 1


def test_empty_trays_hold_nothing() -> None:
    for seed in range(6):
        made = board((0, 0), 800 + seed)
        found = off_json(predict(made.scene.frame, made.scene.board_map, NETWORKS).off)
        assert found is None or (found["light"], found["dark"]) == (0, 0)


@pytest.mark.parametrize("seed", range(6))
def test_a_tray_out_of_the_picture_is_not_an_empty_one(seed: int) -> None:
    frame, made = cut_off_beside(board((4, 6), 900 + seed))
    belief = predict(frame, made.scene.board_map, NETWORKS)
    assert belief.off is None
    assert prediction_json(belief)["off"] is None
    assert "off: not seen" in prediction_text(belief, "p")
    assert read_picture(frame, made.scene.board_map, NETWORKS, OBSERVED).at(OFF) is None


def test_off_is_in_an_observation_only_when_asked_for() -> None:
    made = board((2, 5), 31)
    frame, m = made.scene.frame, made.scene.board_map
    assert read_picture(frame, m, NETWORKS).at(OFF) is None
    seen = read_picture(frame, m, NETWORKS, OBSERVED).at(OFF)
    assert seen is not None
    turned = read_picture(frame, m, NETWORKS, OBSERVED, seating=Seating(white=Colour.DARK)).at(OFF)
    assert turned is not None
    light, dark, _ = max(seen.outcomes, key=lambda o: o[2])
    assert dark > light
    assert max(turned.outcomes, key=lambda o: o[2])[:2] == (dark, light)


@given(st.integers(0, 15), st.integers(0, 15), st.floats(1e-6, 1.0))
def test_trays_alone_never_say_much(light: int, dark: int, noise: float) -> None:
    """However sure, the site OFF speaks with two nats at most against any number, and hardly at all
    against more than was seen.
    """
    rows = [np.full(COUNTS, noise * 1e-6) for _ in range(2)]
    rows[0][light] = rows[1][dark] = 1.0
    reading = off_reading((rows[0], rows[1]), Seating(), TRAYS)
    every = [reading.likelihood(w, b) for w in range(COUNTS) for b in range(COUNTS)]
    assert max(every) == pytest.approx(1.0)
    assert min(every) >= TRAYS.floor
    assert reading.likelihood(light, dark) == pytest.approx(1.0)
    if light < 15:
        assert reading.likelihood(light + 1, dark) == pytest.approx(TRAYS.elsewhere)


def reading(seen: tuple[float, ...], light: tuple[int, ...] = (0, 0, 0, 0)) -> TrayReading:
    sure = np.full((4, COUNTS), 1e-4)
    for row, n in zip(sure, light, strict=True):
        row[n] = 1
    none = np.full((4, COUNTS), 1e-4)
    none[:, 0] = 1
    return TrayReading(np.array(seen), sure, none)


def test_both_players_places_must_be_in_view() -> None:
    west, east = (0.99, 0.01, 0.99, 0.01), (0.01, 0.99, 0.01, 0.99)
    assert in_view(reading(east), 0, 1.0, TRAYS)
    assert not in_view(reading(west), 0, 1.0, TRAYS)
    assert in_view(reading(west), 180, 1.0, TRAYS)
    assert not in_view(reading((0.01, 0.99, 0.01, 0.3)), 0, 1.0, TRAYS)
    # Nobody knows which way round the board lies: one side in view is not enough.
    assert not in_view(reading(east), 0, 0.6, TRAYS)
    assert in_view(reading((0.9, 0.9, 0.9, 0.9)), 0, 0.6, TRAYS)


def test_places_are_summed_and_hidden_ones_left_out() -> None:
    light, dark = borne_off(reading((0.9, 0.9, 0.9, 0.9), (0, 4, 3, 0)), 0.8, TRAYS)
    assert (int(light.argmax()), int(dark.argmax())) == (7, 0)
    light, _ = borne_off(reading((0.9, 0.9, 0.1, 0.9), (0, 4, 3, 0)), 0.8, TRAYS)
    assert int(light.argmax()) == 4


@pytest.mark.parametrize("place", range(4))
def test_a_hand_over_a_place_hides_it(place: int) -> None:
    """Cells of the canvas that show a hand beside the field belong to one place alone."""
    cells = np.zeros((5, 24, 36), np.float32)
    right, up = PLACES[place]
    rows = slice(2, 8) if up > 0 else slice(16, 22)
    columns = slice(31, 33) if right > 0 else slice(3, 5)
    cells[3, rows, columns] = 1
    found = CheckerReading(np.ones((24, 31)) / 31, np.zeros(24), np.ones((2, 6)) / 6, 0.5, cells)
    shares = covered(found)
    assert shares[place] > TRAYS.covered
    assert np.delete(shares, place).max() == 0


def test_what_is_missing_on_the_board_is_beside_it() -> None:
    """Seven or eight in the tray, seven on the board: eight."""
    row = np.full(COUNTS, 1e-3)
    row[7:9] = 1.0
    there = np.zeros(COUNTS)
    there[7] = 1.0
    light, _ = believed((row, row), (there, there), False, TRAYS)
    assert int(light.argmax()) == 8
    assert light.sum() == pytest.approx(1)
    light, _ = believed((row, row), (there, there), True, TRAYS)
    assert light[8] < 0.97


def test_numbers_on_the_board() -> None:
    made = board((2, 5), 31)
    belief: Prediction = predict(made.scene.frame, made.scene.board_map, NETWORKS)
    assert belief.off is not None
    found = read_checkers(
        made.scene.frame.pixels,
        PreparedMap(made.scene.board_map),
        NETWORKS.checkers,
        NETWORKS.piles,
    )
    light, dark = on_board(found)
    assert (int(light.argmax()), int(dark.argmax())) == (9, 7)
    assert light.sum() == pytest.approx(1)


def test_sets_whose_colours_are_not_known() -> None:
    """Nothing is certain of colours then, and nothing breaks."""
    made = board((0, 0), 12)
    found = read_trays(
        made.scene.frame.pixels,
        PreparedMap(made.scene.board_map),
        np.zeros((2, 4), np.float32),
        NETWORKS.trays,
    )
    assert np.isfinite(found.light).all()
    assert found.light.max() == pytest.approx(1)
