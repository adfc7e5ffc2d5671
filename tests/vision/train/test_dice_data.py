"""Training data for the dice reader: what is painted is where and what the labels say."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.arrays import F64
from vision.dice.crops import CROP, local_frame
from vision.dice.find import FOLD, STRIDE, Candidate, DiceFinder, cells
from vision.dice.lies import CROP as LIE_CROP
from vision.dice.number import FACES
from vision.dice.upper import CROP as FACE_CROP
from vision.train.dice import cuts, faces
from vision.train.dice import scenes as data
from vision.train.dice import solids as paint
from vision.train.dice.die_faces import (
    NO_DIE,
    NOT_UP,
    cut_die_faces,
    die_as_seen,
    kept_die_faces,
    lie_as_seen,
    no_dice,
    painted_die_faces,
)
from vision.train.dice.digits import Pen
from vision.train.dice.face_files import SCENES
from vision.train.dice.fitting import logistic
from vision.train.dice.placing import _beside_a_checker, add_cube, add_die
from vision.train.dice.shards import make_shard
from vision.train.dice.tracing import ink_at, random_lighting


def test_a_shard_comes_from_its_seed_alone() -> None:
    first, again = (make_shard(3, [], 1) for _ in range(2))
    assert (
        first.tiles.shape[1:] == (cuts.TILE, cuts.TILE, 3)
        and first.near.shape[1] == CROP + 2 * cuts.MORE[0]
        and first.wide.shape[1] == CROP + 2 * cuts.MORE[1]
    )
    assert np.array_equal(first.tiles, again.tiles) and np.array_equal(first.labels, again.labels)
    assert (
        len(first.near) == len(first.labels) == len(first.slant)
        and (first.labels[:, 0] == data.DIE).any()
    )


def test_things_lie_where_their_labels_say() -> None:
    rng = np.random.default_rng(5)
    scene = data.painted_ground(rng)
    before = scene.picture.copy()
    lamp = random_lighting(rng, 1.0)
    for _ in range(6):
        add_die(rng, scene, paint.random_die(rng), lamp)
    add_cube(rng, scene, lamp)
    changed = np.abs(scene.picture - before).max(2) > 1
    assert scene.things
    for thing in scene.things:
        column, row = round(thing.pixel[0]), round(thing.pixel[1])
        assert changed[row - 1 : row + 2, column - 1 : column + 2].any()
        (again,) = scene.board.project([(thing.x, thing.y, thing.z)])
        assert math.dist(again, thing.pixel) < 1e-6
        if thing.kind == data.DIE and thing.status == data.ON_CHECKER:
            assert thing.z > thing.edge / 2


def test_the_face_that_is_up_is_the_one_painted() -> None:
    rng = np.random.default_rng(1)
    die = paint.random_die(rng)
    for value in range(1, 7):
        turn = next(t for t in paint.TURNS if paint.up_face(die, t)[0] == value)
        points = np.c_[np.random.default_rng(2).uniform(-0.9, 0.9, (4000, 2)), np.ones(4000)] @ turn
        ink = ink_at(die, points, np.abs(points).argmax(1))
        face = die.faces[die.values.index(value)]
        assert abs(float(ink.mean()) - float(face[3:-3, 3:-3].mean())) < 0.03
    leaning = paint.rotation_about((1, 0, 0), math.radians(30)) @ paint.TURNS[0]
    assert abs(paint.up_face(die, leaning)[1] - 30) < 1e-6
    assert len(paint.TURNS) == 24 and all(abs(np.linalg.det(t) - 1) < 1e-9 for t in paint.TURNS)


def test_cells_unfold_as_the_network_folds() -> None:
    said = np.arange(4 * FOLD * FOLD * 2 * 3, dtype=np.float32).reshape(-1, 2, 3)
    unfolded = cells(said)
    assert unfolded.shape == (4, 2 * FOLD, 3 * FOLD)
    for channel in range(4):
        for i in range(FOLD):
            for j in range(FOLD):
                assert np.array_equal(
                    unfolded[channel, i::FOLD, j::FOLD], said[(channel * FOLD + i) * FOLD + j]
                )
    assert STRIDE * FOLD == 8


def test_logistic_regression_finds_its_weights() -> None:
    rng = np.random.default_rng(0)
    x = np.c_[np.ones(4000), rng.normal(0, 2, (4000, 2))]
    y = (rng.random(4000) < 1 / (1 + np.exp(-x @ (-1.0, 0.8, 0.3)))).astype(float)
    assert np.allclose(logistic(x, y), (-1.0, 0.8, 0.3), atol=0.12)


def test_a_crowded_ground_bears_as_many_dice_as_find_room() -> None:
    usual, crowded = (make_shard(3, [], 1, crowded=crowded) for crowded in (False, True))
    dice = [int((shard.labels[:, 0] == data.DIE).sum()) for shard in (usual, crowded)]
    assert dice[1] >= 12 and dice[1] > 1.5 * dice[0]


@pytest.mark.parametrize("wider", [False, True])
def test_pips_may_be_large_but_never_run_together(*, wider: bool) -> None:
    rng = np.random.default_rng(8)
    for _ in range(150):
        die = paint.random_die(rng, wider=wider)
        for ink, value in zip(die.faces, die.values, strict=True):
            marks, _ = cv2.connectedComponents((ink > 0.5).astype(np.uint8))
            assert marks - 1 == value


def test_a_six_comes_in_every_shape_that_is_sold() -> None:
    """Rows as far apart as a four's, and rows pushed together so that pips of a row are farther
    apart than the rows are: readers that never saw those took them for fives.
    """
    rng = np.random.default_rng(8)
    shapes = []
    for _ in range(60):
        die = paint.random_die(rng)
        rows, columns = np.nonzero(die.faces[die.values.index(6)] > 0.5)
        spans = sorted((float(np.ptp(rows)), float(np.ptp(columns))))
        assert spans[1] < 0.98 * paint.FACE
        shapes.append(spans[0] / spans[1])
    assert min(shapes) < 0.7 and max(shapes) > 0.95


def test_a_reader_is_taught_smaller_pips_and_fainter_inks_than_films_show() -> None:
    def made(*, wider: bool) -> tuple[float, float]:
        """The smallest pip, share of a face, and the faintest ink, 0-255, of a hundred dice."""
        rng = np.random.default_rng(8)
        dice = [paint.random_die(rng, wider=wider) for _ in range(100)]
        pips = [float(d.faces[d.values.index(6)].sum()) / 6 / paint.FACE**2 for d in dice]
        inks = [float(np.abs(np.subtract(d.ink, d.body)).max()) for d in dice]
        return min(pips), min(inks)

    (films, clear), (taught, faint) = made(wider=False), made(wider=True)
    assert taught < 0.65 * films and clear > 95 > 70 > faint


def test_the_letters_of_a_cube_are_narrow_and_broad_and_whole() -> None:
    rng = np.random.default_rng(8)
    shapes = []
    for _ in range(60):
        cube = paint.random_cube(rng, wider=True)
        face = cube.faces[cube.values.index(4)].copy()
        rim = face[[0, -1]].max() + face[:, [0, -1]].max()
        assert rim == 0, "a number reaches over the edge of its face"
        face[:8] = face[-8:] = face[:, :8] = face[:, -8:] = 0  # A frame that some cubes have.
        rows, columns = np.nonzero(face > 0.5)
        shapes.append(float(np.ptp(columns)) / float(np.ptp(rows)))
    assert min(shapes) < 0.62 and max(shapes) > 1.3


def test_a_pen_writes_each_number_otherwise_and_within_its_sheet() -> None:
    for seed in range(40):
        pen = Pen(np.random.default_rng(seed))
        sheets = [pen.write(str(number)) for number in FACES]
        assert all(0.02 < float(sheet.mean()) < 0.5 for sheet in sheets), seed
        rims = [sheet[[0, -1]].max() + sheet[:, [0, -1]].max() for sheet in sheets]
        assert max(rims) == 0, (seed, rims)
        apart = [np.abs(a - b).mean() for a, b in itertools.combinations(sheets, 2)]
        assert min(apart) > 0.01, seed


def test_faces_are_cut_from_their_seed_alone_and_kept(tmp_path: Path) -> None:
    faces.cut_faces(tmp_path, "learn", 3, SCENES, [])
    crops, numbers = faces.kept_faces(tmp_path, "learn")
    edge = FACE_CROP + 2 * faces.MORE
    assert crops.shape == (len(numbers), edge, edge, 3) and set(numbers.tolist()) == set(range(7))
    again = list(faces.painted_faces(np.random.default_rng((3, 0)), [], DiceFinder.load()))
    assert all(np.array_equal(a, b) for a, (b, _) in zip(crops, again, strict=False))
    seen = faces.as_seen(np.random.default_rng(1), crops[0])
    assert seen.shape == (FACE_CROP, FACE_CROP, 3)
    with pytest.raises(ValueError, match="no held"):
        faces.kept_faces(tmp_path, "held")


def test_faces_of_dice_are_cut_from_their_seed_alone_and_kept(tmp_path: Path) -> None:
    cut_die_faces(tmp_path, "learn", 3, SCENES, [])
    kept = kept_die_faces(tmp_path, "learn")
    edge, number = FACE_CROP + 2 * faces.MORE, len(kept.values)
    assert kept.crops.shape == (number, edge, edge, 3)
    assert set(kept.values.tolist()) == {*range(6), NOT_UP, NO_DIE}
    ways = {data.FLAT, data.COCKED, data.ON_CHECKER, data.ROLLING}
    assert set(kept.statuses[kept.values != NO_DIE].tolist()) == ways
    assert set(kept.statuses[kept.values == NO_DIE].tolist()) == {-1}
    assert (kept.values[kept.statuses == data.ROLLING] == NOT_UP).all()
    assert kept.slants.shape == (number,)
    again = list(painted_die_faces(np.random.default_rng((3, 0)), [], DiceFinder.load()))
    assert all(np.array_equal(a, b[0]) for a, b in zip(kept.crops, again, strict=False))
    for as_seen, size in ((die_as_seen, FACE_CROP), (lie_as_seen, LIE_CROP)):
        assert as_seen(np.random.default_rng(1), kept.crops[0]).shape == (size, size, 3)
    with pytest.raises(ValueError, match="no held"):
        kept_die_faces(tmp_path, "held")


def test_what_is_no_die_is_cut_beside_every_die() -> None:
    """Cubes, what the finder mistakes, anywhere: never a face of a die."""
    rng = np.random.default_rng(8)
    scene = data.painted_ground(rng, 0)
    lamp = random_lighting(rng, 0.8)
    for _ in range(8):
        add_die(rng, scene, paint.random_die(rng), lamp)
    add_cube(rng, scene, lamp)
    pixels = scene.picture.clip(0, 255).astype(np.uint8)
    on_dice = [t for t in scene.things if t.kind == data.DIE]
    places = [_seen_at(scene, t) for t in on_dice]
    beside = [_seen_at(scene, t, 1.1) for t in on_dice]
    bare = len(list(no_dice(np.random.default_rng(1), pixels, scene, ())))
    assert len(list(no_dice(np.random.default_rng(1), pixels, scene, places))) == bare
    assert len(list(no_dice(np.random.default_rng(1), pixels, scene, beside))) > bare
    for crop, value, status, _ in no_dice(np.random.default_rng(1), pixels, scene, beside):
        assert value == NO_DIE and status == -1
        assert crop.shape == (FACE_CROP + 2 * faces.MORE,) * 2 + (3,)


def _seen_at(scene: data.DiceScene, thing: data.Thing, aside: float = 0.0) -> Candidate:
    """As if the finder saw a die so many edges aside of a thing."""
    centre, axes, slant = local_frame(scene.board, thing.x, thing.y, thing.z)
    centre = centre + axes[:, 0] * aside * thing.edge
    at, unit = (float(centre[0]), float(centre[1])), float(np.linalg.norm(axes[:, 0]))
    edge = thing.edge
    return Candidate(at, edge * unit, edge, (0.0, 0.0), thing.x, thing.y, axes, slant)


def test_a_flat_die_may_touch_a_checker() -> None:
    """Its face or its edge against the rim: what a reader must not take for leaning."""
    rng = np.random.default_rng(4)
    gaps = []
    for _ in range(4):
        scene = data.painted_ground(rng)
        for _ in range(12):
            solid = paint.random_die(rng)
            placed = _beside_a_checker(rng, scene, solid)
            if placed is None:
                continue
            (x, y), rotation = placed
            assert paint.up_face(solid, rotation)[1] < 1
            square = np.array([(1, 1), (1, -1), (-1, -1), (-1, 1)]) * solid.edge / 2
            level = [k for k in range(3) if abs(rotation[2, k]) < 0.5]
            corners = square @ rotation[:2, level].T + (x, y)
            edges = np.concatenate(
                [a + (b - a) * np.linspace(0, 1, 40)[:, None] for a, b in sides(corners)]
            )
            gaps.append(
                min(
                    float(np.linalg.norm(edges - d[:2], axis=1).min()) - scene.board.checker / 2
                    for d in scene.discs
                )
            )
    assert len(gaps) > 15 and min(gaps) > -0.12 and np.mean(np.array(gaps) < 0.06) > 0.4


def sides(corners: F64) -> list[tuple[F64, F64]]:
    return [(corners[k], corners[(k + 1) % 4]) for k in range(4)]
