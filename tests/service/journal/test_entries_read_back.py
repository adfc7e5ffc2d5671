"""Every kind of entry that a person's order can write is read back: a journal that cannot be read
again is a match lost.
"""

from __future__ import annotations

import pytest

from service.journal.codec import decode, encode
from service.journal.entries import KINDS, MatchAmended

VALUES = ["Anna", 7, None, (1, 2), {"white": "dark", "home": "south-east"}, True]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_an_amendment_of_anything_is_read_back(value: object) -> None:
    body = MatchAmended("white", value, None, "said wrongly")  # type: ignore[arg-type]
    assert decode(KINDS["match_amended"], encode(body), "body") == body
