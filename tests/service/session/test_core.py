"""The core: nothing is shown or acknowledged before it is stored; a full disk stops nothing and
loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from service.journal.chain import Entry
from service.journal.entry import Role, Who
from service.journal.store import NotStoredError, Store
from service.referee.inputs import Command, Order
from service.referee.refusal import Answer, Done, OrderError, Refusal
from service.session.belief import Session
from service.session.core import Core, Row, who_of

CONSOLE = {"name": "", "role": "console", "side": None}


class Disk:
    """A real journal on a disk that can be full."""

    def __init__(self, path: Path) -> None:
        self.store = Store.open(path)
        self.full = False

    @property
    def seq(self) -> int:
        return self.store.seq

    def append(self, bodies: Sequence[Row]) -> tuple[Entry, ...]:
        if self.full:
            raise NotStoredError("the disk is full; free space")
        return self.store.append(bodies)

    def beat(self, at: float, wall: float, data: Any = None) -> None:
        if self.full:
            raise NotStoredError("the disk is full; free space")
        self.store.beat(at, wall, data)


@pytest.fixture
def table(tmp_path: Path) -> tuple[Core, Disk, list[Command]]:
    done: list[Command] = []
    disk = Disk(tmp_path / "journal")
    core = Core(Session(), disk, None, done.append)
    return core, disk, done


def order(core: Core, name: str, now: float, **args: Any) -> list[Answer]:
    answers: list[Answer] = []
    core.order(name, args, CONSOLE, now, answers.append)
    return answers


def test_an_order_is_answered_with_the_number_of_its_entry(
    table: tuple[Core, Disk, list[Command]],
) -> None:
    core, disk, _ = table
    assert order(core, "set_match", 1.0, ruleset="backgammon", length=3) == [Done(1)]
    assert disk.seq == 1
    [refused] = order(core, "take", 2.0)
    assert isinstance(refused, Refusal) and refused.code == "not_now"
    assert disk.seq == 1


def test_a_full_disk_holds_back_the_answer_and_what_is_shown_and_loses_nothing(
    table: tuple[Core, Disk, list[Command]],
) -> None:
    core, disk, _ = table
    order(core, "set_match", 1.0, ruleset="backgammon", length=3)
    disk.full = True
    answers = order(core, "start_game", 2.0, starter="white")
    later = order(core, "declare_roll", 2.5, roll=[6, 5])
    assert answers == later == []
    assert core.shown.state.phase.value == "setting-up"
    assert core.session.state.phase.value == "moving"
    assert core.trouble.lines() == ["the disk is full; free space"]
    core.beat(2.6)
    core.tick(2.7)
    disk.full = False
    core.tick(3.6)
    assert [type(a) for a in answers + later] == [Done, Done]
    assert core.trouble.lines() == []
    assert core.shown.state.phase.value == "moving"
    assert [e.at for e in disk.store.past] == []
    disk.store.close()
    with Store.open(disk.store.path) as again:
        assert [e.seq for e in again.past] == list(range(1, core.session.state.seq + 1))
        assert {e.at for e in again.past} == {1.0, 2.0, 2.5}


BAD_WHO: list[Any] = [{"role": "king"}, {"side": "red"}, {"role": 7}]


@pytest.mark.parametrize("by", BAD_WHO)
def test_whoever_cannot_be_is_refused(by: dict[str, Any]) -> None:
    with pytest.raises(OrderError, match="bad_by"):
        who_of(by)


def test_a_button_that_means_nothing_now_leaves_no_entry(
    table: tuple[Core, Disk, list[Command]],
) -> None:
    core, disk, _ = table
    core.pressed(Order("take", {}, Who("button", Role.PLAYER)), 1.0)
    assert disk.seq == 0
    with pytest.raises(OrderError, match="not_now"):
        core.step(Order("take", {}, Who("button", Role.PLAYER)), 2.0)
