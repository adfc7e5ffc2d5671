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

from service.web.words import LOCALE

_HERE: Final = Path(__file__).parent
_SAID: Final = re.compile(r"""(?<![\w.])(?:say|_)\(\s*"((?:[^"\\]|\\.)*)"[,)\s]""")


def messages() -> Mapping[str, list[tuple[str, int]]]:
    """Every message with the places (file, line) that say it."""
    found: dict[str, list[tuple[str, int]]] = {}
    for path in sorted([*_HERE.glob("templates/*.html"), *_HERE.glob("static/js/*.js")]):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            for match in _SAID.finditer(line):
                found.setdefault(match[1].replace('\\"', '"'), []).append(
                    (path.relative_to(_HERE).as_posix(), number)
                )
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
