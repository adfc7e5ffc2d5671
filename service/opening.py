"""How a table begins: its journal opened or continued, its sources found, what was declared said;
and what it answers when asked (E).
"""

from __future__ import annotations

import contextlib
import logging
import time
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from firmware_bridge import calibration
from firmware_bridge.board_spec import BoardSpec, load_board, reference_board
from firmware_bridge.calibration import Calibration
from firmware_bridge.clock_panel import ClockPanel
from firmware_bridge.errors import BoardFileError, CalibrationError, NoGpio
from firmware_bridge.pty_board import PtyBoard
from firmware_bridge.simulator import Simulator
from rules.board import Colour, Corner, Seating, Side
from rules.dice import Roll
from rules.event import EventError
from rules.event import load as load_event
from rules.position import Position
from rules.ruleset import RulesetError, load, ruleset
from service import machine, onair, recording, sources
from service.core import Core, who_of
from service.entries import Restarted, Role, TableOpened
from service.hub import refusal
from service.inputs import Order, OrderError, Press
from service.journal import BrokenChainError, JournalError, clock_trust
from service.player import RecordedBoard, RecordedCamera, Stage
from service.recording import Header, Recording
from service.referee import replay
from service.referee_orders import legal_plays
from service.session import Session
from service.settings import Settings, SettingsError, version
from service.sight import Corners, Sight
from service.store import Heartbeat, Store, StoreError, set_aside
from service.wires import Calibrations, Wires
from vision.camera import open_camera

if TYPE_CHECKING:
    from service.table import Table

log = logging.getLogger(__name__)

DECLARED_BY: Final = {"name": "recording", "role": "console", "side": None}
MANAGERS: Final = frozenset({Role.DIRECTOR, Role.CONSOLE, Role.ARBITER})
SETTINGS_BY: Final = {"name": "settings", "role": "console", "side": None}


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


def journal_of(settings: Settings) -> Store:
    """Open the journal for writing; a damaged one is set aside, its sound entries carried on.

    Raises RefusalError.
    """
    path = settings.journal
    try:
        try:
            return Store.open(path)
        except BrokenChainError as e:
            kept, sound = set_aside(path, time.strftime("%Y%m%d-%H%M%S"))
            log.error(
                "%s: damaged (%s); it is kept as %s, and the match goes on from its %d sound"
                " entries",
                path,
                e,
                kept,
                sound,
            )
            return Store.open(path)
    except (JournalError, StoreError) as e:
        raise RefusalError(str(e)) from None
    except OSError as e:
        raise RefusalError(
            f"{path}: the journal cannot be opened ({e.strerror}); give another with --journal"
        ) from None


def session_of(store: Store) -> tuple[Session, float]:
    """The session that the journal tells, and the table time at which it goes on."""
    session = Session(replay(store.past))
    beat = store.heartbeat()
    return session, max(session.state.at, beat.at if beat else 0.0)


def declare(core: Core, settings: Settings, world: World, now: float) -> None:
    """Say that the table was opened or came back; and, on a new journal, what match is played."""
    store = core.journal
    assert isinstance(store, Store)
    if store.seq:
        core.begin([came_back(store.heartbeat(), now, now + core.wall)], now)
        return
    core.begin([TableOpened(settings.table.name, version(), clock_trust(now + core.wall))], now)
    buttons = world.wires is not None or world.panel is not None
    by = DECLARED_BY if world.declared else SETTINGS_BY
    for given in world.declared or (match_order(settings),):
        name, args = str(given["order"]), dict(given.get("args", {}))
        if name == "set_match" and not buttons:
            # Nothing here could press a clock of ours: turns end as they do on a bare board, when
            # the dice are lifted.
            args.setdefault("clock", "none")
        if name not in machine.ORDERS and (buttons or name != "start_clocks"):
            core.order(name, args, by, now, _told)


def came_back(beat: Heartbeat | None, now: float, wall: float) -> Restarted:
    """The entry of a table that continues: how long it was away, by the date, where that can be
    trusted at all.
    """
    away = None if beat is None or wall < beat.wall else round(wall - beat.wall, 1)
    return Restarted(
        away, round(max(0.0, now - beat.at) if beat else 1.0, 3), version(), clock_trust(wall)
    )


def match_order(settings: Settings) -> Mapping[str, Any]:
    """The match that the settings name, until a person sets another; what the event file says of it
    wins. Raises RefusalError.
    """
    seating = {"white": settings.seating.white, "home": settings.seating.home}
    own = _text(settings.match.rulesets, "match.rulesets") if settings.match.rulesets else ""
    event = _text(settings.match.event, "match.event") if settings.match.event else ""
    try:
        clubs = load(own, settings.match.rulesets) if own else None
        load_event(event, settings.match.event or "the event", clubs)
    except (EventError, RulesetError) as e:
        raise RefusalError(str(e)) from None
    given = tomllib.loads(event)
    match = given.get("match", {})
    length = match.get("length", settings.match.length) or None
    args: dict[str, Any] = {
        "ruleset": match.get("ruleset", settings.match.ruleset),
        "length": length,
        "seating": seating,
    }
    return {
        "order": "set_match",
        "args": args | {"options": match.get("options", {}), "event": given, "rules_text": own},
    }


def _text(path: str, key: str) -> str:
    try:
        return Path(path).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise RefusalError(f"{path}: cannot be read ({e}); correct {key} in the settings") from None


def _told(answer: Mapping[str, Any]) -> None:
    if not answer.get("ok"):
        error = answer["error"]
        log.error(
            "what was declared is refused: expected %s, got %s. %s",
            error["expected"],
            error["came"],
            error["next"],
        )


# The world
# ----------------------------------------------------------------------------------------------------------


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


def seating_of(settings: Settings) -> Seating:
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
        else Wires(spec, seating_of(settings), calibrations_in(settings.data))
    )
    world = World(wires=wires, address=None if board == "none" else board)
    if board == "simulated":
        simulated = PtyBoard(Simulator(spec, 1))
        with simulated.hands() as hands:
            hands.set_placement(
                Position.start(ruleset(settings.match.ruleset), Side.WHITE).placement,
                seating_of(settings),
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


def recorder_of(
    settings: Settings, folder: Path | None, world: World, corners: Corners | None = None
) -> recording.Writer | None:
    """The writer of a raw recording, None where none was asked for. Raises RecordingError."""
    if folder is None and settings.recording.folder:
        folder = (
            Path(settings.recording.folder).expanduser()
            / f"{settings.table.name}-{time.strftime('%Y%m%d-%H%M%S')}"
        )
    if folder is None:
        return None
    board = Path(settings.board.map).read_text(encoding="utf-8") if settings.board.map else ""
    seating = {"white": settings.seating.white, "home": settings.seating.home}
    declared = world.declared or (match_order(settings),)
    if corners is not None:
        args = {"corners": corners.points, "size": corners.size}
        declared = (
            *(d for d in declared if d["order"] != "set_corners"),
            {"order": "set_corners", "args": args},
        )
    header = Header(
        declared=declared, seating=seating, board=board, about=f"table {settings.table.name}"
    )
    writer = recording.Writer(
        folder, header, settings.recording.quality, settings.recording.limit_gb * 1e9
    )
    for path in sorted((world.calibrations or settings.data).glob("calibration-*.json")):
        # What a board's bytes mean depends on its calibration: it travels with them.
        with contextlib.suppress(OSError):
            (folder / path.name).write_bytes(path.read_bytes())
    return writer


def press_taken(said: Press | Order, now: float) -> recording.Taken:
    """A panel's button as a line of the recording."""
    if isinstance(said, Press):
        return recording.PressTaken(now, said.side.value, True, said.at)
    side = said.by.side.value if said.by.side else None
    return recording.OrderTaken(
        now, said.name, said.args, {"name": said.by.name, "role": Role.PLAYER.value, "side": side}
    )


# Answers
# ------------------------------------------------------------------------------------------------------------


def source_lines(table: Table, known: Mapping[str, Any]) -> dict[str, Any]:
    """Camera and board as the page shows them: ok, lost and why, or absent where none is used."""
    found = {name: dict(line) for name, line in known.items()}
    if table.world.camera is None:
        found["camera"] = {"state": "absent", "reason": ""}
    if table.world.wires is None:
        found["board"] = {"state": "absent", "reason": ""}
    elif table.world.wires.trouble and found.get("board", {}).get("state") == "ok":
        found["board"] = {"state": "waiting", "reason": table.world.wires.trouble}
    elif table.world.wires.advice and found.get("board", {}).get("state") == "ok":
        found["board"]["reason"] = table.world.wires.advice
    return found


def answer(table: Table, query: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
    """A read-only question."""
    state = table.core.shown.state
    match query:
        case "state":
            return {"ok": True, "result": table.document(table.now)}
        case "legal_plays":
            try:
                given = args.get("roll")
                thrown = Roll.of(int(given[0]), int(given[1])) if given else None
                return {"ok": True, "result": legal_plays(state, thrown)}
            except (ValueError, TypeError, LookupError, AttributeError, AssertionError):
                return refusal(
                    "no_position",
                    "a game in progress, and a roll of two dice or none",
                    str(args)[:60],
                    "start a game",
                )
        case "boards":
            return {"ok": True, "result": machine.boards(table)}
        case "cameras":
            return {"ok": True, "result": machine.cameras(table)}
        case "corners" | "probe":
            try:
                found = (
                    machine.corners(table)
                    if query == "corners"
                    else machine.probe(table, str(args.get("what")))
                )
            except OrderError as e:
                return refusal(e.code, e.expected, e.came, e.next)
            return {"ok": True, "result": found}
        case "stream":
            return {
                "ok": True,
                "result": onair.stream(
                    table.camera, table.settings.broadcast.picture, time.monotonic()
                ),
            }
        case "sources":
            wires = table.world.wires
            return {
                "ok": True,
                "result": (
                    source_lines(table, {}) | ({"link": str(wires.statistics)} if wires else {})
                ),
            }
    return refusal(
        "no_query",
        "state, watch, legal_plays, boards, cameras, corners, probe, stream or sources",
        query[:40],
        "see docs",
    )


def tell_machine(table: Table, request: Mapping[str, Any], now: float) -> Mapping[str, Any]:
    """An order about the machine: carried out, kept, and recorded where it changes what is read."""
    name, args = str(request["order"]), request.get("args") or {}
    try:
        if who_of(request.get("by") or {}).role not in MANAGERS:
            raise OrderError(
                "not_yours", "the director's or the console's word", "a player's or a guest's"
            )
        choices = machine.ORDERS[name](table, args)
        table.choices = choices
        machine.save(table.settings.journal, choices)
    except OrderError as e:
        return refusal(e.code, e.expected, e.came, e.next)
    except (RefusalError, SettingsError) as e:
        return refusal("refused", "a camera or board that can be used", name, str(e))
    except OSError as e:
        log.error("what was chosen is used, but cannot be kept (%s)", e.strerror)
    if name == "set_corners":
        table.record(recording.OrderTaken(now, name, args, {}))
    return {"ok": True, "seq": table.core.shown.state.seq}
