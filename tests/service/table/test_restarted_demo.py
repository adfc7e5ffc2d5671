"""The demo stopped and started again, at any moment of its film: it goes on where it was."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from rules.board import Placement
from service.journal.paths import socket_path
from service.journal.store import Reader
from service.recording.format import Recording
from service.referee.state import State
from service.table.demo import position_of
from service.table.replay import replayed
from service.web.asking import ask
from tests.service.table.world import Running, running, state, until
from tests.service.tables import CLIP0

TRUTH: list[dict[str, Any]] = json.loads((CLIP0 / "truth.json").read_text())["turns"]
PLAYS = [
    "8/2 8/3",
    "24/22* 13/8",
    "bar/23 6/3*",
    "bar/23* 8/7",
    "bar/20 6/2*",
    "bar/22*/16",
    "bar/23 8/2",
    "13/4",
]

AGAIN = {"id": 1, "order": "film", "args": {"do": "again"}, "by": {"role": "console"}}


def range_of(step: float) -> list[float]:
    """Instants all along the film."""
    return [round(n * step, 2) for n in range(1, int(68.0 / step))]


EVERY = float(os.environ.get("DEMO_STOPPED_EVERY", "0"))
"""Seconds between two instants at which the film is stopped and started, each by itself (`make
test-crash`); 0 for two instants of one showing."""
STOPS = [(stop,) for stop in range_of(EVERY)] if EVERY else [(17.0, 41.0)]
KILLED = [(n,) for n in (10, 17, 20, 23, 26, 33, 41)] if EVERY else [(10, 41)]
"""Seconds of the film at which a real table is stopped or killed, for each showing of it."""


def right(plays: list[tuple[str, list[int], list[int]]]) -> list[bool]:
    """Whether each play led to what truly stood there."""
    return [
        play == (turn["side"], turn["placement"]["white"], turn["placement"]["black"])
        for play, turn in zip(plays, TRUTH, strict=False)
    ]


def played(end: State) -> list[tuple[str, list[int], list[int]]]:
    def row(placement: Placement) -> tuple[list[int], list[int]]:
        return list(placement.white), list(placement.black)

    return [(p.side.value, *row(p.placement)) for p in end.match.plays]


@pytest.mark.parametrize("stops", STOPS, ids=str)
def test_it_goes_on_rightly_from_where_it_was_stopped(
    stops: tuple[float, ...], tmp_path: Path
) -> None:
    journal, film = tmp_path / "journal", Recording(CLIP0)
    for since, until_then in itertools.pairwise((0.0, *stops, math.inf)):
        end = replayed(film, journal, since=since, until=until_then)
        assert right(played(end)) == [True] * len(played(end))
    assert len(played(end)) == 8
    assert not any(p.infraction for p in end.match.plays)


def position(journal: Path) -> float:
    """How far the film was played."""
    with Reader(journal) as reader:
        return position_of(reader.heartbeat(), 0.0)


@pytest.mark.parametrize("stops", KILLED, ids=str)
def test_a_real_table_stopped_and_killed_plays_on_to_the_end(
    stops: tuple[int, ...], tmp_path: Path
) -> None:
    journal = tmp_path / "t1.journal"
    arguments = ("run", "--recording", str(CLIP0), "--journal", str(journal), "--no-page")
    with contextlib.ExitStack() as stack:
        table: Running | None = None
        for at in stops:
            if table is None:
                table = stack.enter_context(running(tmp_path, *arguments, "--speed", "4"))
            until(partial(reached, journal, at), f"{at} s of the film", table)
            if at % 2:
                os.kill(table.child("service.table.process"), signal.SIGKILL)
            else:
                table.process.send_signal(signal.SIGINT)
                assert table.process.wait(30) == 0
                table = None
        table = table or stack.enter_context(running(tmp_path, *arguments, "--speed", "4"))
        found = until(lambda: len((s := state(journal))["plays"]) >= 8 and s, "its end", table)
        assert [play["text"] for play in found["plays"]] == PLAYS
        assert not any(play["infraction"] for play in found["plays"])
        assert found["waits_for"]["code"] in ("roll", "roll_or_double")
        assert [a["kind"] for a in found["alerts"]] == []
        over = until(lambda: (s := state(journal))["film"]["state"] == "over" and s, "end", table)
        assert over["alerts"] == []
        assert state(journal)["at"] == over["at"], "its time stands, and with it every clock"
        answer = ask(socket_path(journal), AGAIN)
        assert "another --journal" in answer["error"]["next"], "a journal that was named is kept"


def reached(journal: Path, at: float) -> bool:
    return position(journal) >= at
