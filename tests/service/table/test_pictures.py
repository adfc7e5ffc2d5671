"""Evidence pictures: kept whole or not at all, under ids that stay in the folder, for hours."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from service.referee.inputs import KeepPicture
from service.table.outputs import Pictures
from service.table.pictures import MAX_BYTES, PictureStore, PictureStoreError
from tests.service.hands import THREE, Hands, begun

JPEG = b"\xff\xd8" + bytes(200)


def test_kept_and_forgotten(tmp_path: Path) -> None:
    store = PictureStore(tmp_path / "pictures")
    store.keep("000007-played", JPEG, 1000.0)
    store.keep("000009-played", JPEG, 5000.0)
    assert store.get("000007-played") == JPEG and store.get("000008-played") is None
    assert store.expire(1000.0 + 3601, 1.0) == 1
    assert store.get("000007-played") is None and store.get("000009-played") == JPEG
    assert [p.name for p in (tmp_path / "pictures").iterdir()] == ["000009-played.jpg"]


def test_pictures_go_when_their_hours_are_over_though_nobody_plays(tmp_path: Path) -> None:
    store = PictureStore(tmp_path)
    store.keep("old", JPEG, time.time() - 7300)
    store.keep("young", JPEG, time.time())
    Pictures(store, 85, lambda: 2.0).close()
    assert [path.name for path in tmp_path.iterdir()] == ["young.jpg"]


@pytest.mark.parametrize("name", ["../secret", "a/b", "", ".", "A", "x" * 65, "a\n", "a\x00"])
def test_no_name_leads_out(name: str, tmp_path: Path) -> None:
    store = PictureStore(tmp_path)
    with pytest.raises(PictureStoreError):
        store.keep(name, JPEG, 0.0)
    with pytest.raises(PictureStoreError):
        store.get(name)


@pytest.mark.parametrize("data", [b"", b"no picture", b"\xff\xd8" + bytes(MAX_BYTES)])
def test_only_pictures_of_a_sane_size(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(PictureStoreError, match="JPEG"):
        PictureStore(tmp_path).keep("a", data, 0.0)


def test_every_picture_that_an_entry_names_was_asked_for_once() -> None:
    """One before and one after each turn, one of what was noticed; ids are good names and never
    used twice.
    """
    hands = begun(Hands())
    hands.throw(3, 1)
    hands.move((8, 5), (6, 5)).press()
    hands.throw(2, 1)
    hands.move(*THREE).press(seconds=4)
    asked = [c.picture for c in hands.commands if isinstance(c, KeepPicture)]
    assert len(asked) == len(set(asked))
    named = {name for _, _, body in hands.said for name in getattr(body, "pictures", ())}
    assert named <= set(asked)
    for name in asked:
        PictureStore(Path("unused"))._path(name)
    before, after = hands.bodies("played")[0].pictures
    assert before.endswith("-rolled") and after.endswith("-played")
    assert hands.last("illegal_noticed").pictures[-1].endswith("-illegal")
