"""What the house says, in each language: a folder a language under `rules/locale`, read as it is.

A message is its English text. `locale/CODE/takhte.po` holds the others, of every room: the rules at
the bottom are where each room may read them. Its header says what else a language is:

    X-Language-Name: فارسی          what it calls itself
    X-Direction: rtl                which way it is written; ltr where it does not say
    X-Digits: ۰۱۲۳۴۵۶۷۸۹٪           its digits and percent sign, where they are not 0-9 and %

Beside it may lie `air/`, the pictures that say why a stream shows none. What a language does not
have is said in English.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LOCALE: Final = Path(__file__).parent / "locale"
SOURCE: Final = "en"
"""The language that the messages themselves are in."""
_PLAIN: Final = "0123456789%"


JOINERS: Final = "\u200c\u200d"
"""Letters without a shape of their own that Persian is spelt with: `بین\u200cالمللی`."""


def printable(text: str) -> bool:
    """Whether every letter of a text may stand on a page or in a file: joiners may."""
    return all(c.isprintable() or c in JOINERS for c in text)


def about_command(doc: str | None) -> str:
    """What `--help` says of a command: its module's own words, without the mark of an edge."""
    return re.sub(r"\s+\(E\)", "", doc or "")


class WordsError(ValueError):
    """A language's file that cannot be read; the message names file and line."""


@dataclass(frozen=True)
class Language:
    """One language. `messages` maps English to it and is empty for English itself."""

    code: str
    name: str
    messages: Mapping[str, str]
    direction: str = "ltr"
    digits: str = ""
    """Its digits from zero, then its percent sign; "" where they are the usual ones."""

    def say(self, text: str, **values: object) -> str:
        """The text in this language; `{name}` is replaced from the values.

        Unknown texts stay English.
        """
        said = self.messages.get(text) or text
        return said.format(**values) if values else said

    def with_digits(self, text: str) -> str:
        """The text with this language's own digits."""
        return text.translate(str.maketrans(_PLAIN, self.digits)) if self.digits else text


@functools.cache
def language_codes() -> tuple[str, ...]:
    """The code of every language that has a folder, English first. No file is read."""
    found = sorted(path.parent.name for path in LOCALE.glob("*/takhte.po"))
    return (SOURCE, *(code for code in found if code != SOURCE))


@functools.cache
def languages() -> Mapping[str, Language]:
    """Every language by its code, English first."""
    return {code: _language(code) for code in language_codes()}


def _language(code: str) -> Language:
    path = LOCALE / code / "takhte.po"
    messages = read_messages(path)
    header = {
        name.strip(): value.strip()
        for name, _, value in (line.partition(":") for line in messages.pop("", "").split("\n"))
    }
    digits = header.get("X-Digits", "")
    if len(digits) not in (0, len(_PLAIN)):
        raise WordsError(f"{path}: X-Digits is ten digits and a percent sign; got {digits!r}")
    return Language(
        code,
        header.get("X-Language-Name") or code,
        {text: said for text, said in messages.items() if said},
        "rtl" if header.get("X-Direction") == "rtl" else "ltr",
        digits,
    )


def read_messages(path: Path) -> dict[str, str]:
    """English text to translation of a .po file, "" where there is none; the header is under "".

    A translation marked fuzzy counts as none. Raises WordsError for what no message is made of:
    plural forms and contexts are not used here.
    """
    found: dict[str, str] = {}
    parts: dict[str, str] = {}
    into, fuzzy = "", False

    def keep() -> None:
        if "msgstr" in parts:
            found[parts["msgid"]] = "" if fuzzy and parts["msgid"] else parts["msgstr"]

    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            if "msgstr" in parts:
                keep()
                parts, into, fuzzy = {}, "", False
            fuzzy = fuzzy or (text.startswith("#,") and "fuzzy" in text)
            continue
        word, _, quoted = text.partition(" ") if not text.startswith('"') else (into, "", text)
        if word == "msgid" and "msgstr" in parts:
            keep()
            parts, fuzzy = {}, False
        if word not in ("msgid", "msgstr") or (word == "msgstr" and "msgid" not in parts):
            raise WordsError(f"{path}: line {number}: expected msgid or msgstr, got {text[:40]!r}")
        try:
            piece = json.loads(quoted.strip(), strict=False)
        except ValueError:
            raise WordsError(f"{path}: line {number}: expected quotes, got {text[:40]!r}") from None
        into = word
        parts[word] = parts.get(word, "") + piece
    keep()
    return found
