"""How a table begins: its journal opened or continued, its sources found, what was declared said;
and what it answers when asked (E).
"""

from __future__ import annotations

import contextlib
import logging
import time
import tomllib
from pathlib import Path
from typing import Final

from rules.axes import RulesetError
from rules.event import EventError
from rules.event_keys import load_event as load_event
from rules.ruleset import load_rulesets
from service.journal.chain import BrokenChainError, JournalError, clock_trust
from service.journal.entries import Restarted, Role, TableOpened
from service.journal.store import Heartbeat, Store, StoreError, set_aside
from service.recording import format as recording
from service.recording.format import Header
from service.recording.log import JsonObject
from service.referee.inputs import Order, Press
from service.referee.refusal import Answer, Refusal
from service.referee.step import replay
from service.session.belief import Session
from service.session.core import Core
from service.session.sight import Corners
from service.settings import Settings, version
from service.table import machine
from service.table.boards import recorded_scheme
from service.table.world import RefusalError, World, declared_seating

log = logging.getLogger(__name__)

DECLARED_BY: Final = {"name": "recording", "role": "console", "side": None}
SETTINGS_BY: Final = {"name": "settings", "role": "console", "side": None}


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
    buttons = world.buttons
    by = DECLARED_BY if world.declared else SETTINGS_BY
    for given in world.declared or (match_order(settings),):
        name, args = str(given["order"]), dict(given.get("args", {}))
        if name == "set_match" and not buttons:
            # Nothing here could press a clock of ours: turns end as they do on a bare board, when
            # the dice are lifted.
            args.setdefault("clock", "none")
        if name not in machine.MACHINE_ACTS and (buttons or name != "start_clocks"):
            core.order(name, args, by, now, _log_refusal)


def came_back(beat: Heartbeat | None, now: float, wall: float) -> Restarted:
    """The entry of a table that continues: how long it was away, by the date, where that can be
    trusted at all.
    """
    away = None if beat is None or wall < beat.wall else round(wall - beat.wall, 1)
    return Restarted(
        away, round(max(0.0, now - beat.at) if beat else 1.0, 3), version(), clock_trust(wall)
    )


def match_order(settings: Settings) -> JsonObject:
    """The match that the settings name, until a person sets another; what the event file says of it
    wins. Raises RefusalError.
    """
    seating = declared_seating(settings).to_json()
    own = _text(settings.match.rulesets, "match.rulesets") if settings.match.rulesets else ""
    event = _text(settings.match.event, "match.event") if settings.match.event else ""
    try:
        clubs = load_rulesets(own, settings.match.rulesets) if own else None
        load_event(event, settings.match.event or "the event", clubs)
    except (EventError, RulesetError) as e:
        raise RefusalError(str(e)) from None
    given = tomllib.loads(event)
    match = given.get("match", {})
    length = match.get("length", settings.match.length) or None
    args = {
        "ruleset": match.get("ruleset", settings.match.ruleset),
        "length": length,
        "seating": seating,
        "options": match.get("options", {}),
        "event": given,
        "rules_text": own,
    }
    return {"order": "set_match", "args": args}


def _text(path: str, key: str) -> str:
    try:
        return Path(path).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise RefusalError(f"{path}: cannot be read ({e}); correct {key} in the settings") from None


def _log_refusal(answer: Answer) -> None:
    if isinstance(answer, Refusal):
        log.error(
            "what was declared is refused: expected %s, got %s. %s",
            answer.expected,
            answer.came,
            answer.next,
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
    seating = declared_seating(settings).to_json()
    declared = world.declared or (match_order(settings),)
    if corners is not None:
        args = {"corners": corners.points, "size": corners.size}
        declared = (
            *(d for d in declared if d["order"] != "set_corners"),
            {"order": "set_corners", "args": args},
        )
    header = Header(
        declared=declared,
        seating=seating,
        board=board,
        about=f"table {settings.table.name}",
        scheme=recorded_scheme(world.scheme),
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
