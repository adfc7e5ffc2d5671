"""A hostile text is refused before it is parsed, and what is let through is parsed at once."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from rules.event import EventError
from rules.event_keys import load_event
from rules.text_limits import LONGEST, MOST_DOTS, MOST_KEYS, too_much

REFUSED = {
    "dots": "a" + ".a" * (MOST_DOTS + 1) + " = 1\n",
    "dots between spaces": "a" + " . a" * 5000,
    "in a header": "[a" + ".a" * (MOST_DOTS + 1) + "]\n",
    "in an inline table": "x = {a" + ".a" * (MOST_DOTS + 1) + " = 1}\n",
    "keys": "".join(f"k{n} = 1\n" for n in range(MOST_KEYS + 1)),
    "keys in a row": "x = {" + ", ".join(f"k{n} = 1" for n in range(MOST_KEYS)) + "}\n",
    "sections": "".join(f"[s{n}]\n" for n in range(MOST_KEYS + 1)),
    "length": "#" * (LONGEST + 1),
}
TAKEN = {
    "dots in texts": f'name = "{"a." * 50}"\n# {"b." * 50}\n',
    "numbers": "x = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5]\n",
    "equal signs in texts": 'name = """\n' + "k = 1\n" * 100 + '"""\n',
    "a quote within": "x = '''it's '' so'''\ny = \"a\\\"b = \\\" c\"\n",
}


@pytest.mark.parametrize("name", REFUSED)
def test_too_much_is_refused(name: str) -> None:
    assert too_much(REFUSED[name])
    with pytest.raises(EventError, match="no event file"):
        load_event(REFUSED[name], "e.toml")


@pytest.mark.parametrize("name", TAKEN)
def test_what_stands_in_texts_is_no_key(name: str) -> None:
    assert too_much(TAKEN[name]) == ""
    assert tomllib.loads(TAKEN[name])


def test_every_file_of_the_guides_is_within() -> None:
    docs = Path(__file__).resolve().parents[2] / "docs"
    for page in docs.glob("*.md"):
        for block in page.read_text().split("```toml")[1:]:
            assert too_much(block.split("```")[0]) == ""
