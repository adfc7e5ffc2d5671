"""Every kind of board: reachable by its address, documented, refused in one line where it cannot
be; and a board of switches on modelled chips, from the pins to an entry.
"""

from __future__ import annotations

import contextlib
import queue
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory

from firmware_bridge.board_spec import reference_board
from firmware_bridge.errors import BoardLost
from firmware_bridge.switch_board import SwitchPort, open_switches
from firmware_bridge.transport import Port
from rules.board import BAR, POINTS, Placement, Side
from rules.observation import AWAITED
from rules.position import Position
from rules.ruleset import ruleset
from service.appliance.doctor import examine
from service.journal.entries import Body, PlayEntered, SourceLost
from service.journal.store import Reader, Store
from service.recording.format import (
    PORT,
    BytesTaken,
    Header,
    OrderTaken,
    Recording,
    RecordingError,
    SourceTaken,
    TickTaken,
    Writer,
)
from service.recording.playback import RecordedPort
from service.session.belief import Session
from service.session.core import Core
from service.settings import Settings
from service.settings_table import MatchSettings
from service.table import opening
from service.table import world as worlds
from service.table.boards import BOARDS, WIRED, scheme_of
from service.table.options import REFUSED
from service.table.replay import replayed
from service.table.sources import Bytes, FeedEvent, PortFeed, PortState
from tests.firmware_bridge.chips import ExpanderModel, TappedPin
from tests.firmware_bridge.test_kept_port import ScriptedPort

CONSOLE = {"role": "console", "name": ""}
START = Position.start(ruleset("backgammon"), Side.WHITE).placement
ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("address", "scheme"),
    [
        ("auto", WIRED),
        ("/dev/ttyACM0", WIRED),
        ("socket://10.0.0.2:2000", WIRED),
        ("simulated", "simulated"),
        ("pi", "pi"),
        ("pi:0", "pi"),
        ("recorded", WIRED),
    ],
)
def test_which_kind_an_address_means(address: str, scheme: str) -> None:
    assert scheme_of(address) == scheme


def test_every_kind_of_board_is_documented() -> None:
    page = (ROOT / "docs/boards.md").read_text(encoding="utf-8")
    for name, scheme in BOARDS.items():
        assert f"| `{name or 'auto'}" in page
        assert f"| {scheme.what} |" in page


@pytest.mark.skipif(Path("/dev/spidev0.0").exists(), reason="this machine has SPI")
def test_without_spi_the_board_on_the_pins_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "takhte.toml").write_text(f'[table]\ndata = "{tmp_path}"\n')
    words = ["--settings", str(tmp_path / "takhte.toml"), "--board", "pi", "--camera", "none"]
    done = subprocess.run(
        [sys.executable, "-m", "service.table.process", *words],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == REFUSED
    [line] = done.stderr.splitlines()
    assert line.startswith("takhte: --board pi: no SPI here")
    assert "Raspberry Pi" in line


@pytest.mark.skipif(Path("/dev/spidev0.0").exists(), reason="this machine has SPI")
def test_a_board_that_cannot_be_had_leaves_the_one_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "lgpio")
    monkeypatch.setattr(Device, "pin_factory", None)
    settings = Settings().with_values(board_address="simulated")
    world = worlds.World()
    worlds.connect_board(world, settings)
    before = world.board, world.ports
    with pytest.raises(worlds.RefusalError, match="--board pi"):
        worlds.connect_board(world, settings.with_values(board_address="pi"))
    assert (world.board, world.ports) == before
    worlds.connect_board(world, settings.with_values(board_address="none"))
    assert (world.board, world.ports) == (None, None)


@pytest.fixture
def chips() -> Iterator[ExpanderModel]:
    """Eight modelled expanders at the Pi's SPI pins, every switch open."""
    before = Device.pin_factory
    Device.pin_factory = factory = MockFactory(pin_class=TappedPin)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield ExpanderModel(11, 10, 9, 8)
    factory.reset()
    Device.pin_factory = before


def lay(chips: ExpanderModel, placement: Placement) -> None:
    """Close the switches under these checkers: the first five of a pile each close one."""
    spec = reference_board()
    chips.closed = [False] * len(chips.closed)
    for site in (*POINTS, BAR):
        places = spec.sensors.of_bar if site == BAR else spec.sensors.of_point(site)
        count = placement.white[site] + placement.black[site]
        for number in places[:count]:
            chips.closed[number] = True


class SilentPort:
    """A port on which nothing comes."""

    def read(self) -> bytes:
        return b""

    def write(self, data: bytes) -> None: ...
    def wait(self, seconds: float) -> None: ...
    def close(self) -> None: ...


class Evening:
    """One table on one board's port, taken in and recorded as the table's process does, in steps of
    50 ms of its own time.
    """

    def __init__(self, folder: Path, settings: Settings, store: Store) -> None:
        self.world = worlds.World()
        worlds.connect_board(self.world, settings)
        self.core = Core(Session(), store, self.world.board)
        header = Header(declared=opening.declared_orders(settings), scheme=self.world.scheme)
        self.recorder = Writer(folder, header)
        self.now = 0.0
        self.recorder.take(TickTaken(0.0, 0.0))
        opening.declare(self.core, settings, self.world, 0.0)

    def plug(self) -> None:
        self.recorder.take(SourceTaken(self.now, PORT, True, ""))
        self.core.port(True, "", self.now)

    def order(self, name: str, **args: object) -> None:
        answers: list[object] = []
        self.recorder.take(OrderTaken(self.now, name, args, CONSOLE))
        self.core.order(name, args, CONSOLE, self.now, answers.append)
        assert "seq" in str(answers), answers

    def run(self, port: Port, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.now = round(self.now + 0.05, 4)
            if data := port.read():
                self.recorder.take(BytesTaken(self.now, data))
                self.core.received(data, self.now)
            self.recorder.take(TickTaken(self.now))
            self.core.tick(self.now)


def bodies(journal: Path) -> list[Body]:
    with Reader(journal) as reader:
        return [entry.body for entry in reader.read()]


def test_a_play_on_switches_is_entered_and_replays_from_its_recording(
    chips: ExpanderModel, tmp_path: Path
) -> None:
    settings = Settings(match=MatchSettings(begins=True)).with_values(
        table_data=str(tmp_path), board_address="pi"
    )
    lay(chips, START)
    with Store.open(settings.journal) as store:
        evening = Evening(tmp_path / "kept", settings, store)
        board = evening.core.board
        assert board is not None
        assert not board.presses
        assert not board.lamps
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            port = SwitchPort(open_switches(), clock=lambda: evening.now)
        evening.plug()
        evening.order("start_game", starter="white")
        evening.run(port, 3.0)
        evening.order("declare_roll", roll=[3, 1])
        evening.run(port, 1.0)
        lay(chips, START.moved(Side.WHITE, 8, 5).moved(Side.WHITE, 6, 5))
        evening.run(port, 3.0)
        evening.order("press", side="white")
        evening.run(port, 3.0)
        evening.core.port(False, "the switches cannot be read", evening.now)
        evening.recorder.take(SourceTaken(evening.now, PORT, False, "the switches cannot be read"))
        evening.run(SilentPort(), 0.1)
        evening.recorder.close()
        port.close()
    live = bodies(settings.journal)
    assert [b.notation for b in live if isinstance(b, PlayEntered)] == ["8/5 6/5"]
    assert [b.source for b in live if isinstance(b, SourceLost)] == ["board"]
    replayed(Recording(tmp_path / "kept"), tmp_path / "replay.journal")
    assert bodies(tmp_path / "replay.journal") == live


def test_a_recorded_board_of_switches_comes_in_its_time_and_lies_there_at_the_end(
    tmp_path: Path,
) -> None:
    with contextlib.closing(Writer(tmp_path / "kept", Header(scheme="pi"))) as writer:
        for at, data in ((1.0, b"one"), (2.0, b"two")):
            writer.take(BytesTaken(at, data))
    stage = SimpleNamespace(position=0.5)
    port = RecordedPort(Recording(tmp_path / "kept"), stage)  # type: ignore[arg-type]
    heard = []
    while stage.position < 4.0:
        stage.position += 0.25
        heard.append((stage.position, port.read()))
    assert [(at, data) for at, data in heard if data] == [
        (1.0, b"one"),
        (2.0, b"two"),
        (3.0, b"two"),
        (4.0, b"two"),
    ]


def test_a_recording_of_a_later_kind_of_board_is_refused_in_one_line(tmp_path: Path) -> None:
    with contextlib.closing(Writer(tmp_path / "kept", Header(scheme="theremin"))) as writer:
        writer.take(BytesTaken(1.0, b"?"))
    with pytest.raises(RecordingError, match="kind 'theremin'"):
        worlds.recorded_reader(Recording(tmp_path / "kept"))


def test_the_board_on_the_pins_brings_its_clock_panel(chips: ExpanderModel) -> None:
    settings = Settings().with_values(board_address="pi")
    panel = worlds.panel_of(settings)
    assert panel is not None
    panel.close()
    assert worlds.panel_of(Settings()) is None


def test_the_doctor_says_whether_the_pins_are_there() -> None:
    found = {f.what: f for f in examine(Settings().with_values(board_address="pi"))}
    here = Path("/dev/spidev0.0").exists()
    assert found["board"].state == ("ok" if here else "problem")
    assert ("Raspberry Pi" if here else "SPI") in found["board"].found


def test_a_board_that_never_was_there_is_awaited_and_one_that_was_is_lost() -> None:
    told: queue.SimpleQueue[FeedEvent] = queue.SimpleQueue()
    steps = iter([BoardLost("not there")])

    def opener(address: str | None) -> Port:
        for step in steps:
            raise step
        return ScriptedPort(b"x")

    feed = PortFeed("/dev/it", told.put, opener)
    try:
        first = [told.get(timeout=120) for _ in range(4)]
    finally:
        feed.close()
    assert first == [
        PortState(ok=False, reason=f"{AWAITED}not there"),
        PortState(ok=True, reason=""),
        Bytes(b"x"),
        PortState(ok=False, reason="cable"),
    ]
