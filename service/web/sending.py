"""One POST to another program's address, and what came of it. (E)"""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

PATIENCE: Final = 10.0


class AddressError(ValueError):
    """An address that nothing can be sent to."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows nothing: what is sent is for the address that was set, and for no other."""

    def redirect_request(self, *_: object) -> None:
        return None


_DIRECT: Final = urllib.request.build_opener(_NoRedirect)


@dataclass(frozen=True, slots=True)
class SendAnswer:
    """What came of sending: the status (0: nobody answered) and what is wrong, "" for nothing."""

    status: int
    problem: str = ""


def checked_address(url: str) -> str:
    """The same address. Raises AddressError where it is none of the web's."""
    if not url.startswith(("https://", "http://")):
        raise AddressError(
            f"an address begins with https:// (or http:// within the house); got {url[:60]!r}"
        )
    return url


def send(url: str, body: bytes, headers: Mapping[str, str], method: str = "POST") -> SendAnswer:
    """Send JSON once. Blocking, at most PATIENCE seconds for each word of the other side."""
    request = urllib.request.Request(  # noqa: S310
        checked_address(url),
        body,
        {"content-type": "application/json", "user-agent": "takhte", **headers},
        method=method,
    )
    try:
        with _DIRECT.open(request, timeout=PATIENCE) as answer:
            return SendAnswer(int(answer.status))
    except urllib.error.HTTPError as error:
        error.close()
        return SendAnswer(error.code, f"the website answered {error.code}")
    except urllib.error.URLError as error:
        return SendAnswer(0, str(error.reason)[:120])
    except (OSError, ValueError) as error:
        return SendAnswer(0, str(error)[:120])
