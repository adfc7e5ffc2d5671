"""Which language a visitor reads. The languages themselves are in `rules.words`."""

from __future__ import annotations

from rules.words import SOURCE, Language, languages


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
