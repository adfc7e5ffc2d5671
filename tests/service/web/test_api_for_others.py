"""What other programs build on: another site's page reads what is public, the history goes on,
finished matches are listed, the API's description says who may what, mixers get files of theirs.
"""

from __future__ import annotations

import itertools
import json

import httpx
import pytest

from service.web.broadcast import UNKNOWN
from service.web.delay import Delay
from service.web.policy import PUBLIC
from service.web.rights import ROUTES
from tests.service.web.serve import Served

T = "/api/v1/tables/t1"
SITE = {"origin": "https://club.example", "via": "1.1 x"}
SHARED = ["/api/v1/tables", f"{T}/state", f"{T}/entries", f"{T}/matches", "/overlay.json"]


@pytest.mark.parametrize("path", [*SHARED, "/state.txt", "/score.png", "/openapi.json"])
def test_another_sites_page_reads_what_is_public(shared: Served, path: str) -> None:
    answer = httpx.get(shared.url + path, headers=SITE)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (f"{T}/state", {"origin": "https://club.example"}),
        (f"{T}/state", {**SITE, "cookie": "takhte=x"}),
        (f"{T}/state", {**SITE, "authorization": "Bearer x"}),
        ("/", SITE),
        ("/arbiter", SITE),
    ],
)
def test_nothing_that_hangs_on_rights_is_read_by_another_site(
    shared: Served, path: str, headers: dict[str, str]
) -> None:
    answer = httpx.get(shared.url + path, headers=headers)
    assert "access-control-allow-origin" not in answer.headers


def test_the_history_goes_on_while_somebody_listens(served: Served) -> None:
    table = served.table
    table.order("set_match", white="Mahsa", black="Jan", length=5)
    with httpx.stream("GET", f"{served.url}{T}/entries?follow=1", headers=SITE, timeout=20) as feed:
        lines = (json.loads(line) for line in feed.iter_lines() if line)
        assert next(line for line in lines if line["kind"] == "match_set")
        table.order("start_game")
        table.order("declare_roll", white=[3], black=[1])
        table.turn()
        kinds = list(
            itertools.takewhile(lambda kind: kind != "played", (line["kind"] for line in lines))
        )
    assert kinds[:2] == ["game_started", "opening_thrown"] and "pressed" in kinds


def over(served: Served) -> None:
    table = served.table
    table.order("set_match", white="Mahsa", black="Jan", length=1)
    table.order("start_game")
    table.order("declare_roll", white=[3], black=[1])
    table.turn()
    table.order("resign", side="black", level=1)
    table.order("accept_resignation", side="white")


def test_matches_that_are_over_are_listed_as_late_as_the_public_may_know(served: Served) -> None:
    over(served)
    path = f"{served.url}{T}/matches"
    (found,) = httpx.get(path).json()["matches"]
    assert (found["white"], found["winner"], found["white_score"]) == ("Mahsa", "white", 1)
    assert httpx.get(served.url + found["files"]["mat"]).status_code == 200
    assert httpx.get(served.url + found["page"]).status_code == 200
    served.app.state.delays.set("public", Delay(3600))
    assert httpx.get(path).json()["matches"] == []


def test_the_description_says_who_may_ask_and_shows_every_answer(shared: Served) -> None:
    told = httpx.get(shared.url + "/openapi.json").json()
    schemes = told["components"]["securitySchemes"]
    assert set(schemes) == {"bearer", "session"}
    for path, methods in told["paths"].items():
        for method, about in methods.items():
            open_to_all = ROUTES[method.upper(), path] in PUBLIC
            assert ({} in about["security"]) == open_to_all, (method, path)
            assert {"bearer": []} in about["security"]


def test_one_value_alone_for_mixers_that_show_a_file(shared: Served) -> None:
    shared.table.order("set_match", white="Mahsa", black="Jan", length=5)
    assert httpx.get(shared.url + "/state.txt?key=white_name").text == "Mahsa"
    assert httpx.get(shared.url + "/state.txt?key=nothing").status_code == 422
    assert set(UNKNOWN) <= {
        line.split("=")[0] for line in httpx.get(shared.url + "/state.txt").text.splitlines()
    }


def test_a_scene_for_each_layout_in_the_file_for_obs(shared: Served) -> None:
    told = httpx.get(shared.url + "/obs.json?table=t1&lang=fa&evil=1").json()
    kinds = [source["id"] for source in told["sources"]]
    assert kinds == ["browser_source", "scene"] * 5
    by_name = {source["name"]: source for source in told["sources"]}
    for scene in told["scene_order"]:
        (item,) = by_name[scene["name"]]["settings"]["items"]
        source = by_name[item["name"]]
        assert item["source_uuid"] == source["uuid"]
        address = source["settings"]["url"]
        assert httpx.get(address).status_code == 200 and "evil" not in address
        assert "table=t1&lang=fa&layout=" in address
