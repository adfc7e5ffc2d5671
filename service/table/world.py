"""What a table is connected to: camera, board, panel, or a recording in their place (E)."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from firmware_bridge import calibration
from firmware_bridge.board_spec import BoardSpec, load_board, reference_board
from firmware_bridge.calibration import Calibration
from firmware_bridge.clock_panel import ClockPanel
from firmware_bridge.errors import BoardFileError, CalibrationError, MisuseError, NoGpio
from rules.board import Seating
from service.journal.paths import phone_path
from service.recording import format as recording
from service.recording.format import Header, Recording
from service.recording.log import JsonObject
from service.recording.playback import RecordedBoard, RecordedCamera, RecordedPort, Stage, has_board
from service.referee.refusal import OrderError
from service.session.boards import Board
from service.session.sight import Corners, Sight
from service.session.wired_board import Calibrations
from service.settings import PHONE, Settings
from service.table import machine, sources
from service.table.boards import (
    BOARDS,
    WIRED,
    BoardMissingError,
    BoardPorts,
    BoardWanted,
    scheme_of,
)
from vision.camera.camera import open_camera
from vision.camera.phone import SCHEME
from vision.networks import Networks
from vision.tune import Tuned, TuneError, tuned_from

log = logging.getLogger(__name__)


class RefusalError(Exception):
    """The table cannot start, nor would starting again help: one line, cause and next step."""


@dataclass(frozen=True, slots=True)
class PlayedRecording:
    """A recording in the world's place: from where in it, and how fast."""

    folder: Path
    since: float = 0.0
    speed: float = 1.0


@dataclass(frozen=True, slots=True)
class CameraTold:
    """What the camera's reading is told and cannot see: how the camera hangs (0 or 180, -1 where
    nobody said), and what `takhte tune` learned of the table.
    """

    orientation: int = -1
    tuned: Tuned | None = None


@dataclass(slots=True)
class World:
    """What the table is connected to. `ports`: where the board's bytes come from; None without a
    board."""

    camera: sources.CameraOpener | None = None
    board: Board | None = None
    ports: BoardPorts | None = None
    panel: ClockPanel | None = None
    port: sources.PortFeed | None = None
    declared: tuple[JsonObject, ...] = ()
    stage: Stage | None = None
    about: str = ""
    corners: Corners | None = None
    told: CameraTold = CameraTold()
    calibrations: Path | None = None
    scheme: str = ""
    """The kind of board, as in `service.table.boards`; a recording keeps it."""
    played: RecordedBoard | None = None
    """The board of the recording that is played."""

    def clock(self) -> float:
        """The time that everything here lives by: the machine's, or the played recording's own."""
        return self.stage.position if self.stage else time.monotonic()

    @property
    def speed(self) -> float:
        """Seconds of `clock` in a second of the machine's."""
        return self.stage.speed if self.stage else 1.0

    def begin(self) -> None:
        """Somebody follows from now on: a recording begins to play."""
        if self.stage is not None:
            self.stage.go()

    def progress(self) -> Mapping[str, float] | None:
        """What the heartbeat keeps beside the time: how far a recording was played."""
        return {"position": round(self.stage.position, 3)} if self.stage else None

    @property
    def buttons(self) -> bool:
        """Whether anything here has the clock's buttons."""
        return self.panel is not None or (self.board is not None and self.board.presses)

    @property
    def open_port(self) -> str | None:
        """The address of the board's port; None where it is not open."""
        return self.port.where if self.port is not None else None

    def close_board(self) -> None:
        """Let go of the board's port and of what answers there, if that is in this program."""
        if self.port is not None:
            self.port.close()
        if self.ports is not None and self.ports.simulated is not None:
            self.ports.simulated.close()
        self.port = self.ports = self.board = None

    def close(self) -> None:
        """Let go of everything."""
        self.close_board()
        if self.played is not None:
            self.played.close()
        if self.panel is not None:
            self.panel.close()


def board_of(settings: Settings) -> BoardSpec:
    """The board's description. Raises RefusalError."""
    if not settings.board.map:
        return reference_board()
    try:
        return load_board(Path(settings.board.map).read_text(encoding="utf-8"), settings.board.map)
    except BoardFileError as e:
        raise RefusalError(str(e)) from None
    except (OSError, UnicodeDecodeError) as e:
        raise RefusalError(
            f"{settings.board.map}: the board file cannot be read ({e}); correct board.map in the"
            " settings"
        ) from None


def declared_seating(settings: Settings) -> Seating:
    """Who sits where, as the settings say."""
    return Seating.from_json({"white": settings.seating.white, "home": settings.seating.home})


def sight_of(told: CameraTold, corners: Corners | None = None) -> Sight:
    """How the camera's reading begins, with networks of its own."""
    orientation = None if told.orientation < 0 else told.orientation
    if told.tuned is None:
        return Sight(orientation, corners)
    networks = Networks(temperature=told.tuned.temperature)
    return Sight(orientation, corners, networks=networks, palette=told.tuned.palette)


def camera_told(settings: Settings) -> CameraTold:
    """What the settings tell of the camera. Raises RefusalError."""
    camera = settings.camera
    if not camera.tuned:
        return CameraTold(camera.orientation)
    try:
        text = Path(camera.tuned).expanduser().read_text(encoding="utf-8")
        return CameraTold(camera.orientation, tuned_from(text))
    except (OSError, UnicodeDecodeError, TuneError) as e:
        raise RefusalError(
            f"{camera.tuned}: {e}; correct --tuned, or camera.tuned in the settings"
        ) from None


def told_in(header: Header) -> CameraTold:
    """What a recording's camera was told. Raises RecordingError."""
    try:
        return CameraTold(header.orientation, tuned_from(header.tuned) if header.tuned else None)
    except TuneError as e:
        raise recording.RecordingError(
            f"the recording's header: {e}; make the recording again"
        ) from None


def calibrations_in(folder: Path) -> Calibrations:
    """Calibrations kept as `calibration-UID.json`, as `takhte board calibrate` writes them."""

    def find(uid: str) -> Calibration | None:
        path = folder / f"calibration-{uid}.json"
        try:
            return calibration.from_json(path.read_text(encoding="utf-8"), uid)
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as e:
            raise CalibrationError(f"{path}: cannot be read ({e}): calibrate again") from None

    return find


def world_of(settings: Settings, played: PlayedRecording | None) -> World:
    """Connect to what the settings name, or to a recording in its place.

    Raises RefusalError, RecordingError.
    """
    if played is not None:
        return _recorded(settings, played)
    world = World(camera=camera_of(settings), told=camera_told(settings))
    connect_board(world, settings)
    world.panel = panel_of(settings)
    return world


def camera_of(settings: Settings) -> sources.CameraOpener | None:
    """What opens the camera that the settings name; None for none."""
    source, air = settings.camera.source, settings.broadcast
    if source == "none":
        return None
    if source == PHONE:
        source = f"{SCHEME}{phone_path(settings.journal)}"
    return lambda: open_camera(
        source, broadcast=air.picture, cropped=air.picture_rate if air.picture else None
    )


def connect_board(world: World, settings: Settings) -> None:
    """Have the world use the board that the settings name, or none. Raises RefusalError; nothing
    has changed then.
    """
    address, name, ports, reader = settings.board.address, WIRED, None, None
    if address != "none":
        spec, seating = board_of(settings), declared_seating(settings)
        name = scheme_of(address)
        scheme = BOARDS[name]
        try:
            ports = scheme.ports(BoardWanted(address, spec, seating, settings.match.ruleset))
        except BoardMissingError as e:
            raise RefusalError(str(e)) from None
        reader = scheme.reader(spec, seating, calibrations_in(settings.data))
    world.close_board()
    world.ports, world.board, world.scheme = ports, reader, name


def panel_of(settings: Settings) -> ClockPanel | None:
    """The clock panel on this machine's own pins.

    Without pins the table starts all the same, and says so.
    """
    with_board = BOARDS[scheme_of(settings.board.address)].panel
    if settings.panel.gpio == "none" and not with_board:
        return None
    from firmware_bridge.gpio import GpioPanel
    from firmware_bridge.panel_pins import panel_pins

    if settings.panel.gpio == "mock":
        from gpiozero import Device
        from gpiozero.pins.mock import MockFactory

        Device.pin_factory = MockFactory()
    try:
        return GpioPanel(panel_pins(settings.panel.pins, switches=with_board))
    except (NoGpio, MisuseError) as e:
        log.error("%s; the table starts without its clock panel", e)
        return None


def _recorded(settings: Settings, played: PlayedRecording) -> World:
    found = Recording(played.folder)
    header = found.header
    if found.problem:
        log.warning("%s", found.problem)
    stage = Stage(found, played.since, played.speed)
    world = World(
        declared=header.declared,
        stage=stage,
        about=header.about,
        corners=corners_in(header),
        told=told_in(header),
        scheme=header.scheme,
    )
    world.calibrations = found.folder
    if settings.camera.source != "none":
        world.camera = lambda: RecordedCamera(found, stage)
    else:
        stage.no_pictures()
    if settings.board.address != "none":
        world.board = recorded_reader(found)
        if world.board is not None and header.scheme == WIRED:
            world.played = RecordedBoard(found, stage)
            world.ports = BoardPorts(world.played.address)
        elif world.board is not None:
            world.ports = BoardPorts(None, lambda _: RecordedPort(found, stage))
    return world


def recorded_reader(found: Recording) -> Board | None:
    """What reads the bytes of a recording's board; None where it has no board. Raises
    RecordingError.
    """
    scheme = BOARDS.get(found.header.scheme)
    if scheme is None:
        raise recording.RecordingError(
            f"the recording's board is of the kind {found.header.scheme!r}, which this takhte does"
            " not know; play it with the takhte that made it"
        )
    if not has_board(found):
        return None
    return scheme.reader(spec_of(found), seating_in(found.header), calibrations_in(found.folder))


def spec_of(found: Recording) -> BoardSpec:
    """The board that a recording's bytes come from."""
    return (
        load_board(found.header.board, str(found.folder))
        if found.header.board
        else reference_board()
    )


def corners_in(header: Header) -> Corners | None:
    """The corners that a person dragged before the recording began. Raises RecordingError."""
    try:
        found = [
            machine.corners_of(given.get("args", {}))
            for given in header.declared
            if given.get("order") == "set_corners"
        ]
    except OrderError as e:
        raise recording.RecordingError(
            f"the recording's header: {e}; make the recording again"
        ) from None
    return found[-1] if found else None


def seating_in(header: Header) -> Seating:
    """Who sat where when the recording began."""
    return Seating.from_json(header.seating)
