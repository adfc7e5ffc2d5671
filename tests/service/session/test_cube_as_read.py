"""How the cube is read by the real eyes: its place surely, its number, too, since it has a
network of its own. The referee's way of telling doubles rests on the place.
"""

from __future__ import annotations

from rules.observation import CubeOwner, CubeReading
from service.session.cube import CubeSeen, read_cube
from service.simulate.cube_sense import cubes
from service.simulate.measured import CUBE_FACES

C, F = CubeOwner.CENTRE, CubeOwner.FIELD


def test_a_number_that_is_sure_is_right_and_a_place_always_sure() -> None:
    pool = cubes()
    read = [
        (int(number), read_cube(CubeReading(dict(zip(CUBE_FACES, shown, strict=True)), {F: 1.0})))
        for number, readings in pool["shown"].items()
        for shown in readings
    ]
    sure = [(number, lie[0]) for number, lie in read if lie is not None and lie[0] is not None]
    assert (len(read), len(sure)) == (41, 41)
    assert all(number == said for number, said in sure)
    places = [read_cube(CubeReading({2: 1.0}, {C: p, F: 1 - p})) for p in pool["place"]]
    assert sum(lie is not None for lie in places) == 41


def test_a_number_that_becomes_readable_is_no_turning() -> None:
    seen = CubeSeen()
    unread, two = CubeReading({2: 0.5, 4: 0.5}, {C: 1.0}), CubeReading({2: 1.0}, {C: 1.0})
    for at, reading in enumerate((unread, unread, unread, two, two, two, unread)):
        seen = seen.after(reading, float(at))
    assert (seen.lies, seen.since, seen.before) == ((2, C), None, None)


def test_where_it_came_from_is_known() -> None:
    seen = CubeSeen()
    for at, place in enumerate((C, C, C, F, F, F)):
        seen = seen.after(CubeReading({2: 0.5, 4: 0.5}, {place: 1.0}), float(at))
    assert (seen.lies, seen.since, seen.before) == ((None, F), 3.0, (None, C))


def test_a_cube_that_was_turned_while_nobody_looked_was_turned_then() -> None:
    seen = CubeSeen(game=5)
    one, two = CubeReading({64: 1.0}, {C: 1.0}), CubeReading({2: 1.0}, {F: 1.0})
    for at in range(3):
        seen = seen.after(one, float(at))
    again = seen.unseen_since(2.0)
    for at in range(10, 13):
        again = again.after(one, float(at))
    assert again == seen
    turned = seen.unseen_since(2.0)
    for at in range(10, 13):
        turned = turned.after(two, float(at))
    assert (turned.lies, turned.since, turned.before, turned.left) == ((2, F), 2.0, (1, C), (1, C))
    assert seen.unseen_since(2.0).in_game(6).kept is None
