"""What the pages say, gathered from templates and scripts: keeps the catalogues complete.

`python -m service.web.catalogue` adds new messages to every `takhte.po` and drops those that nobody
says any more; a test fails while one is missing. Translators edit the .po files with any gettext
editor.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from rules.observation import source_labels
from service.web.words import LOCALE

_HERE: Final = Path(__file__).parent
_TEXT: Final = r'"(?:[^"\\]|\\.)*"'
_CALL: Final = re.compile(rf"(?<![\w.])(?:say|_)\(\s*({_TEXT}(?:\s*\+\s*{_TEXT})*)[,)\s]")
"""A message where it is used; a long one is put together from pieces: `say("one " + "two")`."""
_PIECE: Final = re.compile(_TEXT)


def messages() -> Mapping[str, list[tuple[str, int]]]:
    """Every message with the places (file, line) that say it."""
    found: dict[str, list[tuple[str, int]]] = {}
    for path in sorted([*_HERE.glob("templates/*.html"), *_HERE.glob("static/js/**/*.js")]):
        source = path.read_text(encoding="utf-8")
        for match in _CALL.finditer(source):
            text = "".join(piece[1:-1] for piece in _PIECE.findall(match[1]))
            place = (path.relative_to(_HERE).as_posix(), source.count("\n", 0, match.start()) + 1)
            found.setdefault(text.replace('\\"', '"'), []).append(place)
    for text in source_labels().values():
        found.setdefault(text, []).append(("rules/observation.py", 0))
    return found


def main() -> int:
    template = Catalog(project="takhte", charset="utf-8", fuzzy=False)
    for text, places in messages().items():
        template.add(
            text, locations=[(file, 0) for file in dict.fromkeys(file for file, _ in places)]
        )
    for path in sorted(LOCALE.glob("*/LC_MESSAGES/takhte.po")):
        with path.open("rb") as file:
            catalogue = read_po(file, path.parts[-3])
        catalogue.update(template, no_fuzzy_matching=True)
        catalogue.obsolete.clear()
        with path.open("wb") as out:
            write_po(
                out, catalogue, width=120, sort_output=True, omit_header=False, include_lineno=False
            )
        missing = [m.id for m in catalogue if m.id and not m.string]
        print(f"{path.parts[-3]}: {len(catalogue)} messages, {len(missing)} to translate")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
