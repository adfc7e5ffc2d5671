"""How a table begins: its journal opened or continued, its sources found, what was declared said;
and what it answers when asked (E).
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from rules.axes import RulesetError
from rules.event import EventError
from service.journal.chain import JournalError, clock_trust
from service.journal.codec import Json
from service.journal.entries import AlertRaised, Restarted, Role, TableOpened
from service.journal.mending import open_mended
from service.journal.saying import RECORD
from service.journal.store import Heartbeat, Mended, Store, StoreError
from service.recording import format as recording
from service.recording.format import Header
from service.recording.log import JsonObject
from service.referee import rulings
from service.referee.event import SETTINGS, by_section, event_keys, event_written
from service.referee.inputs import Args, Order, Press
from service.referee.refusal import Answer, Refusal
from service.referee.state import ChosenEvent, State
from service.referee.step import replay
from service.session.belief import Session
from service.session.core import Core
from service.session.sight import Corners
from service.settings import Settings, version
from service.table import demo, machine
from service.table.boards import recorded_scheme
from service.table.requests import OrderRequest
from service.table.world import PlayedRecording, RefusalError, World, declared_seating

log = logging.getLogger(__name__)

DECLARED_BY: Final = {"name": "recording", "role": "console", "side": None}
SETTINGS_BY: Final = {"name": SETTINGS, "role": "console", "side": None}


def journal_of(settings: Settings) -> Store:
    """Open the journal for writing; a damaged one is set aside, what can be had of it carried on.

    Raises RefusalError.
    """
    path = settings.journal
    try:
        return open_mended(path, time.strftime("%Y%m%d-%H%M%S"))
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


def played(folder: Path | None, store: Store, speed: float) -> PlayedRecording | None:
    """The recording to play, from where this journal stopped in it; None for the world itself."""
    if folder is None:
        return None
    last_at = store.past[-1].at if store.past else 0.0
    return PlayedRecording(folder, demo.position_of(store.heartbeat(), last_at), speed)


def declare(core: Core, settings: Settings, world: World, now: float) -> None:
    """Say that the table was opened or came back, and what was declared: by a recording what it was
    made with; by the settings the event that every match is played by, and the match itself only
    where they have it begin by itself. Else it waits for people.
    """
    store = core.journal
    assert isinstance(store, Store)
    known = bool(store.seq)
    if known:
        core.begin([came_back(store.heartbeat(), now, now + core.wall)], now)
    else:
        opened = TableOpened(settings.table.name, version(), clock_trust(now + core.wall))
        core.begin([opened], now)
    say_mended(core, store, now)
    if known and not world.declared:
        _choose_again(core, settings, now)
    if known:
        return
    buttons = world.buttons
    for given in world.declared or declared_orders(settings):
        name, args = str(given["order"]), dict(given.get("args", {}))
        if name == "set_match" and not buttons:
            # Nothing here could press a clock of ours: turns end as they do on a bare board, when
            # the dice are lifted.
            args.setdefault("clock", "none")
        if name not in machine.MACHINE_ACTS and (buttons or name != "start_clocks"):
            core.order(name, args, given.get("by", DECLARED_BY), now, _log_refusal)


def _choose_again(core: Core, settings: Settings, now: float) -> None:
    """Settings that changed while the table was away choose the event anew; one that a hall or a
    page chose meanwhile stays otherwise.
    """
    try:
        order = event_order(settings)
    except RefusalError as e:
        log.error("%s; the event stays as it was", e)
        return
    args = order["args"]
    event = rulings.EVENT.read(args["event"])
    wanted = ChosenEvent(by_section(event_keys(event)), args["rules_text"])
    if core.session.state.of_settings == wanted:
        return
    core.order(order["order"], args, SETTINGS_BY, now, _log_refusal)


def order_completed(
    asks: OrderRequest, settings: Settings, state: State, time_now: tuple[float, float]
) -> OrderRequest:
    """An order with what the table alone knows: who sits where, and its time; `time_now` is that,
    and its seconds in one of the machine's.
    """
    if asks.name == "set_match":
        return replace(asks, args=seated(settings, state, asks.args))
    return timed(asks, *time_now) if asks.name == "phone_press" else asks


def seated(settings: Settings, state: State, args: Args) -> Args:
    """The arguments of `set_match` with who sits where, where they do not say: as in the match
    before, else as the settings say.
    """
    before = state.match.setting
    seating = before.seating if before is not None else declared_seating(settings).to_json()
    return {"seating": seating, **args}


def timed(asks: OrderRequest, now: float, speed: float) -> OrderRequest:
    """A press on a phone, which says by this machine's own monotonic clock when it was, with the
    table's time in its place. Other processes of the machine have that same clock.
    """
    was = asks.args.get("monotonic")
    if not isinstance(was, int | float):
        return asks
    ago = max(0.0, time.monotonic() - was) * speed
    said = {k: v for k, v in asks.args.items() if k != "monotonic"}
    return replace(asks, args={**said, "at": max(0.0, now - ago)})


def say_mended(core: Core, store: Store, now: float) -> None:
    """Say once what was put right with the journal's file: in the log, and as an alert, which is an
    entry and stands on the page.
    """
    while store.mended:
        core.begin([_mended(store.mended.pop(0), core.session.state.seq)], now)


def _mended(found: Mended, seq: int) -> AlertRaised:
    log.error(
        "%s. %d entries stand in the journal; %s%s",
        found.reason,
        found.entries,
        f"entries {found.first} to {found.last} are missing (head {found.head or 'unknown'})"
        if found.last
        else "none is missing",
        f"; the damaged file is kept as {found.kept}" if found.kept else "",
    )
    facts: dict[str, int | str] = {"entries": found.entries}
    if found.last:
        facts |= {"first": found.first, "last": found.last, "head": found.head}
    if found.kept:
        facts["file"] = found.kept.name
    return AlertRaised(f"a{seq + 1}", RECORD, None, found.code, facts, "arbiter")


def came_back(beat: Heartbeat | None, now: float, wall: float) -> Restarted:
    """The entry of a table that continues: how long it was away, by the date, where that can be
    trusted at all.
    """
    away = None if beat is None or wall < beat.wall else round(wall - beat.wall, 1)
    return Restarted(
        away, round(max(0.0, now - beat.at) if beat else 1.0, 3), version(), clock_trust(wall)
    )


def declared_orders(settings: Settings) -> tuple[JsonObject, ...]:
    """What the settings say on a new journal. Raises RefusalError."""
    begins: JsonObject = {
        "order": "set_match",
        "args": {"seating": declared_seating(settings).to_json()},
        "by": SETTINGS_BY,
    }
    return (event_order(settings), *((begins,) if settings.match.begins else ()))


def event_order(settings: Settings) -> JsonObject:
    """The choice of the event that the settings name; what its file says of the match wins over
    them. Raises RefusalError.
    """
    own = _text(settings.match.rulesets, "match.rulesets") if settings.match.rulesets else ""
    text = _text(settings.match.event, "match.event") if settings.match.event else ""
    try:
        event = event_written(
            text, settings.match.event or "the event", own, settings.match.rulesets
        )
    except (EventError, RulesetError) as e:
        raise RefusalError(str(e)) from None
    match: dict[str, Json] = {
        "ruleset": settings.match.ruleset,
        "length": settings.match.length,
    }
    written = event.get("match")
    event["match"] = match | (dict(written) if isinstance(written, Mapping) else {})
    return {
        "order": "choose_event",
        "args": {"event": event, "rules_text": own},
        "by": SETTINGS_BY,
    }


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
    declared = world.declared or declared_orders(settings)
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
        orientation=world.told.orientation,
        tuned=world.told.tuned.to_json() if world.told.tuned else "",
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
