"""The firmware of a table's board, written from the page: one update in a thread of its own, and
how far it is (E).

The table goes on meanwhile, as with a board whose cable is out: the thread lets go of the port, and
says so when the table may open it again.
"""

from __future__ import annotations

import functools
import logging
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol, TypedDict

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.errors import UpdateError
from firmware_bridge.flashing import FirmwareUpdate, UpdateNews, released, way_back
from firmware_bridge.greeting import Firmware
from firmware_bridge.loader_drive import Loader, mounted_drives
from firmware_bridge.transport import find_boards, open_board
from service.recording.playback import Stage
from service.referee.refusal import OrderError
from service.session.boards import Board
from service.session.wired_board import WiredBoard
from service.table import sources
from service.table.boards import WIRED, BoardPorts

log = logging.getLogger(__name__)

AWAY: Final = "the board's firmware is being updated"
RUN_S: Final = 300.0
"""A whole Mega is read in 40 s and written in 60: what takes so long has hung."""
LAST_WORDS: Final = 400
FAILED: Final = "failed"


class RunsOn(TypedDict):
    """A firmware: its version, the sum of its sources, the chip it is for."""

    version: str
    build: str
    chip: str


class UpdateDocument(TypedDict):
    """How far an update is, or how it ended: `trouble` is a code and `said` the machine's words, ""
    where all went well.
    """

    step: str
    running: bool
    before: RunsOn | None
    after: RunsOn | None
    trouble: str
    said: str


class FirmwareDocument(TypedDict):
    """What runs on the board, what came with takhte for it, the file that leads back ("" for none),
    and the last update of this start of the table.
    """

    now: RunsOn | None
    release: RunsOn | None
    kept: str
    update: UpdateDocument | None


@dataclass(frozen=True, slots=True)
class UpdateEnded:
    """The port may be opened again."""


@dataclass(slots=True)
class Programmer:
    """Runs avrdude, one command at a time; what it says of a failure goes to the log."""

    _running: subprocess.Popen[bytes] | None = None
    _stopped: bool = False

    def __call__(self, command: list[str]) -> int:
        if self._stopped:
            return -1
        try:
            self._running = subprocess.Popen(  # noqa: S603
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            log.warning("%s cannot be run: %s", command[0], error)
            return -1
        try:
            _, said = self._running.communicate(timeout=RUN_S)
        except subprocess.TimeoutExpired:
            self._running.kill()
            _, said = self._running.communicate()
        if self._running.returncode:
            log.warning(
                "%s: %s", Path(command[0]).name, said.decode(errors="replace")[-LAST_WORDS:]
            )
        return self._running.returncode

    def stop(self) -> None:
        """From any thread: end what runs; the board's loader is as it was."""
        self._stopped = True
        if self._running is not None:
            self._running.kill()


@dataclass
class BoardUpdate:
    """One update of the board at `address`; None: the only one there is. `image` None: the release.
    `port` is let go first, and `put` hears that, and the end.
    """

    board: BoardSpec
    address: str | None
    data: Path
    image: Path | None
    port: sources.PortFeed | None
    put: Callable[[sources.PortState | UpdateEnded], None]
    loader: Loader = field(default_factory=Loader)
    news: UpdateNews = field(default_factory=UpdateNews)
    trouble: str = ""
    said: str = ""
    running: bool = True
    _programmer: Programmer = field(default_factory=Programmer)

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._run, name="firmware", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """The table ends: so does the writing, and whoever comes next writes again."""
        self._programmer.stop()
        self._thread.join(2)

    def document(self) -> UpdateDocument:
        """How far it is."""
        return {
            "step": self.news.step.value,
            "running": self.running,
            "before": runs_on(self.news.before),
            "after": runs_on(self.news.after),
            "trouble": self.trouble,
            "said": self.said,
        }

    def _run(self) -> None:
        try:
            if self.port is not None:
                self.port.close()
            self.put(sources.PortState(ok=False, reason=AWAY))
            self._job().write(self.image)
            log.info("the board's firmware was written: %s, before %s", *self._versions())
        except UpdateError as error:
            self._failed(error.code, str(error))
        except Exception as error:
            # Whatever an unknown adapter or system does, the table takes its port back.
            log.exception("the board's firmware could not be written")
            self._failed(FAILED, str(error))
        finally:
            self.running = False
            self.put(UpdateEnded())

    def _job(self) -> FirmwareUpdate:
        def heard(news: UpdateNews) -> None:
            self.news = news

        # A search for drives may wait for another program: not in the table's own thread.
        address = self.address or only_address(self.loader)
        return FirmwareUpdate(
            self.board, address, self.data, open_board, self._programmer, heard, self.loader
        )

    def _failed(self, code: str, said: str) -> None:
        self.trouble, self.said = code, said
        log.warning("%s", said)

    def _versions(self) -> tuple[str, str]:
        return str(self.news.after or "unknown"), str(self.news.before or "unknown")


def runs_on(firmware: Firmware | None) -> RunsOn | None:
    """A firmware as pages get it."""
    if firmware is None:
        return None
    return {"version": firmware.version, "build": firmware.build, "chip": firmware.chip}


class Wired(Protocol):
    """What an update reaches of the table's world."""

    scheme: str
    ports: BoardPorts | None
    port: sources.PortFeed | None
    stage: Stage | None

    @property
    def open_port(self) -> str | None: ...


class BoardFirmware:
    """What runs on a table's board, and one update at a time."""

    def __init__(
        self,
        world: Wired,
        board: Callable[[], Board | None],
        put: Callable[[sources.PortState | UpdateEnded], None],
        loader: Loader,
    ) -> None:
        self._world, self._board, self._put, self._loader = world, board, put, loader
        self._update: BoardUpdate | None = None

    @property
    def now(self) -> Firmware | None:
        """The firmware that answers; None where none does."""
        board = self._board()
        return board.firmware if board is not None else None

    def document(self, data: Path) -> FirmwareDocument:
        """What a page is told."""
        now, back, update = self.now, self._back(data), self._update
        return {
            "now": runs_on(now),
            "release": runs_on(released(now.chip)) if now is not None else None,
            "kept": back.name if back is not None else "",
            "update": update.document() if update is not None else None,
        }

    def write(self, which: str, data: Path) -> None:
        """Have the release written, or what was kept, while the table goes on. Raises OrderError
        where there is nothing to write, or nothing to write it to.
        """
        self.refuse_while_writing()
        world, board = self._world, self._board()
        wired = world.scheme == WIRED and world.stage is None
        if not wired or not isinstance(board, WiredBoard):
            came = "a recording" if world.stage is not None else world.scheme
            expected = "a board with a microcontroller"
            raise OrderError("no_firmware", expected, came, "choose the port of the board")
        image = self._back(data) if which == "kept" else None
        if which == "kept" and image is None:
            expected, came = "a firmware that was kept before an update", f"none in {data}"
            next_step = "write the one that came with takhte"
            raise OrderError("no_kept_firmware", expected, came, next_step)
        address = world.open_port or (world.ports.address if world.ports is not None else None)
        port, world.port = world.port, None
        self._update = BoardUpdate(board.board, address, data, image, port, self._put, self._loader)

    def refuse_while_writing(self) -> None:
        """Raises OrderError while an update runs."""
        if self._update is not None and self._update.running:
            expected, came = "a board that answers", "its firmware is being written"
            raise OrderError("updating", expected, came, "wait until it is done")

    def close(self) -> None:
        """The table ends."""
        if self._update is not None:
            self._update.close()

    def _back(self, data: Path) -> Path | None:
        """What leads back; from a board that does not answer, what ran before its update."""
        if self.now is not None:
            return way_back(data, self.now)
        return self._update.news.kept if self._update is not None else None


def loader_of(drive: str) -> Loader:
    """What reaches an RP2040's loader; `drive`: where this machine mounts it, "" for the usual
    places.
    """
    own = Path(drive).expanduser() if drive else None
    return Loader(drives=functools.partial(mounted_drives, own))


def only_address(loader: Loader) -> str:
    """Where the board is when nobody said: the only port that might have one, or the drive of a
    board that waits for its firmware. Raises UpdateError.
    """
    found = find_boards() or tuple(str(drive) for drive in loader.drives())
    if len(found) != 1:
        came = ", ".join(found) or "none"
        raise UpdateError("no_port", f"expected one port with the board, found {came}")
    return found[0]
