"""The line to the table's own process: JSON lines over its Unix socket. (E)

Orders and questions take a connection each and are answered within `PATIENCE` seconds or raise
`TableDownError`; `watch` holds one open and yields the newest state document after each change. The
table is the truth: nothing is retried here, an order that was not acknowledged is told to the
person who gave it.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from service.journal.codec import Json
from service.referee.refusal import Done, Found, Refusal, answer_from
from service.show.document import TableDocument, is_table_document
from service.web.asking import AskLine
from service.web.ports import TableDownError

log = logging.getLogger(__name__)

PATIENCE: Final = 5.0
"""Seconds to wait for an answer: a commit takes milliseconds, a slow card less than one second."""
LONGEST_LINE: Final = 8 * 1024 * 1024
"""Bytes of one answer: a state document of a long match is some 100 kB."""
RETRY: Final = (0.1, 0.2, 0.5, 1.0, 2.0)


class RefusedError(ValueError):
    """The table said no, and why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.expected or refusal.code)
        self.refusal = refusal


class TableLink:
    """One table's socket: a `TableLine`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.up = False
        self._numbers = itertools.count(1)

    async def ask(self, query: str, args: Mapping[str, Json] | None = None) -> object:
        """The answer to a read-only question. Raises TableDownError, RefusedError."""
        answer = await self._exchange({"query": query, "args": dict(args or {})})
        return answer.result if isinstance(answer, Found) else None

    async def order(self, order: str, args: Mapping[str, Json], by: Mapping[str, Json]) -> Done:
        """The acknowledgement of an order, after the commit.

        Raises TableDownError, RefusedError.
        """
        answer = await self._exchange({"order": order, "args": dict(args), "by": dict(by)})
        return answer if isinstance(answer, Done) else Done(0)

    async def _exchange(self, message: AskLine) -> Done | Found:
        message = {"id": f"w{next(self._numbers)}", **message}
        try:
            async with asyncio.timeout(PATIENCE):
                reader, writer = await asyncio.open_unix_connection(
                    str(self.path), limit=LONGEST_LINE
                )
                try:
                    writer.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
                    await writer.drain()
                    answer = answer_from(json.loads(await _line(reader)))
                finally:
                    writer.close()
        except (OSError, ValueError, TimeoutError) as error:
            raise TableDownError(
                f"the table's process at {self.path.name} did not answer ({type(error).__name__});"
                " is `takhte run` running?"
            ) from error
        if isinstance(answer, Refusal):
            raise RefusedError(answer)
        return answer

    async def watch(
        self, on_state: Callable[[TableDocument], None], on_change: Callable[[bool], None]
    ) -> None:
        """Follow the table for ever: `on_state` with each document, `on_change` with whether it
        answers. The first failure and the recovery are logged, nothing between."""
        tries = 0
        while True:
            try:
                await self._watch_once(on_state, on_change)
            except (OSError, ValueError, TimeoutError) as error:
                if self.up or tries == 0:
                    log.warning(
                        "the table at %s does not answer (%s); its journal is shown until it does",
                        self.path.name,
                        type(error).__name__,
                    )
            self.up = False
            on_change(False)
            await asyncio.sleep(RETRY[min(tries, len(RETRY) - 1)])
            tries += 1

    async def _watch_once(
        self, on_state: Callable[[TableDocument], None], on_change: Callable[[bool], None]
    ) -> None:
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_unix_connection(str(self.path), limit=LONGEST_LINE)
        try:
            writer.write(
                json.dumps({"id": f"w{next(self._numbers)}", "query": "watch"}).encode() + b"\n"
            )
            await writer.drain()
            while True:
                async with asyncio.timeout(PATIENCE):
                    answer = json.loads(await _line(reader))
                state = answer.get("state") if isinstance(answer, dict) else None
                if not is_table_document(state):
                    raise ValueError(f"expected a state, got {str(answer)[:80]}")
                if not self.up:
                    self.up = True
                    log.info("the table at %s answers", self.path.name)
                    on_change(True)
                on_state(state)
        finally:
            writer.close()


async def _line(reader: asyncio.StreamReader) -> bytes:
    line = await reader.readline()
    if not line.endswith(b"\n"):
        raise ConnectionError("the table closed the line")
    return line
