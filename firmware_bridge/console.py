"""E. `takhte board monitor | calibrate | test | update | report | simulate`: the board alone, for
whoever builds or mends one.

`main(argv)` returns the exit status: 0 well, 1 something is wrong with the board or the port (said
in one line), 2 wrong words.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TextIO

import platformdirs

from firmware_bridge import bringup
from firmware_bridge.board_report import report_text
from firmware_bridge.board_spec import BoardSpec, load_board, reference_board
from firmware_bridge.calibration import Calibration, by_design, from_json
from firmware_bridge.errors import BridgeError, CalibrationError, NotOurBoard
from firmware_bridge.flashing import FirmwareUpdate, UpdateNews, UpdateStep, command_back
from firmware_bridge.link_events import EdgeSeen, LevelsSeen, Linked, Sensed
from firmware_bridge.loader_drive import BY_HAND, Loader
from firmware_bridge.panel_pins import panel_pins
from firmware_bridge.physics import FITS
from firmware_bridge.pi_bringup import walk_pins
from firmware_bridge.pty_board import PtyBoard
from firmware_bridge.sensing import Sensing
from firmware_bridge.session import BoardSession
from firmware_bridge.simulator import Simulator
from firmware_bridge.transport import Port, find_boards, open_board
from firmware_bridge.view import Moment, board_picture, press_text
from rules.board import Placement, Seating

START: Final = Placement.of({24: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5})
"""The one placement that the console knows: where checkers are known to lie when a person has set
the board up for backgammon.
"""
REPORT_S: Final = 5.0
"""So long a report listens."""
HOME: Final = "\x1b[H\x1b[J"


@dataclass(frozen=True)
class ConsoleEdges:
    """What the console touches outside: tests put their own in."""

    out: TextIO
    ask: Callable[[str], str] = input
    opener: Callable[[str | None], Port] = open_board
    run: Callable[[list[str]], int] = subprocess.call
    loader: Loader = field(default_factory=Loader)


def main(
    argv: Sequence[str] | None = None,
    world: ConsoleEdges | None = None,
    data: Path | None = None,
) -> int:
    """Run one command of `takhte board`; `data`: where calibrations and kept firmware lie unless a
    person says otherwise.
    """
    world = world or ConsoleEdges(sys.stdout)
    try:
        given = _parser(data or platformdirs.user_data_path("takhte")).parse_args(argv)
    except SystemExit as stop:
        return int(stop.code or 0)
    try:
        board = (
            load_board(given.spec.read_text(encoding="utf-8"), str(given.spec))
            if given.spec
            else reference_board()
        )
        return int(given.command(given, board, world))
    except BridgeError as error:
        print(f"takhte board: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(
            f"takhte board: {error.filename or 'a file'}: {error.strerror or error}",
            file=sys.stderr,
        )
        return 1
    except (KeyboardInterrupt, EOFError):
        return 130


Run = Callable[[argparse.Namespace, BoardSpec, ConsoleEdges], int]
Add = Callable[[str, str, Run], argparse.ArgumentParser]
"""Name, what it is for, what it does -> its parser, with the options that all of them have."""


def _parser(data: Path) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="takhte board",
        description="The board alone: watch it, calibrate it, test it, flash it.",
    )
    kinds = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, text: str, run: Run) -> argparse.ArgumentParser:
        found = kinds.add_parser(name, help=text, description=text)
        found.set_defaults(command=run)
        _which_board(found, data)
        return found

    _watching(command)
    _bringing_up(command)
    _updating(command)
    _without_hardware(command)
    return parser


def _which_board(parser: argparse.ArgumentParser, data: Path) -> None:
    """Which board, how it is built, and where its calibration is kept."""
    parser.add_argument(
        "--board",
        metavar="ADDRESS",
        help="/dev/tty..., a pty or socket://host:port; searched by USB id when not given",
    )
    parser.add_argument(
        "--spec", type=Path, metavar="FILE", help="a board.toml, for a board of other dimensions"
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=data,
        metavar="FOLDER",
        help="where calibrations are kept (%(default)s)",
    )


def _watching(command: Add) -> None:
    """A board as it is: live, and as a report."""
    monitor = command("monitor", "a live view: checkers, presses, the link's health", _monitor)
    monitor.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    reporting = command(
        "report", "write what a builder can send in: how this board measures and counts", _report
    )
    reporting.add_argument(
        "--out", type=Path, metavar="FILE", help="board-report-UID.md by default"
    )


def _bringing_up(command: Add) -> None:
    """A board that was built or mended."""
    calibrate = command(
        "calibrate",
        "teach takhte this board: empty, then the start position, or a checker on every sensor",
        _calibrate,
    )
    calibrate.add_argument(
        "--guided",
        action="store_true",
        help="one checker above each sensor in turn, guided by its light: ten minutes, and best",
    )
    calibrate.add_argument(
        "--fit",
        choices=sorted(FITS),
        default="normal",
        help="how loosely checkers lie on this board",
    )
    testing = command(
        "test", "walk through everything on the board, step by step; --board pi: own pins", _test
    )
    testing.add_argument(
        "--pins", default="", metavar="WORDS", help="as panel.pins in the settings, with --board pi"
    )


def _updating(command: Add) -> None:
    """The firmware, under both names that people look for."""
    for name in ("update", "flash"):
        flash = command(
            name,
            "put the firmware that came with takhte on an Arduino Mega, through avrdude, or on an"
            " RP2040, through its own loader: says its version before and after, and the way back",
            _update,
        )
        flash.add_argument(
            "--hex",
            type=Path,
            metavar="FILE",
            help="another firmware than the one that came with takhte, as the one that was kept",
        )


def _without_hardware(command: Add) -> None:
    simulate = command(
        "simulate", "a simulated board on a pty, to try everything without hardware", _simulate
    )
    simulate.add_argument("--seed", type=int, default=1)
    simulate.add_argument("--seconds", type=float, default=float("inf"))


def calibration_path(folder: Path, uid: str) -> Path:
    """Where a board's calibration is kept."""
    return folder / f"calibration-{uid}.json"


def kept_calibration(folder: Path, board: BoardSpec, uid: str) -> tuple[Calibration, str]:
    """A board's calibration and a word about it; the design's when it has none.

    Raises CalibrationError for a damaged or foreign file.
    """
    path = calibration_path(folder, uid)
    if not path.exists():
        return by_design(board, uid), "NOT CALIBRATED (takhte board calibrate)"
    found = from_json(path.read_text(encoding="utf-8"), uid)
    if len(found.zeros) != len(board.sensors.places):
        raise CalibrationError(
            f"{path} is for {len(found.zeros)} sensors, {board.name} has"
            f" {len(board.sensors.places)}: calibrate again"
        )
    return found, f"calibrated ({found.made})"


def _monitor(given: argparse.Namespace, board: BoardSpec, world: ConsoleEdges) -> int:
    session, seating = BoardSession(board, given.board, world.opener), Seating()
    sensing: Sensing | None = None
    observation, calibrated, presses = None, "", list[str]()
    end, drawn = time.monotonic() + given.seconds, 0.0
    live = world.out.isatty()
    try:
        while (now := time.monotonic()) < end:
            for event in session.pump(0.05):
                if isinstance(event, Linked):
                    calibration, calibrated = kept_calibration(
                        given.data, board, event.hello.uid.hex()
                    )
                    sensing = Sensing(board, calibration, seating)
                elif isinstance(event, Sensed) and sensing is not None:
                    observation = sensing.observe(event.values, event.at, event.number)
                elif isinstance(event, LevelsSeen) and sensing is not None:
                    sensing.hear_levels(event.values)
                elif isinstance(event, EdgeSeen):
                    presses.append(press_text(event.button, event.down))
            if now - drawn >= (0.2 if live else 1.0):
                drawn = now
                health = sensing.health() if sensing else None
                moment = Moment(
                    session.link.hello,
                    session.connection.problem,
                    observation,
                    health,
                    session.link.statistics,
                    tuple(presses[-6:]),
                    calibrated,
                )
                print(
                    (HOME if live else "") + board_picture(board, seating, moment),
                    file=world.out,
                    flush=True,
                )
    finally:
        session.close()
    return 0 if session.link.hello is not None else 1


def _calibrate(given: argparse.Namespace, board: BoardSpec, world: ConsoleEdges) -> int:
    session = BoardSession(board, given.board, world.opener)
    try:
        session.connect()
        assert session.link.hello is not None
        uid = session.link.hello.uid.hex()
        found, faults = bringup.empty_board(session, world.ask, world.out, uid)
        bringup.tell_faults(faults, world.out)
        if faults:
            print(
                "Mend these first, or go on: the sites they serve will be in doubt.", file=world.out
            )
        if given.guided:
            found = bringup.guided(
                session, found, world.out, skip={fault.sensor for fault in faults}
            )
        else:
            found = bringup.start_position(session, found, world.ask, world.out, START)
        found = replace(found, fit=given.fit)
        given.data.mkdir(parents=True, exist_ok=True)
        path = calibration_path(given.data, uid)
        fresh = path.with_suffix(".new")
        fresh.write_text(found.to_json(), encoding="utf-8")
        fresh.replace(path)
        print(f"Board {uid} is calibrated ({found.made}); kept in {path}", file=world.out)
    finally:
        session.close()
    return 0


def _test(given: argparse.Namespace, board: BoardSpec, world: ConsoleEdges) -> int:
    results = _test_pins(given, board, world) if given.board == "pi" else None
    if results is None:
        session = BoardSession(board, given.board, world.opener)
        try:
            session.connect()
            results = bringup.walk(session, world.ask, world.out)
        finally:
            session.close()
    failed = [name for name, good in results if not good]
    print(
        f"\n{len(results) - len(failed)} of {len(results)} steps are good"
        + (f"; not: {', '.join(failed)}" if failed else ""),
        file=world.out,
    )
    return 1 if failed else 0


def _test_pins(
    given: argparse.Namespace, board: BoardSpec, world: ConsoleEdges
) -> list[tuple[str, bool]]:
    """The walk of a board on this machine's own pins."""
    from firmware_bridge.gpio import GpioPanel
    from firmware_bridge.switch_board import open_switches

    panel = GpioPanel(panel_pins(given.pins, switches=True))
    try:
        switches = open_switches()
        try:
            return walk_pins(board, switches, panel, world.ask, world.out)
        finally:
            switches.close()
    finally:
        panel.close()


def _update(given: argparse.Namespace, board: BoardSpec, world: ConsoleEdges) -> int:
    address = given.board
    if address is None:
        found = find_boards() or tuple(str(drive) for drive in world.loader.drives())
        if len(found) != 1:
            raise NotOurBoard(
                f"{len(found)} ports might be a board ({', '.join(found)}); name one with"
                " --board ADDRESS"
                if found
                else "no port might be a board: plug it in, or name its port with --board ADDRESS."
                f" A new Raspberry Pi Pico: {BY_HAND}"
            )
        address = found[0]
    said = _UpdateWords(world.out)
    job = FirmwareUpdate(
        board, address, given.data, world.opener, world.run, said.tell, world.loader
    )
    said.end(job.write(given.hex), address)
    return 0


@dataclass
class _UpdateWords:
    """An update in words, a line as soon as there is something to say."""

    out: TextIO
    _said: UpdateNews = field(default_factory=UpdateNews)

    def tell(self, news: UpdateNews) -> None:
        known, self._said = self._said, news
        if news.step is not UpdateStep.ASKING and known.step is UpdateStep.ASKING:
            before = f"firmware {news.before}" if news.before else news.silent
            self._line(f"Before: {before}" if before else "The board waits for its firmware")
        if news.kept != known.kept and known.step is UpdateStep.KEEPING:
            self._line(f"What was on the board is kept in {news.kept}")
        if news.after is not None and known.after is None:
            self._line(f"After: firmware {news.after}")

    def end(self, news: UpdateNews, address: str) -> None:
        back = f" The way back: {command_back(address, news.kept)}" if news.after else ""
        self._line(f"The firmware is on the board. Next: takhte board test.{back}")

    def _line(self, text: str) -> None:
        print(text, file=self.out, flush=True)


def _report(given: argparse.Namespace, board: BoardSpec, world: ConsoleEdges) -> int:
    session = BoardSession(board, given.board, world.opener)
    try:
        session.connect()
        scans = session.watch(REPORT_S)
        hello = session.link.hello
        assert hello is not None
        calibration, calibrated = kept_calibration(given.data, board, hello.uid.hex())
        text = report_text(board, hello, session.link.statistics, scans, calibration, calibrated)
    finally:
        session.close()
    path = given.out or Path(f"board-report-{hello.uid.hex()}.md")
    path.write_text(text, encoding="utf-8")
    print(f"The report is in {path}: fill in its empty lines and send it in", file=world.out)
    return 0


def _simulate(given: argparse.Namespace, board: BoardSpec, world: ConsoleEdges) -> int:
    simulator = Simulator(board, given.seed)
    simulator.set_placement(START)
    with PtyBoard(simulator) as served:
        print(f"a simulated board is at {served.address}", file=world.out, flush=True)
        end = time.monotonic() + given.seconds
        while time.monotonic() < end:
            time.sleep(min(1.0, max(0.0, end - time.monotonic())))
    return 0
