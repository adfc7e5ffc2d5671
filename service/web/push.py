"""Sending a table's state to a website: a POST after each change, as late as the feed `push` says.
(E)

The website gets what a guest would see, the newest only: a slow one misses states and delays
nobody. `seq` tells it what is newer; sending the same state twice does no harm. What fails is tried
again with the next state, later and later, and said once.
"""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from service.web.desk import Desk
from service.web.sending import checked_address, send

log = logging.getLogger(__name__)

AT_MOST_EVERY: Final = 0.5
BACK_OFF: Final = (1.0, 2.0, 5.0, 15.0, 60.0)


@dataclass(frozen=True, slots=True)
class Target:
    """Where states are sent.

    `{table}` in the address is the table's name; `token` is sent as a bearer token and never told
    again.
    """

    url: str = ""
    token: str = ""

    def __post_init__(self) -> None:
        if self.url:
            checked_address(self.url)


class Push:
    """Keeps the target in a file that only its owner may read, and sends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.target = self._read()
        self.problem = ""
        self.sent = 0

    def _read(self) -> Target:
        try:
            return Target(**json.loads(self.path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return Target()

    def set(self, target: Target) -> None:
        """Use another target from now on. Raises OSError."""
        part = self.path.with_suffix(".part")
        part.touch(mode=0o600)
        part.write_text(
            json.dumps({"url": target.url, "token": target.token}) + "\n", encoding="utf-8"
        )
        part.replace(self.path)
        self.target, self.problem = target, ""

    async def run(self, desk: Desk) -> None:
        """Follow one table's `push` feed for ever."""
        number, failures = 0, 0
        while True:
            number, text = await desk.feeds["push"].newer_than(number)
            target = self.target
            if not target.url or text in ("", "{}"):
                continue
            problem = await asyncio.to_thread(self._post, target, desk.name, text.encode())
            if problem and problem != self.problem:
                log.warning(
                    "sending table %s to its website failed (%s); it is tried again",
                    desk.name,
                    problem,
                )
            self.problem = problem
            self.sent += not problem
            failures = failures + 1 if problem else 0
            await asyncio.sleep(
                BACK_OFF[min(failures, len(BACK_OFF)) - 1] if failures else AT_MOST_EVERY
            )

    def _post(self, target: Target, table: str, body: bytes) -> str:
        """Send once; returns what went wrong, "" for nothing."""
        headers = {"authorization": f"Bearer {target.token}"} if target.token else {}
        return send(target.url.replace("{table}", table), body, headers).problem
