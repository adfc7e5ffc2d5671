"""E. Which of several ports has a board of ours at its end: all are greeted, and the one that
answers is kept.

Clones share their USB ids with other gadgets, so ids only say whom to ask.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol, TypeVar

from firmware_bridge import wire
from firmware_bridge.decoder import NEED_DATA, Decoder
from firmware_bridge.errors import BoardLost, NotOurBoard
from firmware_bridge.frames import WireFrame, encode
from firmware_bridge.messages import Hello, HelloAsk, pack

GREET_EVERY_S: Final = 0.25
PATIENCE_S: Final = 3.0
"""An Arduino's bootloader keeps the line for one to two seconds after its port is opened."""


class AskedPort(Protocol):
    """What a greeting needs of an open port."""

    def read(self) -> bytes: ...
    def write(self, data: bytes) -> None: ...
    def wait(self, seconds: float) -> None: ...
    def close(self) -> None: ...


_Port = TypeVar("_Port", bound=AskedPort)


def the_one_that_answers(
    addresses: Sequence[str],
    opener: Callable[[str], _Port],
    clock: Callable[[], float] = time.monotonic,
) -> _Port:
    """The open port whose gadget greets as a takhte board; the others are let go of.

    Raises NotOurBoard when none does, or more than one.
    """
    ports, shut = {}, {}
    for address in addresses:
        try:
            ports[address] = opener(address)
        except BoardLost as error:
            shut[address] = str(error)
    answered = _greet(ports, clock)
    for address, port in ports.items():
        if [address] != list(answered):
            port.close()
    if len(answered) == 1:
        return ports[next(iter(answered))]
    if answered:
        named = ", ".join(f"{address} ({hello.uid.hex()})" for address, hello in answered.items())
        raise NotOurBoard(f"several boards are plugged in: {named}; name one with --board ADDRESS")
    silent = ", ".join(address for address in ports)
    busy = "".join(f"; {why}" for why in shut.values())
    raise NotOurBoard(
        f"no takhte board answers at {silent or 'any port'}{busy}; is its firmware flashed (takhte"
        " board update)? Or name its port with --board ADDRESS"
    )


def _greet(ports: Mapping[str, _Port], clock: Callable[[], float]) -> dict[str, Hello]:
    """Who greeted back within the patience; ends sooner when all did."""
    decoders = {address: Decoder() for address in ports}
    answered: dict[str, Hello] = {}
    question = encode(WireFrame(HelloAsk.TYPE, 1, pack(HelloAsk())))
    begun, asked = clock(), float("-inf")
    while len(answered) < len(ports) and (now := clock()) - begun < PATIENCE_S:
        ask, asked = (True, now) if now - asked >= GREET_EVERY_S else (False, asked)
        for address in ports.keys() - answered.keys():
            try:
                if ask:
                    ports[address].write(question)
                ports[address].wait(0.01)
                decoders[address].feed(ports[address].read())
            except BoardLost:
                continue
            while (received := decoders[address].next()) is not NEED_DATA:
                message = received.message
                if isinstance(message, Hello) and message.magic == wire.MAGIC:
                    answered[address] = message
    return answered
