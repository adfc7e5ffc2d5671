"""Languages: gettext catalogues read with babel, the same for templates and scripts.

A message is its English text; `locale/LANG/LC_MESSAGES/takhte.po` holds the others and is read as
it is at the start (30 ms), so that no compiled file can be stale. A new language is a new folder.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from babel import Locale
from babel.messages.pofile import read_po

LOCALE: Final = Path(__file__).parent / "locale"
SOURCE: Final = "en"
_RTL: Final = frozenset({"fa", "ar", "he", "ckb", "ur"})


@dataclass(frozen=True)
class Language:
    """One language of the face. `messages` maps English to it and is empty for English itself."""

    code: str
    name: str
    messages: Mapping[str, str]

    @property
    def direction(self) -> str:
        return "rtl" if self.code in _RTL else "ltr"

    def say(self, text: str, **values: object) -> str:
        """The text in this language; `{name}` is replaced from the values.

        Unknown texts stay English.
        """
        said = self.messages.get(text) or text
        return said.format(**values) if values else said


@functools.cache
def languages() -> Mapping[str, Language]:
    """Every language there is, English first; the name is each one's own word for itself."""
    out = {SOURCE: Language(SOURCE, "English", {})}
    for path in sorted(LOCALE.glob("*/LC_MESSAGES/takhte.po")):
        with path.open("rb") as file:
            catalogue = read_po(file, path.parts[-3])
        messages = {
            m.id: m.string
            for m in catalogue
            if isinstance(m.id, str)
            and m.id
            and isinstance(m.string, str)
            and m.string
            and not m.fuzzy
        }
        code = path.parts[-3]
        out[code] = Language(code, Locale.parse(code).get_language_name() or code, messages)
    return out


def choose_language(wanted: str | None, accepts: str, default: str = "") -> Language:
    """The language for a visitor: what was asked for, else the site's, else the first that the
    browser accepts, else English.
    """
    known = languages()
    for code in (wanted, default):
        if code and code in known:
            return known[code]
    for part in accepts.split(","):
        code = part.split(";")[0].strip().split("-")[0].lower()
        if code in known:
            return known[code]
    return known[SOURCE]
