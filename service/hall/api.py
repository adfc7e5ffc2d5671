"""A small client of the hall's own API: what the demonstration's director and the benchmarks speak
(E).
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

from service.journal.codec import Json


class ApiError(OSError):
    """The hall refused, or did not answer."""


class Api:
    """`url` is the hall's page, http only: it speaks from the hall's own machine."""

    def __init__(self, url: str, patience: float = 20.0) -> None:
        self.url, self.patience = url, patience

    def get(self, path: str) -> Any:
        """The JSON at a path. Raises ApiError."""
        return self._ask(urllib.request.Request(self.url + path))  # noqa: S310 - our own address

    def post(self, path: str, body: Mapping[str, Json]) -> Any:
        """The answer to a body. Raises ApiError."""
        headers = {"content-type": "application/json"}
        data = json.dumps(body).encode()
        return self._ask(urllib.request.Request(self.url + path, data, headers))  # noqa: S310

    def _ask(self, request: urllib.request.Request) -> Any:
        try:
            with urllib.request.urlopen(request, timeout=self.patience) as answer:  # noqa: S310
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            raise ApiError(f"{error.code}: {error.read(400).decode(errors='replace')}") from None
        except (OSError, ValueError) as error:
            raise ApiError(str(error)) from None
