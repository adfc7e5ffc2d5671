"""What a table answers when it is asked, or told about its machine (E)."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import Any, Final, Protocol

from rules.dice import Roll
from rules.observation import Source
from service.journal.entry import Role
from service.recording import format as recording
from service.referee.inputs import OrderError
from service.referee.refusal import refusal
from service.session.core import who_of
from service.settings import SettingsError
from service.show.document import SourceDocument, TableDocument
from service.show.legal import legal_plays
from service.table import broadcast as onair
from service.table import machine, sources
from service.table.world import RefusalError, World

CAMERA: Final = Source.CAMERA.kind.device
BOARD: Final = Source.SENSORS.kind.device
MANAGERS: Final = frozenset({Role.DIRECTOR, Role.CONSOLE, Role.ARBITER})

log = logging.getLogger(__name__)


class Answering(machine.Machine, Protocol):
    """What an answer reaches of a running table."""

    @property
    def world(self) -> World: ...
    @property
    def now(self) -> float: ...
    @property
    def camera(self) -> sources.CameraLike | None: ...
    def document(self, now: float) -> TableDocument: ...
    def record(self, item: recording.Taken) -> None: ...


def source_lines(
    table: Answering, known: Mapping[str, SourceDocument]
) -> dict[str, SourceDocument]:
    """Camera and board as the page shows them: ok, lost and why, or absent where none is used."""
    found = {name: line.copy() for name, line in known.items()}
    if table.world.camera is None:
        found[CAMERA] = {"state": "absent", "reason": ""}
    wires = table.world.wires
    if wires is None:
        found[BOARD] = {"state": "absent", "reason": ""}
    elif BOARD in found and found[BOARD]["state"] == "ok":
        if wires.trouble:
            found[BOARD] = {"state": "waiting", "reason": wires.trouble}
        elif wires.advice:
            found[BOARD]["reason"] = wires.advice
    return found


def answer(table: Answering, query: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
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
            return {"ok": True, "result": machine.board_choices(table)}
        case "cameras":
            return {"ok": True, "result": machine.camera_choices(table)}
        case "corners" | "probe":
            try:
                found = (
                    machine.corners_found(table)
                    if query == "corners"
                    else machine.probe(table, str(args.get("what")))
                )
            except OrderError as e:
                return refusal(e.code, e.expected, e.came, e.next)
            return {"ok": True, "result": found}
        case "stream":
            return {
                "ok": True,
                "result": onair.stream_address(
                    table.camera, table.settings.broadcast.picture, time.monotonic()
                ),
            }
        case "sources":
            wires = table.world.wires
            return {
                "ok": True,
                "result": (
                    source_lines(table, {}) | ({"link": wires.link_line()} if wires else {})
                ),
            }
    return refusal(
        "no_query",
        "state, watch, legal_plays, boards, cameras, corners, probe, stream or sources",
        query[:40],
        "see docs",
    )


def tell_machine(table: Answering, request: Mapping[str, Any], now: float) -> Mapping[str, Any]:
    """An order about the machine: carried out, kept, and recorded where it changes what is read."""
    name, args = str(request["order"]), request.get("args") or {}
    try:
        if who_of(request.get("by") or {}).role not in MANAGERS:
            raise OrderError(
                "not_yours", "the director's or the console's word", "a player's or a guest's"
            )
        choices = machine.ORDERS[name](table, args)
        table.choices = choices
        machine.save_choices(table.settings.journal, choices)
    except OrderError as e:
        return refusal(e.code, e.expected, e.came, e.next)
    except (RefusalError, SettingsError) as e:
        return refusal("refused", "a camera or board that can be used", name, str(e))
    except OSError as e:
        log.error("what was chosen is used, but cannot be kept (%s)", e.strerror)
    if name == "set_corners":
        table.record(recording.OrderTaken(now, name, args, {}))
    return {"ok": True, "seq": table.core.shown.state.seq}
