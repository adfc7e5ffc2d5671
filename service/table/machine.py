"""What a person tells the machine rather than the game: which camera, which board, where the
corners lie; and trying them out (E).

Choices made on the page are kept in `NAME.machine.json` beside the journal and win over the
settings until others are made there; what the command line says wins over both. None of this is in
the journal: it is no part of any match.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol, TypedDict

from firmware_bridge.findings import SensorFinding
from firmware_bridge.lights import Light, LightColour, LightScene
from rules.board import BAR, OFF, POINTS
from service.journal.entry import Role
from service.referee.args import TextArg
from service.referee.hardware_orders import BOARD_ADDRESS, CAMERA_SOURCE, FIRMWARE
from service.referee.inputs import Args, Order
from service.referee.refusal import OrderError
from service.session.core import Core
from service.session.sight import Corners
from service.settings import PHONE, Settings
from service.table import sources
from service.table.boards import BOARDS
from service.table.updating import BoardFirmware
from vision.camera.sources import SourceError, check_source, device_path, is_address

log = logging.getLogger(__name__)

PROBE_S: Final = 5.0
KEPT_CAMERA: Final = TextArg("camera", most=CAMERA_SOURCE.most)
KEPT_BOARD: Final = TextArg("board", most=BOARD_ADDRESS.most)
ALL_LIGHTS: Final = LightScene(
    tuple((site, Light(LightColour.WHITE)) for site in (*POINTS, BAR, OFF))
)


@dataclass(frozen=True, slots=True)
class Choices:
    """What was chosen on the page; empty strings and None where nothing was."""

    camera: str = ""
    board: str = ""
    corners: Corners | None = None

    def over(self, settings: Settings, command_line: Mapping[str, object]) -> Settings:
        """The settings with these choices, but for what the command line said."""
        return settings.with_values(
            camera_source=None if command_line.get("camera") or not self.camera else self.camera,
            board_address=None if command_line.get("board") or not self.board else self.board,
        )


class Machine(Protocol):
    """What a person's word about the machine reaches of a running table."""

    settings: Settings
    choices: Choices
    seen: sources.Seen | None

    @property
    def core(self) -> Core: ...
    @property
    def firmware(self) -> BoardFirmware: ...
    def connect(self, camera: str | None = None, board: str | None = None) -> None: ...
    def aim(self, corners: Corners) -> None: ...
    def shine(self, scene: LightScene, seconds: float) -> None: ...


def path_of(journal: Path) -> Path:
    return journal.with_suffix(".machine.json")


def load_choices(journal: Path) -> Choices:
    """What is kept; a file that cannot be read counts as none, and is said."""
    path = path_of(journal)
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        corners = corners_of(given["corners"]) if given.get("corners") else None
        kept = Order("", given)
        return Choices(KEPT_CAMERA.of(kept), KEPT_BOARD.of(kept), corners)
    except FileNotFoundError:
        return Choices()
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OrderError) as e:
        log.error("%s: cannot be used (%s); the settings hold, choose again on the page", path, e)
        return Choices()


def save_choices(journal: Path, choices: Choices) -> None:
    """Keep them, whole or not at all. Raises OSError."""
    path = path_of(journal)
    part = path.with_suffix(".part")
    corners = (
        {"corners": choices.corners.points, "size": choices.corners.size}
        if choices.corners
        else None
    )
    part.write_text(
        json.dumps({"camera": choices.camera, "board": choices.board, "corners": corners}) + "\n",
        encoding="utf-8",
    )
    part.replace(path)


def pairs(value: object) -> list[tuple[object, object]]:
    """A list of pairs. Raises ValueError for anything else."""
    if not isinstance(value, list | tuple):
        raise ValueError("expected a list of pairs")
    found = []
    for each in value:
        if not isinstance(each, list | tuple) or len(each) != 2:
            raise ValueError("expected a pair")
        found.append((each[0], each[1]))
    return found


def number(value: object) -> float:
    """A number. Raises ValueError for anything else."""
    if not isinstance(value, int | float | str):
        raise ValueError("expected a number")
    return float(value)


def corners_of(args: Args) -> Corners:
    """`corners` TL TR BR BL in pixels of a picture of `size` (width, height). Raises OrderError."""
    try:
        corners = tuple((number(x), number(y)) for x, y in pairs(args["corners"]))
        [(wide, high)] = pairs([args["size"]])
        width, height = int(number(wide)), int(number(high))
        inside = all(
            math.isfinite(v) and -0.5 * m <= v <= 1.5 * m
            for x, y in corners
            for v, m in ((x, width), (y, height))
        )
        if len(corners) != 4 or not inside or not 0 < width <= 20_000 or not 0 < height <= 20_000:
            raise ValueError
    except (KeyError, TypeError, ValueError):
        expected = (
            "corners as four [x, y], top left first and clockwise, and size as [width, height]"
        )
        raise OrderError(
            "bad_corners", expected, str(dict(args))[:80], "drag the corners on the picture"
        ) from None
    return Corners(corners, (width, height))


# Orders
# -------------------------------------------------------------------------------------------------


def _from_afar(order: Order, expected: str, came: str) -> None:
    """Files of this machine, and other machines that it can reach, are for whoever sits at it.
    Raises OrderError for anybody else.
    """
    if order.by.role is not Role.CONSOLE:
        raise OrderError("not_from_afar", expected, came, "choose it at the machine's own screen")


def use_camera(table: Machine, order: Order) -> Choices:
    """The choices with another camera, which is used from now on. Raises OrderError."""
    source = CAMERA_SOURCE.of(order)
    if source not in ("none", PHONE) and not is_address(source) and device_path(source) is None:
        _from_afar(order, "a camera, or its address", source)
    if source not in ("none", PHONE):
        try:
            check_source(source)
        except SourceError as e:
            raise OrderError("no_camera", "a camera that is there", source, str(e)) from None
    table.connect(camera=source)
    return replace(table.choices, camera=source, corners=None)


def use_board(table: Machine, order: Order) -> Choices:
    """The choices with another board, which is used from now on. Raises OrderError."""
    address = BOARD_ADDRESS.of(order)
    if not address:
        raise OrderError("bad_text", "address of a port, auto or none", "nothing")
    if "://" in address:
        _from_afar(order, "a port of this machine", address)
    table.connect(board=address)
    return replace(table.choices, board=address)


def update_board(table: Machine, order: Order) -> Choices:
    """The choices as they are; the board's firmware is being written. Raises OrderError."""
    table.firmware.write(FIRMWARE.of(order), table.settings.data)
    return table.choices


def set_corners(table: Machine, order: Order) -> Choices:
    """The choices with these corners. Raises OrderError."""
    corners = corners_of(order.args)
    table.aim(corners)
    return replace(table.choices, corners=corners)


MACHINE_ACTS: Final[Mapping[str, Callable[[Machine, Order], Choices]]] = {
    "use_camera": use_camera,
    "use_board": use_board,
    "update_board": update_board,
    "set_corners": set_corners,
}
"""What carries out the orders of the table of orders that no referee does."""


# Questions
# -------------------------------------------------------------------------------------------------


class BoardChoice(TypedDict):
    """A board that may be used: its address, what it is, whether it is used now."""

    address: str
    what: str
    used: bool


class CameraChoice(TypedDict):
    """A camera that may be used: its source, what it is, whether it is used now."""

    source: str
    what: str
    used: bool


class CornersFound(TypedDict):
    """The board's corners, top left first and clockwise, in pixels of a picture of that size."""

    corners: list[list[float]]
    size: list[int]


class FoundLine(TypedDict):
    """One thing that a test found: a code with its facts, and the same in English."""

    code: str
    facts: dict[str, int]
    text: str


class Probed(TypedDict):
    """Whether a test found all in order, and what it found, a line each."""

    ok: bool
    lines: list[FoundLine]


def board_choices(table: Machine, opened: str | None) -> list[BoardChoice]:
    """Boards that may be used; a simulated one is always there, and the one in use whether it is
    there or not. `opened`: the port that is open.
    """
    used = table.settings.board.address
    ports = sources.find_boards()
    if used == "auto" and (opened or len(ports) == 1):
        used = opened or ports[0]
    if used not in ("none", *ports, *BOARDS):
        ports += (used,)
    found: list[BoardChoice] = [
        {"address": a, "what": "a serial port that may be a board", "used": a == used}
        for a in ports
    ]
    return found + [
        {"address": name, "what": scheme.what, "used": used == name}
        for name, scheme in BOARDS.items()
        if name and not scheme.missing(name)
    ]


def camera_choices(table: Machine) -> list[CameraChoice]:
    """Cameras that this machine has, and the one in use whatever it is: a phone, a film."""
    used = table.settings.camera.source
    found: list[CameraChoice] = []
    for path in sorted(Path("/dev").glob("video*")):
        source = path.name.removeprefix("video")
        what = Path(f"/sys/class/video4linux/{path.name}/name")
        found.append(
            {
                "source": source,
                "what": what.read_text().strip() if what.exists() else str(path),
                "used": used in (source, str(path)),
            }
        )
    if used != "none" and not any(each["used"] for each in found):
        found.append({"source": used, "what": "", "used": True})
    return found


def corners_found(table: Machine) -> CornersFound:
    """Where the board was found in the newest picture. Raises OrderError."""
    seen = table.seen
    found = seen.sight.board_map if seen else None
    if found is None:
        trouble = seen.sight.trouble if seen else "no picture yet"
        raise OrderError(
            "no_board", "a board in the picture", trouble, "drag the four corners by hand"
        )
    return {
        "corners": [[round(float(x), 1), round(float(y), 1)] for x, y in found.corners()],
        "size": [int(n) for n in found.size],
    }


def probe(table: Machine, what: str) -> Probed:
    """Try the lights, the sensors or the clock; `lines` say what was found.

    Raises OrderError without a board.
    """
    board = table.core.board
    if board is None or board.trouble:
        raise OrderError(
            "board_away",
            "a board that answers",
            board.trouble if board else "no board is used",
            "choose the board first",
        )
    if what == "leds":
        if not board.lamps:
            raise OrderError("no_lamps", "a board with lamps", "one without", "look at the page")
        table.shine(ALL_LIGHTS, PROBE_S)
        return _probed(True, [SensorFinding.of("lights_on", seconds=round(PROBE_S))])
    if what == "clock":
        return _probed(True, board.button_lines())
    if what == "sensors":
        bad = board.health_lines()
        return _probed(not bad, bad or [SensorFinding.of("all_sound", channels=board.channels)])
    raise OrderError("no_probe", "leds, sensors or clock", what[:40])


def _probed(ok: bool, found: Sequence[SensorFinding]) -> Probed:
    lines = [FoundLine(code=f.code, facts=dict(f.facts), text=str(f)) for f in found]
    return {"ok": ok, "lines": lines}
