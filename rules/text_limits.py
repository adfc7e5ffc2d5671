"""How much a TOML text of a person may hold, asked before it is parsed: Python's parser takes time
and memory by the square of what a hostile text says.
"""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 16_000
MOST_KEYS: Final = 64
MOST_DOTS: Final = 8
_QUOTED: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*(?:""")?'
    r"|'''(?:[^']|'(?!''))*(?:''')?"
    r'|"(?:[^"\\\n]|\\.)*"?'
    r"|'[^'\n]*'?"
    r"|#[^\n]*",
    re.DOTALL,
)
"""Texts and remarks: what stands in them is no key. Each part goes on as far as it can and never
back, so a text is read once."""
_BETWEEN: Final = re.compile(r"[=,{}\[\]\n]")


def too_much(text: str) -> str:
    """Why this text is not to be parsed; empty where it may be."""
    if len(text) > LONGEST:
        return f"{len(text)} characters; at most {LONGEST} are read"
    bare = _QUOTED.sub("_", text)
    keys = bare.count("=") + len(re.findall(r"^[ \t]*\[", bare, re.MULTILINE))
    if keys > MOST_KEYS:
        return f"{keys} keys and sections; at most {MOST_KEYS} are read"
    dots = max(part.count(".") for part in _BETWEEN.split(bare))
    if dots > MOST_DOTS:
        return f"a key of {dots + 1} names; at most {MOST_DOTS + 1} are read"
    return ""
