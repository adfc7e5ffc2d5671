"""What the pools are made of: real readings of boards and pictures whose truth is known."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from rules.board import BAR, Placement, Side
from rules.observation import DieReading, DieStatus, SiteReading, Source
from service.simulate import confusions, pictures
from service.simulate.measured import Group, add_run, reading_json, wrong_together
from service.simulate.noise import LEVELS, ConfusionsError, Sense, pools
from service.simulate.painted_sense import (
    lying_sideways,
    painted_pool,
    room_beside,
    seen_with,
    under_thing,
)

PICTURES = Path(__file__).resolve().parents[2] / "data" / "vision"
START = Placement.of({24: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5})


def test_pools_are_made_of_boards_and_pictures_and_played_with(tmp_path: Path) -> None:
    records, made = tmp_path / "records.json", tmp_path / "confusions.json"
    assert pictures.main([str(PICTURES), "-o", str(records)]) == 0
    given = ["--board", "--boards", "1", "--placements", "2", "--camera", str(records)]
    assert confusions.main([*given, "-o", str(made)]) == 0
    found = pools(made)
    assert set(found) == {(source, level) for source in ("camera", "board") for level in LEVELS}
    for (source, level), pool in found.items():
        assert pool.source is (Source.CAMERA if source == "camera" else Source.SENSORS)
        seen = Sense(pool, random.Random(level)).observe(START, 1.0)
        assert {reading.site for reading in seen.sites} == set(range(1, 26))


def test_a_part_not_asked_for_is_kept(tmp_path: Path) -> None:
    made = tmp_path / "confusions.json"
    assert confusions.main(["--assume-camera", "-o", str(made)]) == 0
    camera = json.loads(made.read_text())["camera"]
    assert confusions.main(["--board", "--boards", "1", "--placements", "1", "-o", str(made)]) == 0
    both = json.loads(made.read_text())
    assert both["camera"] == camera
    assert set(both["made_by"]) == {"camera", "board"}


def test_another_file_is_no_pool(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"schema": "another/1"}')
    with pytest.raises(ConfusionsError, match="takhte-confusions/1"):
        pools(tmp_path / "other.json")


def test_a_reading_is_kept_in_few_digits_best_first() -> None:
    reading = SiteReading(6, ((4, 0, 0.01), (5, 0, 0.5), (3, 0, 1e-6)), 1e-6)
    assert reading_json(reading) == ([(5, 0, 1.0), (4, 0, 0.02)], 2e-6)


def test_only_so_many_runs_are_kept_of_one_truth() -> None:
    group: Group = {}
    for n in range(5):
        add_run(group, BAR, (1, 0), [([(1, 0, 1.0)], 0.1 * n)], keep=2)
    assert {where: list(runs) for where, runs in group.items()} == {"bar": ["1,0"]}
    assert len(group["bar"]["1,0"]) == 2


@pytest.mark.parametrize(
    ("pictures_wrong", "share"),
    [([], 0.0), ([[5]], 0.0), ([[5, 6]], 0.5), ([[12, 13]], 0.0), ([[1, 2], [9]], 0.4)],
)
def test_neighbours_wrong_together_are_counted_across_no_bar(
    pictures_wrong: list[list[int]], share: float
) -> None:
    assert wrong_together(pictures_wrong) == share


def die_seen(value: int, pixel: tuple[float, float], certainty: float) -> DieReading:
    one, two, three, four, five, six = (0.95 if face == value else 0.01 for face in range(1, 7))
    values = (one, two, three, four, five, six)
    return DieReading((0.5, 0.5), values, {DieStatus.FLAT: 1.0}, certainty, pixel=pixel)


def test_of_two_dice_that_touch_each_has_its_own_reading() -> None:
    """The surer one had been both: a 2 whose neighbour, too hidden to be read of, showed 3."""
    truth: list[pictures.LabelledDie] = [
        {"value": 3, "status": "flat", "center_px": (913, 397), "visible": 0.83},
        {"value": 2, "status": "flat", "center_px": (901, 386), "visible": 0.93},
    ]
    seen = [die_seen(3, (913, 396), 0.99), die_seen(2, (905, 381), 0.9)]
    ((value, status, reading),) = pictures.dice_records(truth, seen, 38.4)
    assert (value, status) == (2, "flat")
    assert reading is not None
    assert reading[0][1] == 0.95
    assert pictures.dice_records(truth, seen[:1], 38.4) == [(2, "flat", None)]


def picture(theme: str, right: float, count: int) -> dict[str, object]:
    """A picture from above with a pile of eight that reads as `count`, read so well elsewhere."""
    sites = [[24, 0, 8, [[[0, count, 1.0]], 1e-3]], [6, 2, 0, [[[2, 0, right], [1, 0, 1.0]], 1e-3]]]
    return {"view": "overhead", "theme": theme, "light": "", "sites": sites, "dice": []}


def test_tall_piles_are_drawn_from_pictures_of_their_own_by_set(tmp_path: Path) -> None:
    """Hardly a picture of play had piles above seven: those read right in every evening of nard."""
    records, made = tmp_path / "records.json", tmp_path / "confusions.json"
    rows = [picture(f"set {n}", 1.0 - n / 10, 8 if n < 3 else 7) for n in range(9)]
    records.write_text(json.dumps({"pictures": rows}))
    board = ["--board", "--boards", "1", "--placements", "1"]
    assert confusions.main(["--assume-camera", *board, "-o", str(made)]) == 0
    assert confusions.main(["--rare", str(records), "-o", str(made)]) == 0
    good, club = pools(made)["camera", "good"], pools(made)["camera", "club"]
    assert [set(group) for group in good.rare] == [{(False, (0, 8))}] * 3
    assert len(club.rare) == 6
    assert confusions.main(["--assume-camera", "-o", str(made)]) == 0
    assumed = json.loads(made.read_text())
    assert "rare" not in assumed["camera"]["good"], "assumed, of no pictures"
    assert "rare" not in assumed["made_by"]


def test_a_game_reads_tall_piles_as_its_own_set_was_read() -> None:
    pool = pools()["camera", "club"]
    for seed in range(40):
        sense = Sense(pool, random.Random(seed))
        own = sense.rare.get((False, (0, 9)))
        placement = Placement.of({1: 15}, {24: 9, 12: 6})
        read = next(s for s in sense.observe(placement, 1.0).sites if s.site == 24)
        if own:
            assert (read.outcomes, read.floor) in [run[0] for run in own]


def test_what_few_pictures_show_is_read_of_painted_boards(tmp_path: Path) -> None:
    made = tmp_path / "confusions.json"
    assert confusions.main(["--painted", "4", "-o", str(made)]) == 0
    sideways, hidden = painted_pool(made)
    assert 1 <= len(sideways) <= 4
    for own, near in sideways:
        assert max(own[:2]) == max(near[:2]) == 1.0
        assert min(*own, *near) > 0
    assert hidden
    assert all(each is None or min(each) > 0 for each in hidden)
    (tmp_path / "none.json").write_text("{}")
    with pytest.raises(ConfusionsError, match="--painted"):
        painted_pool(tmp_path / "none.json")


def test_most_points_under_a_thing_are_not_seen_and_hardly_one_reads_as_checkers() -> None:
    """A cup that reads as the same checkers on each of its points was half of all cups once."""
    _, hidden = painted_pool()
    seen = [each for each in hidden if each is not None]
    assert len(seen) < len(hidden) / 3
    assert sum(max(each[1:3]) > each[0] for each in seen) < len(hidden) / 10
    readings = [under_thing(7, random.Random(n)) for n in range(40)]
    assert {each.site for each in readings if each is not None} == {7}


def test_a_checker_lies_between_points_where_there_is_room_for_it() -> None:
    before = Placement.of({13: 2, 8: 1}, {7: 2, 12: 1})
    after = Placement.of({13: 1, 8: 2}, {7: 2, 12: 1})
    assert room_beside(before, after, Side.WHITE) == [(8, 9)]
    assert room_beside(before, after, Side.BLACK) == []
    # Points 12 and 13 lie in two rows.
    assert room_beside(after, before, Side.WHITE) == [(13, 14)]
    tall = Placement.of({8: 5}, {})
    assert room_beside(before, tall, Side.WHITE) == []


def test_what_is_read_between_two_points_is_where_the_camera_sees_them() -> None:
    stands = Placement.of({8: 2}, {9: 1})
    lying = lying_sideways(stands, Side.WHITE, 8, 9, random.Random(2))
    assert {(w, b) for w, b, _ in lying[8].outcomes} == {(2, 0), (1, 0)}
    assert {(w, b) for w, b, _ in lying[9].outcomes} == {(0, 1), (1, 1)}
    seen = Sense(pools()["camera", "club"], random.Random(1)).observe(stands, 1.0)
    half_turned = {8: 20, 9: 21}
    looked_at = seen_with(seen, lying, half_turned)
    assert looked_at.at(20) == SiteReading(20, lying[8].outcomes, lying[8].floor)
    assert looked_at.at(8) == seen.at(8)
    assert len(looked_at.sites) == len(seen.sites)
