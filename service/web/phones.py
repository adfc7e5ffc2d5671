"""Phones as the table's camera and clock: their sockets. (E)

How they come in is `coming_in`; what a phone says is read by `phone_link`.
"""

from __future__ import annotations

import asyncio
import struct
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, WebSocket, WebSocketDisconnect

from service.journal.paths import phone_path
from service.web.api import TABLE
from service.web.desk import Desk
from service.web.knocks import Knocks
from service.web.phone_clock import PhoneClock
from service.web.phone_link import Filmed, NotALinkError, PhoneLink, Pressed
from service.web.policy import Visitor
from service.web.ports import TableDownError
from service.web.tablelink import RefusedError

router = APIRouter()
HEAD: Final = struct.Struct("<4sdI")
"""Of each picture on its way to the camera's process, as `vision.camera.phone` reads it."""
MARK: Final = b"tkp1"
TRY_S: Final = 0.5
"""So often at most the camera's process is looked for."""
AIM_S: Final = 0.7
CLOCKS: Final = 64
DEVICE: Final = r"^[A-Za-z0-9-]{8,40}$"
AGAIN: Final = ("busy", "disk_full")
"""Refusals after which a press is given again: the table has not got it, or has not said so."""


class PhonesHere:
    """What is known of phones while this process lives: who knocks, each one's clock, which film
    and which are clocks now, by table.
    """

    def __init__(self) -> None:
        self.knocks = Knocks()
        self.filming: dict[str, WebSocket] = {}
        self.pressing: dict[str, int] = {}
        self._clocks: OrderedDict[str, PhoneClock] = OrderedDict()

    def clock_of(self, device: str) -> PhoneClock:
        """The clock of a device, known from before where it was here."""
        clock = self._clocks.pop(device, None) or PhoneClock()
        self._clocks[device] = clock
        while len(self._clocks) > CLOCKS:
            self._clocks.popitem(last=False)
        return clock


def phones_here(connection: Request | WebSocket) -> PhonesHere:
    phones: PhonesHere = connection.app.state.phones
    return phones


Take = Callable[[Pressed | Filmed], Awaitable[bool]]
"""Do with it what is to be done; False where the line should be dropped."""


async def _talk(socket: WebSocket, link: PhoneLink, take: Take) -> None:
    """Ask, listen and answer until the phone goes."""
    asking = asyncio.create_task(_ask(socket, link))
    try:
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            now = time.monotonic()
            if (text := message.get("text")) is not None:
                for press in link.heard(text, now):
                    if not await take(press):
                        await socket.close(1013)
                        return
            elif (film := link.part(message.get("bytes") or b"", now)) is not None:
                await take(film)
    except NotALinkError:
        await socket.close(1008)
    except (WebSocketDisconnect, RuntimeError, OSError):
        return
    finally:
        asking.cancel()


async def _ask(socket: WebSocket, link: PhoneLink) -> None:
    while True:
        text, wait = link.due(time.monotonic())
        if text is not None:
            await socket.send_text(text)
        await asyncio.sleep(wait)


@router.websocket(f"{TABLE}/phone-clock")
async def phone_clock(
    socket: WebSocket, table: str, device: Annotated[str, Query(pattern=DEVICE)]
) -> None:
    """The presses of a phone that is the table's clock, each answered once it is on record."""
    desk: Desk = socket.state.desk
    visitor: Visitor = socket.state.visitor
    by: dict[str, str | None] = {
        "name": visitor.name or visitor.role.value,
        "role": visitor.role.value,
        "side": None,
    }

    async def take(press: Pressed | Filmed) -> bool:
        if isinstance(press, Filmed):
            return False
        args: dict[str, str | float] = {
            "device": device,
            "number": press.number,
            "pressed": press.what,
            "monotonic": press.at,
            "doubt": press.doubt,
        }
        try:
            await desk.link.order("phone_press", args, by)
        except TableDownError:
            return False
        except RefusedError as error:
            if error.refusal.code in AGAIN:
                return False
        await socket.send_json({"t": "done", "n": press.number})
        return True

    await socket.accept()
    phones = phones_here(socket)
    phones.pressing[table] = phones.pressing.get(table, 0) + 1
    try:
        link = PhoneLink(phones.clock_of(f"{table}/{device}"), time.monotonic())
        await _talk(socket, link, take)
    finally:
        phones.pressing[table] -= 1


@router.websocket(f"{TABLE}/phone-pictures")
async def phone_pictures(
    socket: WebSocket, table: str, device: Annotated[str, Query(pattern=DEVICE)]
) -> None:
    """The pictures of a phone that is the table's camera; whichever came last is it."""
    desk: Desk = socket.state.desk
    phones = phones_here(socket)
    await socket.accept()
    before, phones.filming[table] = phones.filming.get(table), socket
    if before is not None:
        await _close(before)
    line = PictureLine(phone_path(desk.journal) if desk.journal else Path("/nowhere"))

    async def take(film: Pressed | Filmed) -> bool:
        if isinstance(film, Pressed):
            return False
        used = await line.send(film.jpeg, film.at, time.monotonic()) if film.jpeg else True
        await socket.send_json({"t": "got", "n": film.number, "used": used})
        return True

    aiming = asyncio.create_task(_aim(socket, desk))
    try:
        link = PhoneLink(phones.clock_of(f"{table}/{device}"), time.monotonic())
        await _talk(socket, link, take)
    finally:
        aiming.cancel()
        line.close()
        if phones.filming.get(table) is socket:
            del phones.filming[table]


async def _close(socket: WebSocket) -> None:
    try:
        await socket.close(4001, "another phone is the camera now")
    except (RuntimeError, OSError):
        return


async def _aim(socket: WebSocket, desk: Desk) -> None:
    """Tell the phone where the board lies in its picture, and one thing that would help."""
    while True:
        try:
            aim = await desk.link.ask("aim")
        except (TableDownError, RefusedError):
            aim = {"outline": [], "advice": "no_table"}
        await socket.send_json({"t": "aim", "aim": aim})
        await asyncio.sleep(AIM_S)


class PictureLine:
    """The way to the camera's process; newest wins: while one picture is under way, others are not
    sent.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: asyncio.StreamWriter | None = None
        self._due = 0.0

    async def send(self, jpeg: bytes, taken: float, now: float) -> bool:
        """Whether there is a camera's process that takes the pictures of a phone."""
        if self._writer is None or self._writer.transport.is_closing():
            if now < self._due:
                return False
            self._due = now + TRY_S
            try:
                _, self._writer = await asyncio.open_unix_connection(str(self._path))
            except OSError:
                return False
        if self._writer.transport.get_write_buffer_size() == 0:
            self._writer.write(HEAD.pack(MARK, taken, len(jpeg)) + jpeg)
        return True

    def close(self) -> None:
        """Let go of the camera's process."""
        if self._writer is not None:
            self._writer.close()
