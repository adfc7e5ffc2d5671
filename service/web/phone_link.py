"""What is said between the table and a phone that is its clock or its camera, as values. Pure: no
socket, no clock; `now` is this machine's monotonic time.

    table to phone   {"t": "ask", "n"}                       how late is it?
                     {"t": "done", "n"}                      press n is on record
                     {"t": "got", "n"}                       picture n came; send the next
    phone to table   {"t": "late", "n", "ms"}                the answer, its clock's milliseconds
                     {"t": "press", "n", "what", "ms"}       a finger came down
                     {"t": "picture", "n", "ms", "size"}     so many bytes of JPEG follow, in parts

The other half is `static/js/phone_core.js`; tests/data/phone_link.json holds both to the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from service.web.phone_clock import PhoneClock
from service.web.phone_schema import PhoneSaid

EAGER: Final = 8
"""Questions asked one after another when a phone comes."""
EAGER_S: Final = 0.1
ASK_S: Final = 1.0
FORGOTTEN: Final = 32
"""Questions that may be open; older ones are not waited for."""
MOST_HELD: Final = 5_000
"""Presses that may wait until the phone's clock is known: an evening's without a network."""
PART: Final = 60_000
"""Bytes of one part of it: what one message may have."""
PICTURES_PER_S: Final = 1_000_000
"""Bytes of pictures a second that are taken from a phone; more are not looked at."""


class NotALinkError(ValueError):
    """A message that no phone of ours sends: what was expected."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """Press `number`: what came down, when by this machine's clock, and the doubt of that."""

    number: int
    what: str
    at: float
    doubt: float


@dataclass(frozen=True, slots=True)
class Filmed:
    """A whole picture and when it was taken by this machine's clock; `jpeg` is empty where it was
    too much and is not looked at.
    """

    number: int
    at: float
    jpeg: bytes


@dataclass(slots=True)
class _Coming:
    number: int
    ms: float
    size: int
    parts: bytearray


class PhoneLink:
    """One phone's connection. `clock` outlives it: a phone that comes back is known."""

    def __init__(self, clock: PhoneClock, now: float) -> None:
        self.clock = clock
        self._asked: dict[int, float] = {}
        self._number, self._next = 0, now
        self._coming: _Coming | None = None
        self._held: list[tuple[int, str, float]] = []
        self._allowance, self._since = float(PICTURES_PER_S), now

    def due(self, now: float) -> tuple[str | None, float]:
        """The question to send now, if any, and in how many seconds to ask again."""
        if now < self._next:
            return None, self._next - now
        self._number += 1
        pause = EAGER_S if self._number < EAGER else ASK_S
        self._next = now + pause
        self._asked[self._number] = now
        if len(self._asked) > FORGOTTEN:
            del self._asked[next(iter(self._asked))]
        return json.dumps({"t": "ask", "n": self._number}), pause

    def heard(self, text: str, now: float) -> list[Pressed]:
        """The presses that may go to the table after a text message, in order: none before the
        phone's clock is known well. Raises NotALinkError.
        """
        try:
            said = PhoneSaid.model_validate_json(text)
        except ValidationError as error:
            raise NotALinkError(f"expected late, press or picture: {error.errors()[0]}") from None
        match said.t:
            case "late":
                sent = self._asked.pop(said.n, None)
                if sent is not None:
                    self.clock.add(said.ms / 1000, sent, now)
            case "press":
                if len(self._held) >= MOST_HELD or not said.what:
                    raise NotALinkError("expected what was pressed, and not so many at once")
                self._held.append((said.n, said.what, said.ms))
            case "picture":
                self._coming = _Coming(said.n, said.ms, said.size, bytearray())
        if self.clock.answers < EAGER:
            return []
        held, self._held = self._held, []
        return [Pressed(n, what, *self._time(stamp, now)) for n, what, stamp in held]

    def part(self, data: bytes, now: float) -> Filmed | None:
        """The picture that was announced once its last part came. Raises NotALinkError."""
        coming = self._coming
        if coming is None or len(data) > PART or len(coming.parts) + len(data) > coming.size:
            raise NotALinkError("expected parts of the picture that was announced")
        coming.parts += data
        if len(coming.parts) < coming.size:
            return None
        self._coming = None
        allowed = self._allowed(coming.size, now)
        at, _ = self._time(coming.ms, now)
        return Filmed(coming.number, at, bytes(coming.parts) if allowed else b"")

    def _time(self, ms: float, now: float) -> tuple[float, float]:
        """When a stamp was, and the doubt; never later than now."""
        if not self.clock.ready:
            return now, 60.0
        at, doubt = self.clock.time_of(ms / 1000)
        return min(at, now), doubt

    def _allowed(self, size: int, now: float) -> bool:
        gained = (now - self._since) * PICTURES_PER_S
        self._allowance = min(2.0 * PICTURES_PER_S, self._allowance + gained)
        self._since = now
        if self._allowance < size:
            return False
        self._allowance -= size
        return True
