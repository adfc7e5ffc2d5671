"""Where something stands in a TOML text. tomllib keeps no lines, and an error that names none helps
nobody.
"""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 1_000
"""Longer lines are not looked into."""
_NAME: Final = r"""(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)"""
_KEY: Final = re.compile(rf"\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*=")
_SECTION: Final = re.compile(r"\s*\[\[?\s*(.*?)\s*\]\]?\s*(?:#.*)?$")
_PART: Final = re.compile(r""""([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+)""")


def _path(text: str) -> tuple[str, ...]:
    return tuple(a or b or c for a, b, c in _PART.findall(text))


def line_of(text: str, *path: str) -> int:
    """The line of the key or section at a path, or of what it stands in (`head = {limit = 9}` for
    head.limit); 1 if nothing does.
    """
    section: tuple[str, ...] = ()
    found, depth = 1, 0
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > LONGEST:
            continue
        if match := _SECTION.match(line):
            here = section = _path(match[1])
        elif match := _KEY.match(line):
            here = section + _path(match[1])
        else:
            continue
        if here == path[: len(here)] and len(here) > depth:
            found, depth = number, len(here)
    return found
