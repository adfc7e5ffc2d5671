"""What the house says, gathered from rules, templates and scripts: keeps the catalogues complete.

`python -m service.web.catalogue` adds new messages to every `takhte.po` under `rules/locale` and
drops those that nobody says any more; a test fails while one is missing. Translators edit the .po
files with any gettext editor.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from rules.infraction import WHOSE, WORDS
from rules.observation import source_labels
from rules.offers import messages_of_offers
from rules.ruleset import catalogue
from rules.words import LOCALE, SOURCE, language_codes, read_messages
from service.journal.saying import ALERTS, NOTES

_HERE: Final = Path(__file__).parent
_TEXT: Final = r'"(?:[^"\\]|\\.)*"'
_CALL: Final = re.compile(
    rf"(?:(?<![\w.])(?:say|_)|\blanguage\.say)\(\s*({_TEXT}(?:\s*\+\s*{_TEXT})*)[,)\s]"
)
"""A message where it is used; a long one is put together from pieces: `say("one " + "two")`."""
_PIECE: Final = re.compile(_TEXT)


def messages() -> Mapping[str, list[str]]:
    """Every message with the files that say it, in the order in which they are found."""
    found: dict[str, list[str]] = {}
    for words in (*WORDS.values(), *WHOSE.values()):
        found.setdefault(words, []).append("rules/infraction.py")
    for words in messages_of_offers():
        found.setdefault(words, []).append("rules/offers.py")
    for words in (*ALERTS.values(), *NOTES.values()):
        found.setdefault(words, []).append("service/journal/saying.py")
    for ruleset in catalogue().values():
        found.setdefault(ruleset.titled(SOURCE), []).append("rules/rulesets.toml")
    rooms = _HERE.parent
    for path in sorted(
        [
            *_HERE.glob("templates/*.html"),
            *_HERE.glob("static/js/**/*.js"),
            *rooms.glob("report/templates/*.html"),
            *rooms.glob("report/*.py"),
            *rooms.glob("show/*.py"),
        ]
    ):
        for match in _CALL.finditer(path.read_text(encoding="utf-8")):
            text = "".join(piece[1:-1] for piece in _PIECE.findall(match[1]))
            places = found.setdefault(text.replace('\\"', '"'), [])
            places.append(f"service/{path.relative_to(rooms).as_posix()}")
    for path in sorted(rooms.glob("table/recordings/*/recording.json")):
        about = json.loads(path.read_text(encoding="utf-8"))["about"]
        found.setdefault(about, []).append(f"service/{path.relative_to(rooms).as_posix()}")
    for text in source_labels().values():
        found.setdefault(text, []).append("rules/observation.py")
    return {text: list(dict.fromkeys(places)) for text, places in found.items()}


def catalogue_text(header: str, known: Mapping[str, str]) -> str:
    """A .po file: this header, then every message by its English text, with what is known of it."""
    lines = ['msgid ""', 'msgstr ""', *(_quoted(f"{line}\n") for line in header.splitlines())]
    for text, places in sorted(messages().items()):
        lines += ["", *(f"#: {place}" for place in places)]
        lines += [f"msgid {_quoted(text)}", f"msgstr {_quoted(known.get(text, ''))}"]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def main() -> int:
    for code in language_codes():
        if code == SOURCE:
            continue
        path = LOCALE / code / "takhte.po"
        known = read_messages(path)
        path.write_text(catalogue_text(known.get("", ""), known), encoding="utf-8")
        missing = [text for text in messages() if not known.get(text)]
        print(f"{code}: {len(messages())} messages, {len(missing)} to translate")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
