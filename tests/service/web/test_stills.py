"""Board and score as PNG: what a mixer without a browser gets is what the table shows, as late as
told, and never an error.
"""

from __future__ import annotations

from typing import Any

import cv2
import httpx
import numpy as np
import pytest

from rules.board import Side
from service.report.drawn import HEIGHT, LEFT, PITCH, TOP, WIDTH
from service.show.compose import table_document
from service.web.delay import Delay
from service.web.stills import drawn_board, png_of
from service.web.view import visible
from tests.service.hands import Hands
from tests.service.web.serve import Served

LIGHT, DARK = (0xEA, 0xF6, 0xFA), (0x20, 0x24, 0x2B)


def picture(served: Served, path: str) -> Any:
    """The picture that an address gives, with its alpha."""
    answer = httpx.get(served.url + path)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png"), answer.text
    return cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_UNCHANGED)


def begin(served: Served) -> None:
    served.table.order("set_match", white="Mahsa", black="یان", length=9, clock="ours")
    served.table.order("start_game")
    served.table.order("declare_roll", white=[3], black=[1])


def test_before_a_match_they_are_there_and_transparent(served: Served) -> None:
    board = (HEIGHT + 2 * TOP, WIDTH, 4)
    for path, shape in (("/score.png", (244, 960, 4)), (f"/board.png?width={WIDTH}", board)):
        found = picture(served, path)
        assert found.shape == shape and not found[..., 3].any()


def test_the_board_is_the_tables(served: Served) -> None:
    begin(served)
    served.table.turn()
    found = picture(served, f"/board.png?width={WIDTH}")
    assert found.shape == (HEIGHT + 2 * TOP, WIDTH, 4)
    placement = served.table.state.game.placement
    assert placement is not None
    for point in range(1, 25):
        column = point - 13 if point > 12 else 12 - point
        x = int(LEFT + PITCH * (column + 0.5) + (44 if column > 5 else 0)) + 12
        y = TOP + 18 if point > 12 else TOP + HEIGHT - 18
        for side, colour in ((Side.WHITE, LIGHT), (Side.BLACK, DARK)):
            stands = tuple(int(v) for v in found[y, x, :3]) == colour
            assert stands == bool(placement.counts(side)[point]), (point, side)


def test_in_nard_black_bears_off_across_from_white() -> None:
    hands = Hands()
    hands.set_up(ruleset="narde", length=5, white="Mahsa", black="Jan")
    hands.order("declare_roll", white=3, black=1)
    shown = visible(table_document(hands.state, hands.state.at), "overlay")
    shown["board"]["white"][0] = shown["board"]["black"][0] = 3
    found = cv2.imdecode(np.frombuffer(png_of(drawn_board(shown), WIDTH), np.uint8), 1)
    left, right = LEFT - 28, WIDTH - LEFT + 28
    for x, y, colour in ((right, TOP + HEIGHT - 5, LIGHT), (left, TOP + 4, DARK)):
        assert tuple(int(v) for v in found[y, x]) == colour


def test_the_score_is_as_late_as_the_overlay(served: Served) -> None:
    begin(served)
    at = served.table.state.at
    assert picture(served, "/score.png?lang=fa&theme=paper")[..., 3].any()
    served.app.state.delays.set("overlay", Delay(3600))
    served.app.state.desks["t1"].delayed()
    for path in ("/score.png", "/board.png", f"/score.png?at={at + 1e6}"):
        assert not picture(served, path)[..., 3].any(), path


@pytest.mark.parametrize(
    "query", ["?width=99999", "?width=1", "?table=t9", "?theme=club", "?at=-1", "?width=x"]
)
def test_asked_wrongly_it_says_what_was_expected(shared: Served, query: str) -> None:
    answer = httpx.get(f"{shared.url}/score.png{query}")
    assert answer.status_code in (404, 422) and answer.json()["error"]["expected"]


def test_letters_that_the_font_has_not_are_drawn_by_the_machines() -> None:
    def drawn(text: str) -> bytes:
        return png_of(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 40" font-family="Vazirmatn">'
            f'<text y="30">{text}</text></svg>',
            90,
        )

    assert len({drawn(""), drawn("Š"), drawn("S"), drawn("ش"), drawn("س")}) == 5
