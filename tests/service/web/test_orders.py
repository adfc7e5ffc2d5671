"""The page asks the one table of orders: what a visitor may, what buttons there are, what the
description of the API says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from service.journal.entry import Role
from service.referee.order_spec import OrderSpec, Whose
from service.referee.order_table import ORDERS, SPECS
from service.web.app import create_app
from service.web.config import WebConfig
from service.web.policy import Visitor

SCRIPTS = Path(__file__).resolve().parents[3] / "service/web/static/js"
SIDES = (None, "white", "black")


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_every_order_for_every_role_and_side(spec: OrderSpec) -> None:
    """A player's own device speaks for its own side; whoever else may give an order, for both."""
    for role in Role:
        for own in SIDES if role is Role.PLAYER else (None,):
            visitor = Visitor("v", role, own, frozenset({"t1"}))
            for about in SIDES:
                wanted = role in spec.roles
                if wanted and own is not None:
                    wanted = spec.whose is Whose.OWN and about in (None, own)
                assert visitor.may_order(spec.name, "t1", about) is wanted, (role, own, about)
                assert not visitor.may_order(spec.name, "t2", about)
            assert (spec.name in visitor.orders("t1")) is visitor.may_order(spec.name, "t1", own)


def test_the_page_knows_no_order_of_its_own() -> None:
    """Every order that a script names is in the table; buttons show by the visitor's list of it."""
    used = {
        name
        for script in SCRIPTS.glob("*.js")
        for name in re.findall(r'\b(?:order|may|give)\(\s*"(\w+)"', script.read_text())
    }
    assert len(used) > 20 and used <= set(ORDERS)


@pytest.fixture(scope="module")
def body(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The schema of an order's body, as /openapi.json says it."""
    folder = tmp_path_factory.mktemp("page")
    app = create_app(WebConfig(folder / "a.journal", folder / "a.sock"))
    schema: dict[str, Any] = app.openapi()["components"]["schemas"]["OrderIn"]
    return schema


def test_the_description_has_a_body_for_each_order(body: dict[str, Any]) -> None:
    described = {one["properties"]["order"]["const"]: one for one in body["oneOf"]}
    assert list(described) == list(ORDERS)
    for name, one in described.items():
        spec, args = ORDERS[name], one["properties"]["args"]
        extra = {"event_text"} if name == "set_match" else set()
        assert set(args["properties"]) == {arg.name for arg in spec.args} | extra
        assert args.get("required", []) == [arg.name for arg in spec.args if arg.needed]
        assert one["description"] == spec.does


BODIES = [
    ({"order": "take"}, True),
    ({"order": "take", "args": {"side": "white"}}, True),
    ({"order": "rule"}, False),
    ({"order": "rule", "args": {"text": "so it is", "about": 3}}, True),
    ({"order": "rule", "args": {"text": 7}}, False),
    ({"order": "declare_roll", "args": {"roll": [6, 5]}}, True),
    ({"order": "declare_roll", "args": {"roll": [6, 7]}}, False),
    ({"order": "penalise", "args": {"side": "white", "penalty": "prison"}}, False),
    ({"order": "set_corners", "args": {"corners": [[1, 2]] * 4, "size": [640, 400]}}, True),
    ({"order": "set_corners", "args": {"corners": [[1, 2]] * 3, "size": [640, 400]}}, False),
    ({"order": "take", "later": True}, False),
    ({"order": "no_such_order", "args": {}}, False),
]


@pytest.mark.parametrize(("given", "fits"), BODIES)
def test_the_described_body_takes_what_the_table_takes(
    body: dict[str, Any], given: dict[str, Any], fits: bool
) -> None:
    assert jsonschema_rs.Draft202012Validator(body).is_valid(given) is fits
