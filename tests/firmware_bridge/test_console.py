"""`takhte board` against a simulated board on a pty, with scripted hands."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_bridge import bringup, console
from firmware_bridge.board_spec import reference_board
from firmware_bridge.calibration import from_json
from firmware_bridge.clock_panel import Button
from firmware_bridge.console import START, ConsoleEdges, calibration_path
from firmware_bridge.findings import SensorFinding
from firmware_bridge.link_events import LinkStatistics
from firmware_bridge.pty_board import PtyBoard
from firmware_bridge.sensor_health import Health, SensorHealth
from firmware_bridge.simulator import Simulator
from firmware_bridge.view import Moment, board_picture, spans
from rules.board import Placement, Seating


class Listening(io.StringIO):
    """What the console prints, with ears: `on` is called with every line that comes."""

    def __init__(self, on: Callable[[str], None] | None = None) -> None:
        super().__init__()
        self._on = on

    def write(self, text: str) -> int:
        if self._on is not None and text.strip():
            self._on(text)
        return super().write(text)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """People are slower than simulated hands."""
    monkeypatch.setattr(bringup, "EMPTY_S", 2.5)
    monkeypatch.setattr(bringup, "PATIENCE_S", 20.0)


def test_monitor_shows_the_board(tmp_path: Path) -> None:
    simulator = Simulator(reference_board(), 1)
    simulator.set_placement(START)
    simulator.firmware.levels[5] = 700
    out = io.StringIO()
    with PtyBoard(simulator) as board:
        assert (
            console.main(
                ["monitor", "--board", board.address, "--seconds", "2.5", "--data", str(tmp_path)],
                ConsoleEdges(out),
            )
            == 0
        )
    last = out.getvalue()
    assert simulator.firmware.uid.hex() in last
    assert "NOT CALIBRATED" in last
    assert "2O" in last
    assert "multiplexer 5 does not let go of its SIG wire" in last
    assert "at-rest" in last
    assert "0 damaged" in last


def test_monitor_without_a_board_says_so(tmp_path: Path) -> None:
    out = io.StringIO()
    assert (
        console.main(
            ["monitor", "--board", "/dev/no-such-board", "--seconds", "0.2"], ConsoleEdges(out)
        )
        == 1
    )


def test_calibrate_from_the_start_position(tmp_path: Path, quick: None) -> None:
    simulator = Simulator(reference_board(), 2)
    simulator.set_placement(Placement.of({5: 1}, {}))
    out = io.StringIO()
    with PtyBoard(simulator) as board:

        def ask(question: str) -> str:
            with board.hands() as hands:
                hands.set_placement(Placement.of({}, {}) if "off the board" in question else START)
            return ""

        status = console.main(
            ["calibrate", "--board", board.address, "--data", str(tmp_path), "--fit", "sloppy"],
            ConsoleEdges(out, ask),
        )
    assert status == 0, out.getvalue()
    uid = simulator.firmware.uid.hex()
    found = from_json(calibration_path(tmp_path, uid).read_text(), uid)
    assert (found.made, found.fit) == ("start position", "sloppy")
    assert list(tmp_path.iterdir()) == [calibration_path(tmp_path, uid)]


def test_guided_calibration_follows_the_hand(
    tmp_path: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three sensors of the board are asked for here; the board notices each checker by itself."""
    simulator = Simulator(reference_board(), 3)
    asked: list[int] = []
    with PtyBoard(simulator) as board:

        def hand(line: str) -> None:
            if line.startswith("sensor ") and "from the" in line:
                number = int(line.split()[1].rstrip(":"))
                asked.append(number)
                with board.hands() as hands:
                    hands.table.clear()
                    hands.table.put_on_sensor(number)

        wanted = {0, 3, 4, 15, 20}
        real = bringup.guided
        skipped = {n for n in range(128) if n not in wanted}
        monkeypatch.setattr(
            bringup,
            "guided",
            lambda session, found, out, skip: real(session, found, out, skip | skipped),
        )
        out = Listening(hand)
        status = console.main(
            ["calibrate", "--guided", "--board", board.address, "--data", str(tmp_path)],
            ConsoleEdges(out, lambda question: ""),
        )
    assert status == 0, out.getvalue()
    assert asked == [0, 3, 4, 15, 20]
    uid = simulator.firmware.uid.hex()
    found = from_json(calibration_path(tmp_path, uid).read_text(), uid)
    for number in asked:
        assert found.gains[number] == pytest.approx(629 * simulator.table.gains[number], rel=0.08)
    assert found.made == "LED-guided"


@pytest.mark.parametrize("fault", [False, True], ids=["well", "a dead sensor"])
def test_the_bring_up_test_walks_through_everything(
    tmp_path: Path, quick: None, fault: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        bringup, "_felt_sensors", lambda session, skip: [n for n in (3, 4, 20, 31) if n not in skip]
    )
    monkeypatch.setattr(bringup, "PATIENCE_S", 3.0)
    simulator = Simulator(reference_board(), 4)
    out_lines: list[str] = []
    with PtyBoard(simulator) as board:
        if fault:
            with board.hands() as hands:
                hands.table.wreck(20, 0.0)
                simulator.firmware.levels[5] = 700

        def finger(line: str) -> None:
            out_lines.append(line)
            if line.startswith("sensor ") and "from the" in line:
                with board.hands() as hands:
                    hands.table.clear()
                    hands.table.put_on_sensor(int(line.split()[1].rstrip(":")))
            elif line.startswith("\n[lights]"):
                with board.hands() as hands:
                    hands.table.clear()
            word = line.strip().removeprefix("press ").removesuffix(" ...")
            if line.strip().startswith("press "):
                with board.hands() as hands:
                    hands.press(int(Button[word.upper()]), True)
                    hands.press(int(Button[word.upper()]), False)

        out = Listening(finger)
        status = console.main(
            ["test", "--board", board.address],
            ConsoleEdges(out, lambda question: "n" if fault and "all seven" in question else "y"),
        )
    assert status == (1 if fault else 0), out.getvalue()
    assert (
        "5 of 8 steps are good; not: sensors, checkers, buttons"
        if fault
        else "8 of 8 steps are good"
    ) in out.getvalue()
    # What the first step named costs no minute's wait in the next; buttons that are not there none.
    if fault:
        assert "multiplexer 5 does not let go of its SIG wire" in out.getvalue()
        assert "left out, as the step before named them: sensors 20\n" in out.getvalue()
        assert "press offer" not in out.getvalue()
    assert simulator.outputs.tones == ((880, 300),)


def test_a_board_of_one_quadrant_stays_on_the_screen() -> None:
    """What is missing is told in few lines: the picture of what is there must not scroll away."""
    board = reference_board()
    there = {*range(15), 16}
    health = SensorHealth(
        tuple(
            Health.GOOD if n in there or place.role in ("spare", "divider") else Health.STUCK
            for n, place in enumerate(board.sensors.places)
        ),
        False,
        tuple(SensorFinding.of("one_voltage", row=row) for row in range(2, 8)),
    )
    moment = Moment(None, None, None, health, LinkStatistics(), (), "")
    lines = board_picture(board, Seating(), moment).splitlines()
    assert len(lines) <= 23, lines
    assert "sensors 15, 17-78, 80-94, 96-110, 112-126: stuck" in lines
    assert any(line.startswith("multiplexer 2 answers with one voltage") for line in lines)
    assert spans([]) == ""
    assert spans([3, 5, 6, 7]) == "3, 5-7"


class Flasher:
    """avrdude, as far as the console sees it: what it was asked for, and a chip that changes."""

    def __init__(self, read: int = 0, written: int = 0) -> None:
        self.ran: list[list[str]] = []
        self._status = {"r": read, "w": written}

    def __call__(self, command: list[str]) -> int:
        self.ran.append(command)
        _, what, rest = command[-1].split(":", 2)
        path = Path(rest.removesuffix(":i"))
        if what == "w":
            assert path.read_text().startswith(":")
        elif not self._status["r"]:
            path.write_text(":00000001FF\n")
        return self._status[what]


@pytest.fixture
def avrdude(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: "/usr/bin/avrdude")
    monkeypatch.setattr("firmware_bridge.flashing.GREET_S", 0.2)


def test_update_says_both_versions_and_keeps_the_way_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: "/usr/bin/avrdude")
    out, flasher = io.StringIO(), Flasher()
    with PtyBoard(Simulator(reference_board(), 6)) as board:
        command = ["update", "--board", board.address, "--data", str(tmp_path)]
        assert console.main(command, ConsoleEdges(out, run=flasher)) == 0
    said = out.getvalue()
    assert "Before: firmware 1.2 (build 00000000)" in said
    assert "After: firmware 1.2 (build 00000000)" in said
    (kept,) = tmp_path.iterdir()
    assert f"--hex {kept}" in said
    read, write = flasher.ran
    assert read[:7] == ["/usr/bin/avrdude", "-p", "m2560", "-c", "wiring", "-P", board.address]
    assert read[-1] == f"flash:r:{kept.with_suffix('.part')}:i"
    assert write[:-1] == read[:-1]


FLASHED_WRONG = {
    "cannot be read": (["--board", "/dev/no-port"], Flasher(read=3), "nothing was written"),
    "cannot be written": (["--board", "/dev/no-port"], Flasher(written=3), "10 uF off RESET"),
    "says nothing afterwards": (["--board", "/dev/no-port"], Flasher(), "The way back: takhte"),
    "no such image": (["--board", "/dev/x", "--hex", "/no/such.hex"], Flasher(), "no firmware at"),
    "no port": ([], Flasher(), "name its port with --board ADDRESS. A new Raspberry Pi Pico: hold"),
}


@pytest.mark.parametrize("name", FLASHED_WRONG)
def test_an_update_that_fails_says_what_to_do(
    name: str,
    tmp_path: Path,
    avrdude: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("firmware_bridge.console.find_boards", lambda: ())
    words, flasher, said = FLASHED_WRONG[name]
    command = ["update", *words, "--data", str(tmp_path)]
    assert console.main(command, ConsoleEdges(io.StringIO(), run=flasher)) == 1
    assert said in capsys.readouterr().err


def test_without_avrdude_the_update_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("firmware_bridge.flashing.GREET_S", 0.2)
    assert console.main(["flash", "--board", "/dev/x"], ConsoleEdges(io.StringIO())) == 1
    assert "apt install avrdude" in capsys.readouterr().err


def test_a_report_holds_what_a_builder_can_send_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "REPORT_S", 1.5)
    path, simulator = tmp_path / "report.md", Simulator(reference_board(), 7)
    with PtyBoard(simulator) as board:
        command = ["report", "--board", board.address, "--data", str(tmp_path), "--out", str(path)]
        assert console.main(command, ConsoleEdges(io.StringIO())) == 0
    text = path.read_text()
    own = (simulator.firmware.uid.hex(), "firmware | 1.2", "clock, MHz | 16", "of 5000 mV")
    for wanted in (*own, "NOT CALIBRATED", "Magnets:"):
        assert wanted in text
    rows = [line for line in text.splitlines() if line.startswith("    multiplexer")]
    assert len(rows) == 8
    assert all(len(row.split(":")[1].split()) == 16 for row in rows)


WRONG = {
    "no command": ([], 2),
    "unknown": (["dance"], 2),
    "no spec": (["monitor", "--spec", "/no/such.toml"], 1),
    "help": (["--help"], 0),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_words_and_files(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    argv, status = WRONG[name]
    assert console.main(argv) == status


def test_a_damaged_calibration_is_said_plainly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulator = Simulator(reference_board(), 5)
    calibration_path(tmp_path, simulator.firmware.uid.hex()).write_text("{}")
    with PtyBoard(simulator) as board:
        assert (
            console.main(
                ["monitor", "--board", board.address, "--seconds", "20", "--data", str(tmp_path)],
                ConsoleEdges(io.StringIO()),
            )
            == 1
        )
    assert "calibrate again" in capsys.readouterr().err


def test_simulate_serves_a_board() -> None:
    out = io.StringIO()
    assert console.main(["simulate", "--seconds", "0.1"], ConsoleEdges(out)) == 0
    assert "/dev/" in out.getvalue()
