"""People's words as entries hold them: whatever a keyboard, a file or a stranger sends, on one line
and without marks that no page can show.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Final

from service.journal.codec import Json

_ENDS_A_LINE: Final = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029")
_UNSEEN: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})


def plain_text(text: str) -> str:
    """The text in one line (NFC), without control characters, line and paragraph separators and
    lone surrogates.
    """
    spaced = "".join(" " if c in _ENDS_A_LINE else c for c in text)
    return unicodedata.normalize(
        "NFC", "".join(c for c in spaced if unicodedata.category(c) not in _UNSEEN)
    )


def plain_lines(text: str) -> str:
    """The same of a text of several lines, such as a file: its own line ends stay."""
    return "\n".join(
        "\t".join(plain_text(piece) for piece in line.rstrip("\r").split("\t"))
        for line in text.split("\n")
    )


def plain_name(text: str, most: int) -> str:
    """A name: plain, without marks that turn text round, and no longer than this."""
    return "".join(
        c
        for c in plain_text(text)
        if unicodedata.category(c) not in ("Cf", "Co") or c in "\u200c\u200d"
    )[:most].strip()


def plain_json(value: Json) -> Json:
    """Plain JSON with every text in it plain; line ends stay."""
    if isinstance(value, str):
        return plain_lines(value)
    if isinstance(value, list | tuple):
        return tuple(plain_json(v) for v in value)
    if isinstance(value, Mapping):
        return {plain_text(k): plain_json(v) for k, v in value.items()}
    return value
