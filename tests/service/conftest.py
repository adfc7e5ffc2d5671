"""A table for stories: whatever happened on it, its journal replays to the state that wrote it, and
every line reads back.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.service.hands import Hands, check


@pytest.fixture
def table() -> Iterator[Hands]:
    hands = Hands()
    yield hands
    check(hands)
