"""What a table answers when it is asked, or told about its machine (E)."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from rules.observation import Source
from service.recording import format as recording
from service.referee.inputs import Order
from service.referee.order_table import ORDERS
from service.referee.orders import ROLL
from service.referee.refusal import Answer, Done, Found, OrderError, Refusal
from service.session.core import who_of
from service.settings import SettingsError
from service.show.document import SourceDocument, TableDocument
from service.show.legal import legal_plays
from service.show.proposal import proposal_document
from service.table import aiming, film, machine, sources
from service.table import broadcast as onair
from service.table.requests import OrderRequest, QueryRequest
from service.table.world import RefusalError, World, declared_seating

CAMERA: Final = Source.CAMERA.kind.device
BOARD: Final = Source.SENSORS.kind.device

log = logging.getLogger(__name__)


class Answering(machine.Machine, film.Showing, Protocol):
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
    board = table.world.board
    if board is None:
        found[BOARD] = {"state": "absent", "reason": ""}
    elif BOARD in found and found[BOARD]["state"] == "ok":
        if board.trouble:
            found[BOARD] = {"state": "waiting", "reason": board.trouble}
        elif board.advice:
            found[BOARD]["reason"] = board.advice
    return found


def answer(table: Answering, asked: QueryRequest) -> Found | Refusal:
    """The answer to a question; nothing changes."""
    look = QUERIES.get(asked.name)
    if look is None:
        known = ", ".join([*QUERIES, "watch"])
        return Refusal("no_query", f"one of {known}", asked.name[:40], "see docs")
    try:
        return Found(look(table, asked))
    except OrderError as e:
        return e.refusal


def _state(table: Answering, asked: QueryRequest) -> object:
    return table.document(table.now)


def _legal_plays(table: Answering, asked: QueryRequest) -> object:
    try:
        given = asked.args.get("roll")
        return legal_plays(table.core.shown.state, ROLL.read(given) if given else None)
    except (OrderError, ValueError):
        raise OrderError(
            "no_position",
            "a game in progress, and a roll of two dice or none",
            str(dict(asked.args))[:60],
            "start a game",
        ) from None


def _proposal(table: Answering, asked: QueryRequest) -> object:
    seating = declared_seating(table.settings).to_json()
    return proposal_document(table.core.shown.state, seating, table.world.buttons)


def _stream(table: Answering, asked: QueryRequest) -> object:
    picture = table.settings.broadcast.picture
    return onair.stream_address(table.camera, picture, time.monotonic())


def _sources(table: Answering, asked: QueryRequest) -> object:
    board = table.world.board
    return source_lines(table, {}) | ({"link": board.link_line()} if board else {})


def _aim(table: Answering, asked: QueryRequest) -> object:
    age = table.camera.age(time.monotonic()) if table.camera is not None else math.inf
    return aiming.aim(table.seen, age)


Query = Callable[[Answering, QueryRequest], object]
QUERIES: Final[Mapping[str, Query]] = {
    "state": _state,
    "legal_plays": _legal_plays,
    "boards": lambda table, _: machine.board_choices(table, table.world.open_port),
    "cameras": lambda table, _: machine.camera_choices(table),
    "corners": lambda table, _: machine.corners_found(table),
    "probe": lambda table, asked: machine.probe(table, str(asked.args.get("what"))),
    "aim": _aim,
    "firmware": lambda table, _: table.firmware.document(table.settings.data),
    "proposal": _proposal,
    "stream": _stream,
    "sources": _sources,
}
"""Every question by name; `watch` is answered by the socket itself."""


def tell_film(table: Answering, order: OrderRequest) -> Answer:
    """The answer to an order about the recording that is played."""
    try:
        ORDERS[order.name].refuse_others(who_of(order.by).role)
        film.steer(table, Order(order.name, order.args))
    except OrderError as e:
        return e.refusal
    return Done(table.core.shown.state.seq)


def tell_machine(table: Answering, order: OrderRequest, now: float) -> Answer:
    """The answer to an order about the machine: carried out, kept, and recorded where it changes
    what is read.
    """
    name = order.name
    try:
        ORDERS[name].refuse_others(who_of(order.by).role)
        ORDERS[name].refuse_now(table.core.shown.state)
        choices = machine.MACHINE_ACTS[name](table, Order(name, order.args))
        table.choices = choices
        machine.save_choices(table.settings.journal, choices)
    except OrderError as e:
        return e.refusal
    except (RefusalError, SettingsError) as e:
        return Refusal("refused", "a camera or board that can be used", name, str(e))
    except OSError as e:
        log.error("what was chosen is used, but cannot be kept (%s)", e.strerror)
    if name == "set_corners":
        table.record(recording.OrderTaken(now, name, order.args, {}))
    return Done(table.core.shown.state.seq)
