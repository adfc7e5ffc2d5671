"""The board's firmware updated from the page, in a real browser, at a table that goes on meanwhile.

What stands behind the port is decided by what was written to it: the release runs as compiled, on
an emulated ATmega2560; anything else is the simulated board, whose build is another. In avrdude's
place a program that reads and writes the same files, and refuses a port that somebody has open.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from firmware_bridge.board_spec import reference_board
from firmware_bridge.flashing import released
from firmware_bridge.greeting import MEGA
from firmware_bridge.pty_board import PtyBoard
from firmware_bridge.simulator import Simulator
from service.journal.paths import socket_path
from service.web.asking import ask
from tests.hardware.emulated import EmulatedBoard
from tests.ports import free_port
from tests.service.table.world import Running, running, state, until
from tests.service.web.browser import PHONE, launch, opened, problems

pytestmark = [pytest.mark.browser, pytest.mark.board]

AVRDUDE = """#!{python}
import fcntl, os, pathlib, sys
room = pathlib.Path({room!r})
with open(room / "asked", "a") as asked:
    asked.write(" ".join(sys.argv[1:]) + "\\n")
port = os.open(sys.argv[sys.argv.index("-P") + 1], os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
try:
    fcntl.flock(port, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    sys.exit("somebody has the port open")
if (room / "fails").exists():
    sys.exit("stk500v2_getsync(): timeout communicating with programmer")
_, what, path, _ = sys.argv[-1].split(":")
if what == "r":
    pathlib.Path(path).write_bytes((room / "chip.hex").read_bytes())
else:
    image = pathlib.Path(path).read_bytes()
    (room / "chip.hex").write_bytes(image)
    runs = "release" if image == pathlib.Path({release!r}).read_bytes() else "older"
    (room / "new").unlink(missing_ok=True)
    os.symlink(os.path.realpath(room / runs), room / "new")
    os.replace(room / "new", room / "board")
"""
RELEASE = Path(__file__).parents[3] / "firmware_bridge/data/board.hex"


@contextmanager
def updatable(room: Path) -> Iterator[Path]:
    """A port behind which an older firmware runs until another is written."""
    (room / "bin").mkdir()
    program = room / "bin/avrdude"
    program.write_text(AVRDUDE.format(python=sys.executable, room=str(room), release=str(RELEASE)))
    program.chmod(0o755)
    (room / "chip.hex").write_text(":00000001FF\n")
    with (
        EmulatedBoard(reference_board(), 1, tty=room / "release"),
        PtyBoard(Simulator(reference_board(), 2)) as older,
    ):
        (room / "older").symlink_to(older.address)
        (room / "board").symlink_to(older.address)
        yield room / "board"


@contextmanager
def table_with(port: Path, folder: Path) -> Iterator[tuple[Running, str, Path]]:
    """A real table with the board at that port; its page's address, its journal."""
    journal, own = folder / "t1.journal", free_port()
    words = ("run", "--journal", str(journal), "--camera", "none", "--board", str(port))
    pages = ("--port", str(free_port()), "--console-port", str(own))
    with running(folder, *words, *pages) as table:
        until(lambda: state(journal)["sources"]["board"]["state"] == "ok", "the board", table)
        until(lambda: served(own), "the page", table)
        yield table, f"http://127.0.0.1:{own}", journal


def served(port: int) -> bool:
    with socket.create_connection(("127.0.0.1", port)):
        return True


def write(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_the_board_is_updated_from_the_page_and_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    new, data = released(MEGA), tmp_path / "data"
    with (
        updatable(tmp_path) as port,
        table_with(port, tmp_path) as (table, url, journal),
        sync_playwright() as playwright,
    ):
        browser = launch(playwright)
        with opened(browser, f"{url}/first-use", PHONE) as page:
            box = page.locator("#firmware")
            expect(box).to_contain_text("1.2 · 00000000")
            expect(box).to_contain_text(f"{new.version} · {new.build}")
            write(page, "Update the board")
            expect(box).to_contain_text("Written", timeout=60_000)
            expect(box).to_contain_text("The board has the firmware that came with takhte.")
            (kept,) = data.glob("firmware-before-*.hex")
            assert kept.read_text() == ":00000001FF\n"
            assert (tmp_path / "chip.hex").read_bytes() == RELEASE.read_bytes()
            until(lambda: state(journal)["sources"]["board"]["state"] == "ok", "the board", table)
            assert not problems(page)

            (tmp_path / "fails").touch()
            write(page, "Write it again")
            expect(box).to_contain_text("Nothing was written", timeout=60_000)
            expect(box).to_contain_text("RESET-EN")
            expect(box.get_by_role("button", name="Put the one before back")).to_be_visible()
            assert not problems(page)
            (tmp_path / "fails").unlink()
        with opened(browser, f"{url}/first-use", PHONE, lang="fa") as page:
            box = page.locator("#firmware")
            expect(box).to_contain_text("چیزی نوشته نشد")
            write(page, "پیشین را برگردانید")
            expect(box).to_contain_text("نوشته شد", timeout=60_000)
            expect(box).to_contain_text("00000000")
            assert not problems(page)
        browser.close()
        until(lambda: state(journal)["sources"]["board"]["state"] == "ok", "the board", table)
        asked = (tmp_path / "asked").read_text().splitlines()
        assert all(f"-P {port}" in line for line in asked)
        assert table.end() == 0


def test_a_board_is_not_written_in_a_game_nor_by_players(tmp_path: Path) -> None:
    with (
        PtyBoard(Simulator(reference_board(), 2)) as board,
        table_with(Path(board.address), tmp_path) as (_, _, journal),
    ):

        def order(name: str, role: str = "director", **args: object) -> str:
            by = {"role": role, "name": "D"}
            given = ask(socket_path(journal), {"id": "1", "order": name, "args": args, "by": by})
            return "" if given["ok"] else given["error"]["code"]

        assert order("update_board", "player", firmware="release") == "not_yours"
        assert order("update_board", "arbiter", firmware="release") == "not_yours"
        assert order("update_board", firmware="kept") == "no_kept_firmware"
        assert order("update_board", firmware="/tmp/mine.hex") == "bad_text"
        assert order("set_match", length=3) == ""
        assert order("start_game", starter="white") == ""
        assert order("update_board", firmware="release") == "not_now"
        assert order("use_board", address="simulated") == ""
        assert order("freeze") == ""
        assert order("update_board", firmware="release") == "no_firmware"
