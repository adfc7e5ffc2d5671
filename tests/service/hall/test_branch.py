"""Two halls over real servers: one shows the other's tables as they are, through whatever is cut or
killed between them, by one line of settings at each end.
"""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.hall.command import configured, invited
from service.hall.leaf import (
    LeafError,
    boards_body,
    boards_from,
    branches_from,
    main_from,
)
from service.hall.ledger import PairedBoard
from service.hall.wire import MessageError
from service.journal.keys import table_key
from service.settings import SettingsError
from tests.ports import free_port
from tests.service.hall.network import Cable, Network
from tests.service.hall.served import ServedHall, await_true


def public(folder: Path) -> str:
    return table_key(folder / "hall" / "hall.key").public_key().public_bytes_raw().hex()


class TwoHalls:
    """`red` shows the tables of `blue`, which dials it over a cable that can be cut."""

    def __init__(self, folder: Path, *, encrypted: bool = True) -> None:
        self.network, leaf = Network(), free_port()
        branches = branches_from((f"blue={public(folder / 'blue')}",))
        common: dict[str, Any] = {"encrypted": encrypted}
        self.cable: Cable = self.network.cable(leaf)
        self.red = ServedHall(
            folder / "red",
            branches=branches,
            leaf_port=leaf,
            leaf_address=f"127.0.0.1:{self.cable.port}",
            **common,
        )
        said = main_from(invited(self.red.app.state.hall.config, "blue"))
        assert said is not None
        self.blue = ServedHall(folder / "blue", main=said, **common)

    def shows(self, name: str) -> bool:
        """Whether red has all that blue's table has played, entry for entry."""
        blue, red = self.blue.app.state.hall, self.red.app.state.hall
        model = red.branches.lines["blue"].model
        return (
            self.blue.caught_up(name)
            and bool(red.view(f"blue.{name}").seq == blue.view(name).seq)
            and list(model.rows(name)) == list(blue.model.rows(name))
        )

    @property
    def problem(self) -> str:
        return str(self.red.app.state.hall.about()["problem"])

    def close(self) -> None:
        for hall in (self.blue, self.red):
            hall.close()
        self.network.close()


@pytest.fixture
def halls(tmp_path: Path) -> Iterator[TwoHalls]:
    halls = TwoHalls(tmp_path)
    yield halls
    halls.close()


def test_one_hall_shows_anothers_tables_through_cuts_and_kills(halls: TwoHalls) -> None:
    red, blue = halls.red, halls.blue
    for hall in (red, blue):
        hall.seat("t1").begin("Ada", "Bahar")
    blue.seat("t2").begin("Cem", "Dora")
    await_true(lambda: halls.shows("t1") and halls.shows("t2") and red.caught_up("t1"))

    # Tables of one name stay two, on the wall, as documents, and in what they are told.
    def on_the_wall() -> set[str]:
        wall = httpx.get(f"{red.url}/api/v1/hall/wall").json()
        return {card["table"] for card in wall["cards"]}

    await_true(lambda: on_the_wall() == {"t1", "blue.t1", "blue.t2"})
    state = httpx.get(f"{red.url}/api/v1/tables/blue.t2/state").json()
    assert state["match"]["players"]["white"]["name"] == "Cem"
    order = {"order": "call_director", "args": {}}
    answer = httpx.post(f"{red.url}/api/v1/tables/blue.t2/orders", json=order)
    assert answer.status_code == 409 and answer.json()["error"]["code"] == "another_hall"

    # Cut: each goes on by itself; red says what it does not know, and has all of it afterwards.
    halls.cable.cut()
    for table in (blue.table("t2"), red.table("t1")):
        table.turn()
    await_true(lambda: blue.caught_up("t2") and red.caught_up("t1"))
    await_true(lambda: "hall blue is not reached" in halls.problem)
    assert not halls.shows("t2")
    # Another board becomes t1 while nobody at red can hear of it.
    blue.seat("t3").begin("Gita", "Hugo")
    halls.cable.mend()
    await_true(lambda: halls.shows("t2") and halls.shows("t3") and not halls.problem, 60)

    # Either server killed: both come back, and so does what is between them.
    for hall in (blue, red):
        os.kill(hall.app.state.hall.server.pid, signal.SIGKILL)
        blue.table("t2").turn()
        await_true(lambda: halls.shows("t2") and not halls.problem, 90)
    refused = [line.model.size()["refused"] for line in red.app.state.hall.branches.lines.values()]
    assert refused == [blue.app.state.hall.model.size()["refused"]]


def test_settings_that_cannot_be_are_told(tmp_path: Path) -> None:
    key = "ab" * 32
    for texts in (("blue",), ("b lue=" + key,), (f"a={key}", f"b={key}"), (f"a={key}",) * 2):
        with pytest.raises(LeafError, match="expected"):
            branches_from(texts)
    for text in ("nats://host", "takhte://blue@host/plain", "takhte://b:c@host:1/xyz"):
        with pytest.raises(LeafError, match="invite"):
            main_from(text)
    assert main_from("") is None
    settings = tmp_path / "takhte.toml"
    settings.write_text(f'[hall]\ndata = "{tmp_path}/hall"\nbranches = "blue={key}"\n')
    given = argparse.Namespace(
        settings=settings, data=None, host="127.0.0.1", port=None, console_port=None,
        nats_port=None, https=None, https_port=None, plain=False, good_for=10.0,
        what="invite",
    )  # fmt: skip
    config = configured(given)
    main = main_from(invited(config, "blue"))
    assert main is not None and main.text == invited(config, "blue") and len(main.pin) == 64
    with pytest.raises(SettingsError, match="blue"):
        invited(config, "green")
    settings.write_text(f'[hall]\nbranches = "blue={key}"\nmain = "{main.text}"\n')
    with pytest.raises(SettingsError, match="both"):
        configured(given)


def test_a_list_of_boards_is_told_and_read_again() -> None:
    boards = [PairedBoard("t1", "k1", 0, 7), PairedBoard("t1", "k2", 7)]
    assert list(boards_from(boards_body(boards)).values()) == boards
    assert boards_from(boards_body([])) == {}
    with pytest.raises(MessageError):
        boards_from({"format": 1, "boards": [["t1", 3]]})
    with pytest.raises(MessageError):
        boards_from({"format": 1})
