"""What every page says to the browser beside its text: its policy, and no script of its own."""

from __future__ import annotations

import httpx
import pytest

from rules.words import languages
from tests.service.web.serve import Served


@pytest.mark.parametrize(
    "path", ["/", "/wall", "/sign-in", "/docs", "/static/js/board.js", "/nowhere", "/api/v1/tables"]
)
def test_every_answer_carries_the_policy_headers(shared: Served, path: str) -> None:
    answer = httpx.get(shared.url + path)
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "server" not in answer.headers or "uvicorn" in answer.headers["server"]


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/wall", "/setup", "/arbiter", "/first-use", "/sheet/t1", "/sign-in", "/pair"),
        *("/docs", "/matches/t1"),
    ],
)
@pytest.mark.parametrize("lang", languages())
def test_pages_have_no_inline_script_or_style(shared: Served, path: str, lang: str) -> None:
    text = httpx.get(f"{shared.url}{path}?lang={lang}").text
    assert f'lang="{lang}" dir="{languages()[lang].direction}"' in text
    assert " style=" not in text and "<style" not in text and " on" + "click" not in text
    assert all(
        "src=" in part.split(">")[0] or "application/json" in part.split(">")[0]
        for part in text.split("<script")[1:]
    )
    assert path == "/docs" or ("http://" not in text and "https://" not in text)


def test_the_overlay_alone_may_be_framed_and_speaks_with_its_own_host(served: Served) -> None:
    for path, framed in (("/overlay", "*"), ("/", "'none'"), ("/arbiter", "'none'")):
        answer = httpx.get(served.url + path)
        policy = answer.headers["content-security-policy"]
        assert f"frame-ancestors {framed}" in policy, path
        own = served.url.removeprefix("http://")
        assert f"connect-src 'self' ws://{own} wss://{own};" in policy
        assert (answer.headers["cross-origin-resource-policy"] == "cross-origin") is (framed == "*")
