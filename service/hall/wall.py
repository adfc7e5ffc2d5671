"""The wall's feed: every table's card, and for each viewer only what changed since it last had
something.

One frame a quarter of a second at most carries all that changed meanwhile, encoded once: viewers
that keep up share the very same message, and one that does not is sent a longer one when it is
ready. Nobody has a queue.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

from starlette.types import Message, Send

from service.web.desk import encode_document
from service.web.feed import LiveFeed

FRAME_S: Final = 0.25


class WallFeed(LiveFeed):
    """Cards by table, each with the number of the frame that last changed it.

    Not thread-safe: one event loop.
    """

    def __init__(self) -> None:
        super().__init__()
        self._cards: dict[str, tuple[int, str]] = {}
        self._made: dict[int, Message] = {}
        self._about = "{}"
        self._kept: dict[str, tuple[int, str]] = {}
        self.held: frozenset[str] = frozenset()

    def hold(self, held: frozenset[str], about: object) -> None:
        """Tell whoever comes now nothing of these tables, since their delay was raised; of all
        others again what was told before. Whoever looks already keeps what he has.
        """
        for name in held & self._cards.keys():
            self._kept[name] = self._cards.pop(name)
        for name in self._kept.keys() - held:
            # As new, since whoever came meanwhile has none of it.
            self._cards.setdefault(name, (self.number + 1, self._kept.pop(name)[1]))
        self.held = held
        self.put({}, about)

    def put(self, cards: Mapping[str, object], about: object) -> None:
        """A new frame: these cards changed; `about` says what holds for the hall as a whole."""
        self.number += 1
        for name, card in cards.items():
            self._cards[name] = (self.number, encode_document(card))
        self._made.clear()
        self._about = encode_document(about)
        self.wake()

    def since(self, number: int) -> Message:
        """What changed after frame `number`; everything for 0."""
        made = self._made.get(number)
        if made is None:
            changed = ",".join(text for at, text in self._cards.values() if at > number)
            about = f'"now":{time.monotonic():.3f},"hall":{self._about}'
            text = f'{{"frame":{self.number},{about},"cards":[{changed}]}}'
            made = self._made[number] = {"type": "websocket.send", "text": text}
        return made

    async def serve_frames(self, send: Send) -> None:
        """Send until `send` raises, or the viewer stalls and is shed."""
        with self.sending() as mark:
            number = 0
            while True:
                await self.wait_past(number)
                message, number = self.since(number), self.number
                mark(True)
                await send(message)
                mark(False)
