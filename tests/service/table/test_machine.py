"""What is chosen on the page: used at once, kept over a restart, refused with the next step when it
cannot be.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from service.journal.paths import socket_path
from service.referee.order_table import ORDERS
from service.referee.refusal import OrderError
from service.session.sight import Corners
from service.settings import Settings
from service.table import machine
from service.table.machine import Choices, corners_of, load_choices, path_of, save_choices
from service.web.asking import ask
from tests.service.table.world import running, until

CORNERS = Corners(((10.0, 20.0), (300.0, 22.0), (310.5, 200.0), (5.0, 210.0)), (320, 240))
ARGS = {"corners": [list(p) for p in CORNERS.points], "size": [320, 240]}


def test_choices_are_kept(tmp_path: Path) -> None:
    journal = tmp_path / "t1.journal"
    assert load_choices(journal) == Choices()
    save_choices(journal, Choices("0", "auto", CORNERS))
    assert load_choices(journal) == Choices("0", "auto", CORNERS)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"camera": 7}',
        '{"corners": [1]}',
        '{"corners": {"corners": [], "size": [1, 1]}}',
    ],
)
def test_a_file_that_cannot_be_used_counts_as_none(text: str, tmp_path: Path) -> None:
    journal = tmp_path / "t1.journal"
    path_of(journal).write_text(text)
    assert load_choices(journal) == Choices()


def test_the_command_line_wins_over_a_choice_and_a_choice_over_the_settings() -> None:
    settings = Settings().with_values(camera_source="1", board_address="auto")
    chosen = Choices("2", "simulated").over(settings, {"camera": "none", "board": None})
    assert (chosen.camera.source, chosen.board.address) == ("1", "simulated")
    assert Choices().over(settings, {}) == settings


BAD: list[dict[str, Any]] = [
    {},
    {"corners": [[1, 2]] * 3, "size": [4, 4]},
    {"corners": [[1, 2]] * 4, "size": [0, 4]},
    {"corners": [["a", 2]] * 4, "size": [4, 4]},
    {"corners": [[float("nan"), 2]] * 4, "size": [4, 4]},
    {"corners": [[1e9, 2]] * 4, "size": [4, 4]},
    {"corners": 7, "size": [4, 4]},
]


@pytest.mark.parametrize("args", BAD, ids=str)
def test_corners_that_cannot_be_are_refused(args: dict[str, Any]) -> None:
    with pytest.raises(OrderError, match="bad_corners"):
        corners_of(args)


def test_corners_follow_the_resolution() -> None:
    assert corners_of(ARGS) == CORNERS
    assert CORNERS.on((640, 480))[0] == (20.0, 40.0)


def test_a_board_is_chosen_tried_and_kept(tmp_path: Path) -> None:
    journal = tmp_path / "t1.journal"
    director = {"role": "director", "name": "D"}

    def order(name: str, by: dict[str, str] = director, **args: Any) -> dict[str, Any]:
        return ask(socket_path(journal), {"id": 1, "order": name, "args": args, "by": by})

    def query(name: str, **args: Any) -> dict[str, Any]:
        return ask(socket_path(journal), {"id": 1, "query": name, "args": args})

    live = ("run", "--journal", str(journal), "--no-page", "--camera", "nowhere.mp4")
    with running(tmp_path, *live) as table:
        until(lambda: query("state"), "the table", table)
        assert query("probe", what="leds")["error"]["code"] == "board_away"
        assert (
            order("use_board", {"role": "player", "name": ""}, address="simulated")["error"]["code"]
            == "not_yours"
        )
        assert order("use_camera", source="/dev/video77")["error"]["code"] == "no_camera"
        for name, args in (
            ("use_camera", {"source": str(tmp_path)}),
            ("use_board", {"address": "socket://10.0.0.1:22"}),
        ):
            assert order(name, **args)["error"]["code"] == "not_from_afar", name
        assert order("use_board", address="simulated")["ok"]
        until(lambda: query("probe", what="leds").get("ok"), "the board", table)
        assert "never calibrated" in query("state")["result"]["sources"]["board"]["reason"]
        assert query("probe", what="clock")["result"]["ok"]
        assert query("probe", what="sensors")["result"]["lines"]
        assert query("probe", what="oven")["error"]["code"] == "no_probe"
        assert query("corners")["error"]["code"] == "no_board"
        assert {"address": "simulated", "used": True}.items() <= query("boards")["result"][
            -1
        ].items()
        assert query("cameras")["ok"]
        assert query("nonsense")["error"]["code"] == "no_query"
        assert order("set_corners", **ARGS)["ok"]
        assert table.end() == 0
    assert json.loads(path_of(journal).read_text())["board"] == "simulated"
    with running(tmp_path, *live) as again:
        until(lambda: query("probe", what="leds").get("ok"), "the board that was chosen", again)
    assert machine.load_choices(journal).corners == CORNERS


def test_the_machine_carries_out_what_the_table_of_orders_leaves_to_it() -> None:
    left = {name for name, spec in ORDERS.items() if spec.act is None}
    assert {*machine.MACHINE_ACTS, "film"} == left, "a film is no choice that is kept"
