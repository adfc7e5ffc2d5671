"""What is promised to programs: the schema fits every state of a match, the guide names every
order, the reference client runs.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import jsonschema_rs
import pytest

from rules.board import Side
from service.journal.entry import Role
from service.referee.order_table import ORDERS
from service.web.policy import Visitor
from tests.service.web.described import misfits
from tests.service.web.hand import after
from tests.service.web.serve import Served

ROOT = Path(__file__).resolve().parents[3]
SCHEMA: dict[str, Any] = json.loads((ROOT / "service/web/static/schema/state-1.json").read_text())
T = "/api/v1/tables/t1"


def check(served: Served) -> None:
    validator = jsonschema_rs.Draft202012Validator(SCHEMA)
    for visitor in (Visitor(), Visitor("p", Role.PLAYER), Visitor("a", Role.ARBITER)):
        token = served.app.state.access.open_session(visitor)
        shown = httpx.get(
            served.url + T + "/state", headers={"authorization": f"Bearer {token}", "via": "1.1 x"}
        ).json()
        errors = [f"{e.instance_path}: {e.message[:200]}" for e in validator.iter_errors(shown)]
        assert not errors


def test_every_state_of_a_match_fits_the_schema(served: Served) -> None:
    table = served.table
    check(served)
    table.order("set_match", white="A", black="B", length=5, clock="ours")
    check(served)
    table.order("start_game")
    table.order("declare_roll", white=[3], black=[1])
    table.turn()
    check(served)
    table.order("offer")
    check(served)
    table.order("take")
    table.order("declare_roll", roll=[6, 5])
    placement = table.state.game.placement
    assert placement is not None
    table.press()
    table.stands(after(placement, Side.BLACK, (19, 22)))
    check(served)
    table.order("let_stand")
    table.order("freeze")
    table.order("rule", text="so it is")
    check(served)
    table.order("unfreeze")
    table.order("resign", side="white", level=3)
    table.order("accept_resignation", side="black")
    check(served)


def test_the_schema_refuses_another_version() -> None:
    with pytest.raises(jsonschema_rs.ValidationError):
        jsonschema_rs.Draft202012Validator(SCHEMA).validate({"schema": "takhte-state/2"})


def test_the_guide_names_every_order() -> None:
    guide = (ROOT / "docs/api.md").read_text()
    assert not [name for name in ORDERS if name not in guide and not name.endswith("resignation")]


def test_the_reference_client_prints_the_plays(served: Served) -> None:
    table = served.table
    table.order("set_match", white="Mahsa", black="Jan", length=5)
    table.order("start_game")
    table.order("declare_roll", white=[3], black=[1])
    table.turn()
    client = subprocess.Popen(
        [sys.executable, str(ROOT / "docs/client.py"), served.url, "t1"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert client.stdout is not None
        assert client.stdout.readline() == f"1.1 Mahsa 31: {table.state.match.plays[0].text}\n"
        table.turn()
        assert client.stdout.readline().startswith("1.2 Jan ")
    finally:
        client.terminate()
        client.wait()


def test_the_description_is_valid_openapi_and_names_every_operation(shared: Served) -> None:
    text = httpx.get(shared.url + "/openapi.json").text
    assert text == shared.app.openapi_text
    assert shared.app.openapi_text is shared.app.openapi_text, "put together once"
    document = json.loads(text)
    assert document["openapi"].startswith("3.")
    page = httpx.get(shared.url + "/docs").text
    for path, methods in document["paths"].items():
        assert path in page
        for about in methods.values():
            assert about.get("description"), path


def test_every_schema_of_the_description_has_an_example_that_fits_it(served: Served) -> None:
    assert not misfits(httpx.get(served.url + "/openapi.json").json())
    kept = json.loads((ROOT / "service/web/data/api_examples.json").read_text())
    described = httpx.get(served.url + "/openapi.json").json()["components"]["schemas"]
    assert kept.keys() <= described.keys(), "examples of what is no more"
