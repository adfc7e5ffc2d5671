"""The score as a picture: every word of it is the document's, in the viewer's language, and it
never grows.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from rules.board import Side
from rules.words import languages
from service.referee.state import State
from service.show.compose import table_document
from service.show.score_picture import HEIGHT, WIDTH, needs, score_svg, time_words
from service.web.view import visible

SVG = "{http://www.w3.org/2000/svg}"
MARKS = str.maketrans("", "", "\u200f\u2068\u2069")


def document(**match: Any) -> Any:
    """A match of seven points as guests see it, with these figures in its place."""
    shown: Any = visible(table_document(State(), 10.0), "public")
    players = {"white": {"name": "Mahsa <b>", "score": 5, "colour": "dark"}}
    players["black"] = {"name": "یان", "score": 6, "colour": "light"}
    shown["match"] |= {"ruleset": "backgammon", "length": 7, "game": 3, "players": players}
    shown["match"] |= match
    shown |= {"phase": "moving", "on_roll": "white", "dice": {**shown["dice"], "roll": [6, 4]}}
    shown["cube"] |= {"in_use": True, "value": 2, "owner": "black"}
    shown["clock"]["white"] = {"bank": 9.36, "delay": 0.0, "flags": 0}
    shown["clock"]["black"] = {"bank": 3723.2, "delay": 0.0, "flags": 0}
    return shown


def said(svg: str) -> list[str]:
    return [
        "".join(node.itertext()).translate(MARKS) for node in ET.fromstring(svg).iter(SVG + "text")
    ]


def test_it_says_what_the_document_says() -> None:
    english, persian = languages()["en"], languages()["fa"]
    found = said(score_svg(document(), english))
    for text in ("Mahsa <b>", "یان", "5", "6", "2-away", "1-away", "0:09.3", "1:02:04", "2"):
        assert text in found, text
    assert "to 7 points · After Crawford" in found
    found = said(score_svg(document(crawford=True), persian))
    assert (
        "۵" in found
        and "۰:۰۹.۳" in found
        and not any(c.isdigit() and c < "a" for c in "".join(found))
    )


def test_it_keeps_its_size_and_is_empty_where_no_match_is_known() -> None:
    english = languages()["en"]
    for shown in (None, visible(table_document(State(), 0.0), "public"), document()):
        assert ET.fromstring(score_svg(shown, english)).get("viewBox") == f"0 0 {WIDTH} {HEIGHT}"
    assert len(ET.fromstring(score_svg(None, english))) == 0


def test_it_is_mirrored_wholly_but_for_the_dice() -> None:
    ltr, rtl = (ET.fromstring(score_svg(document(), languages()[code])) for code in ("en", "fa"))
    for one, other in zip(ltr.iter(SVG + "text"), rtl.iter(SVG + "text"), strict=True):
        assert float(one.get("x", 0)) == WIDTH - float(other.get("x", 0))
    faces = [
        [float(n.get("x", 0)) for n in found.iter(SVG + "rect") if n.get("rx") == "8"][-2:]
        for found in (ltr, rtl)
    ]
    assert all(first < second for first, second in faces), "the first die stands left"


@pytest.mark.parametrize("name", ["a\x00b\x1f", "\ud800", "&<>\"'", "x" * 300, "\u202e" * 3])
def test_no_name_breaks_it(name: str) -> None:
    shown = document()
    shown["match"]["players"]["white"]["name"] = name
    ET.fromstring(score_svg(shown, languages()["fa"]))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0:00"),
        (0.04, "0:00.0"),
        (9.99, "0:09.9"),
        (10.0, "0:10"),
        (59.2, "1:00"),
        (3600.0, "1:00:00"),
    ],
)
def test_time_is_written_as_the_pages_clock_writes_it(seconds: float, text: str) -> None:
    assert time_words(seconds) == text


def test_nobody_needs_points_in_a_session() -> None:
    assert needs(document(length=None), Side.WHITE) == 0
