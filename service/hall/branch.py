"""Another hall's tables, shown here: its stream read through the leaf by which its server reaches
this one's (E).

The numbers of its stream stay, and its entries are judged as that hall judges them: by its id, and
by the list of its boards that it signs. Orders are that hall's own to give.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import astuple
from functools import partial
from pathlib import Path
from typing import Final, Protocol

import nats.errors
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from nats.aio.client import Client
from nats.js import JetStreamContext, api

from service.hall.config import HallConfig
from service.hall.following import Following
from service.hall.leaf import Branch, boards_from, boards_of, leaf_inbox
from service.hall.ledger import Believed, MessageRefused, PairedBoard
from service.hall.model import Message, Model
from service.hall.wire import MessageError, Sealed, TableStatus, open_message
from service.referee.refusal import Refusal

log = logging.getLogger(__name__)

ASK_S: Final = 5.0


def shown(branch: str, table: str) -> str:
    """The name here of a hall's table; "" is this hall itself."""
    return f"{branch}.{table}" if branch else table


class BranchLine(Following):
    """One branch: its model, and the line that keeps it."""

    def __init__(
        self,
        branch: Branch,
        folder: Path,
        key: Ed25519PrivateKey,
        address: str,
        certificate: str,
        take_entries: Callable[[Sequence[Believed | MessageRefused]], None],
        take_status: Callable[[TableStatus], None],
        forget_entries: Callable[[], None],
    ) -> None:
        super().__init__(
            Model(folder / "model.db", branch.hall),
            key,
            branch.hall,
            address,
            certificate,
            take_entries,
            take_status,
            forget_entries,
            leaf_inbox(branch.name),
            branch.hall,
        )
        self.branch = branch
        self._kept = folder / "boards.json"
        self.boards = _kept_boards(self._kept)

    def gone(self, why: str) -> str:
        log.debug("hall %s: %s", self.branch.name, why)
        return (
            f"the hall {self.branch.name} is not reached; it goes on by itself, and what its tables"
            " play comes as soon as it is"
        )

    async def opened(self, line: Client) -> None:
        self._line = line

    async def found_stream(self, stream: JetStreamContext) -> api.StreamInfo:
        info = await super().found_stream(stream)
        if (line := self._line) is not None:
            await self._ask(line)
        return info

    async def know(self, messages: Sequence[Message]) -> None:
        """A board that is not known yet was paired since that hall was asked: ask again."""
        keys = {key for _, key in self.boards}
        found = {Sealed.of(m.data, m.headers).key for m in messages if _signed(m)}
        if found - keys and (line := self._line) is not None:
            await self._ask(line)

    async def _ask(self, line: Client) -> None:
        """Hear which boards are that hall's. Raises what is in LOST."""
        subject = boards_of(self.hall)
        answer = await line.request(subject, b"", timeout=ASK_S)
        try:
            sealed = Sealed.of(answer.data, answer.headers)
            if sealed.key != self.branch.key:
                raise MessageError("foreign", "expected that hall's own key")
            boards = boards_from(open_message(sealed, "boards", self.hall, subject))
        except MessageError as error:
            raise nats.errors.Error(f"its list of boards cannot be believed: {error}") from None
        before, self.boards = self.boards, boards
        if before != boards:
            part = self._kept.with_suffix(".part")
            part.write_text(json.dumps([astuple(b) for b in boards.values()]), "utf-8")
            part.replace(self._kept)
        if _believed_too_long(before, boards, self.model.number):
            log.info("hall %s: a board was replaced; its stream is read anew", self.branch.name)
            self._begin_anew(self.model.stream)
            raise nats.errors.Error("a board was replaced; the stream is read anew")


class Shows(Protocol):
    """What branches need of the hall that shows them."""

    def take_entries(
        self, verdicts: Sequence[Believed | MessageRefused], branch: str = ""
    ) -> None: ...

    def take_status(self, status: TableStatus, branch: str = "") -> None: ...

    def forget_entries(self, branch: str = "") -> None: ...


class Branches:
    """Every hall whose tables are shown here; each table stands as `branch.table`."""

    def __init__(
        self,
        config: HallConfig,
        key: Ed25519PrivateKey,
        address: str,
        certificate: str,
        hall: Shows,
    ) -> None:
        self.lines = {
            branch.name: BranchLine(
                branch,
                config.data / "branches" / branch.name,
                key,
                address,
                certificate,
                partial(hall.take_entries, branch=branch.name),
                partial(hall.take_status, branch=branch.name),
                partial(hall.forget_entries, branch.name),
            )
            for branch in config.branches
        }

    def works(self) -> list[Coroutine[None, None, None]]:
        """What keeps them, to be run until it is cancelled."""
        return [line.run() for line in self.lines.values()]

    def close(self) -> None:
        """Let go of their files."""
        for line in self.lines.values():
            line.model.close()

    def source(self, table: str) -> tuple[Model, str] | None:
        """The model that has this table, and its name there; None for a table of this hall."""
        branch, dot, name = table.partition(".")
        return (self.lines[branch].model, name) if dot else None

    def tables(self) -> list[str]:
        """Every table of theirs of which something is recorded."""
        return [
            shown(name, table) for name, line in self.lines.items() for table in line.model.ledgers
        ]

    def objection(self, table: str) -> Refusal | None:
        """Why this hall gives a table no orders; None for one of its own."""
        branch, dot, _ = table.partition(".")
        if not dot:
            return None
        return Refusal(
            "another_hall",
            "a table of this hall",
            f"table {table} of the hall {branch}",
            "let that hall's director do it: its tables are only shown here",
        )

    @property
    def problem(self) -> str:
        """What is wrong with one of them, "" for nothing."""
        return next((line.problem for line in self.lines.values() if line.problem), "")

    @property
    def behind(self) -> int:
        """Messages of their streams that are not read yet."""
        return sum(line.behind for line in self.lines.values())


def _signed(message: Message) -> bool:
    try:
        Sealed.of(message.data, message.headers)
    except MessageError:
        return False
    return True


def _believed_too_long(
    before: Mapping[tuple[str, str], PairedBoard],
    boards: Mapping[tuple[str, str], PairedBoard],
    number: int,
) -> bool:
    """Whether a board was replaced before a message that was judged as if it were not."""
    return any(
        board.until is not None
        and board.until < number
        and who in before
        and before[who].until is None
        for who, board in boards.items()
    )


def _kept_boards(path: Path) -> dict[tuple[str, str], PairedBoard]:
    try:
        rows = [PairedBoard(*row) for row in json.loads(path.read_text("utf-8"))]
    except (OSError, ValueError, TypeError):
        return {}
    return {(board.table, board.key): board for board in rows}
