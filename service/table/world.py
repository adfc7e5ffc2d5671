"""What a table is connected to: camera, board, panel, or a recording in their place (E)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firmware_bridge import calibration
from firmware_bridge.board_spec import BoardSpec, load_board, reference_board
from firmware_bridge.calibration import Calibration
from firmware_bridge.clock_panel import ClockPanel
from firmware_bridge.errors import BoardFileError, CalibrationError, NoGpio
from firmware_bridge.pty_board import PtyBoard
from firmware_bridge.simulator import Simulator
from rules.board import Colour, Corner, Seating, Side
from rules.position import Position
from rules.ruleset import ruleset
from service.recording import format as recording
from service.recording.format import Header, Recording
from service.recording.playback import RecordedBoard, RecordedCamera, Stage
from service.referee.refusal import OrderError
from service.session.sight import Corners, Sight
from service.session.wired_board import Calibrations, Wires
from service.settings import Settings
from service.table import machine, sources
from vision.camera import open_camera

log = logging.getLogger(__name__)


class RefusalError(Exception):
    """The table cannot start, and starting again would not help: one line with cause and next step."""


@dataclass(slots=True)
class World:
    """What the table is connected to. `address` of the board's port, None without a board."""

    camera: sources.CameraOpener | None = None
    address: str | None = None
    wires: Wires | None = None
    panel: ClockPanel | None = None
    port: sources.PortFeed | None = None
    declared: tuple[Mapping[str, Any], ...] = ()
    stage: Stage | None = None
    about: str = ""
    corners: Corners | None = None
    calibrations: Path | None = None
    open: list[Any] = field(default_factory=list)

    def progress(self) -> Mapping[str, float] | None:
        """What the heartbeat keeps beside the time: how far a recording was played."""
        return {"position": round(self.stage.position, 3)} if self.stage else None

    def close(self) -> None:
        for thing in reversed(self.open):
            thing.close()


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
    return Seating(Colour(settings.seating.white), Corner(settings.seating.home))


def sight_of(settings: Settings, corners: Corners | None = None) -> Sight:
    return Sight(None if settings.camera.orientation < 0 else settings.camera.orientation, corners)


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


def world_of(settings: Settings, played: Path | None, since: float = 0.0) -> World:
    """Connect to what the settings name, or to a recording in its place.

    Raises RefusalError, RecordingError.
    """
    if played is not None:
        return _recorded(settings, Recording(played), since)
    board, source = settings.board.address, settings.camera.source
    spec = board_of(settings)
    wires = (
        None
        if board == "none"
        else Wires(spec, declared_seating(settings), calibrations_in(settings.data))
    )
    world = World(wires=wires, address=None if board == "none" else board)
    if board == "simulated":
        simulated = PtyBoard(Simulator(spec, 1))
        with simulated.hands() as hands:
            hands.set_placement(
                Position.start(ruleset(settings.match.ruleset), Side.WHITE).placement,
                declared_seating(settings),
            )
        world.address = simulated.address
        world.open.append(simulated)
    if source != "none":
        air = settings.broadcast
        world.camera = lambda: open_camera(
            source, broadcast=air.picture, cropped=air.picture_rate if air.picture else None
        )
    world.panel = panel_of(settings)
    return world


def panel_of(settings: Settings) -> ClockPanel | None:
    """The clock panel on this machine's own pins.

    Without pins the table starts all the same, and says so.
    """
    if settings.panel.gpio == "none":
        return None
    from firmware_bridge.gpio import GpioPanel

    if settings.panel.gpio == "mock":
        from gpiozero import Device
        from gpiozero.pins.mock import MockFactory

        Device.pin_factory = MockFactory()
    try:
        return GpioPanel()
    except NoGpio as e:
        log.error("%s; the table starts without its clock panel", e)
        return None


def _recorded(settings: Settings, found: Recording, since: float) -> World:
    header = found.header
    if found.problem:
        log.warning("%s", found.problem)
    stage = Stage(found, since)
    world = World(
        declared=header.declared, stage=stage, about=header.about, corners=corners_in(header)
    )
    world.calibrations = found.folder
    if settings.camera.source != "none":
        world.camera = lambda: RecordedCamera(found, stage)
    else:
        stage.no_pictures()
    if settings.board.address != "none":
        board = RecordedBoard(found, stage)
        if board.present:
            world.wires = Wires(spec_of(found), seating_in(header), calibrations_in(found.folder))
            world.address = board.address
        world.open.append(board)
    return world


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
    return Seating(
        Colour(header.seating.get("white", "light")),
        Corner(header.seating.get("home", "south-east")),
    )
