"""A refusal and an answer survive the wire; what is neither is refused by name."""

from __future__ import annotations

import json

import pytest

from service.referee.refusal import Answer, Done, Found, OrderError, Refusal, answer_from
from service.table.requests import (
    OrderRequest,
    QueryRequest,
    WatchRequest,
    answer_line,
    parse_request,
)

ANSWERS: list[Answer] = [
    Done(7),
    Found({"a": [1]}),
    Found(None),
    Refusal("not_now", "a clock that runs", "it rests", "start it"),
]


@pytest.mark.parametrize("answer", ANSWERS)
def test_answers_survive_the_wire(answer: Answer) -> None:
    assert answer_from(json.loads(answer_line("c1", answer))) == answer


ODD = [
    (None, Refusal("refused", "None")),
    ({"ok": False}, Refusal("refused")),
    ({"ok": False, "error": "no"}, Refusal("refused", "no")),
    ({"ok": False, "error": {"code": "x", "more": 1}}, Refusal("x")),
]


@pytest.mark.parametrize(("line", "refusal"), ODD)
def test_what_is_no_answer_is_a_refusal(line: object, refusal: Refusal) -> None:
    assert answer_from(line) == refusal


def test_an_error_carries_its_refusal() -> None:
    error = OrderError("bad_side", "a side", "purple", "say white or black")
    assert Refusal.from_json(error.refusal.to_json()) == error.refusal
    assert str(error) == "bad_side: expected a side; got purple. say white or black"


REQUESTS = [
    (b'{"id":1,"query":"watch"}', WatchRequest()),
    (b'{"query":"state"}', QueryRequest("state", {})),
    (b'{"query":"probe","args":{"what":"leds"}}', QueryRequest("probe", {"what": "leds"})),
    (
        b'{"order":"take","args":null,"by":{"role":"player"}}',
        OrderRequest("take", {}, {"role": "player"}),
    ),
]


@pytest.mark.parametrize(("line", "asks"), REQUESTS)
def test_requests_are_read_into_values(line: bytes, asks: object) -> None:
    assert parse_request(line).asks == asks


def test_arguments_that_are_no_object_are_refused_and_the_line_goes_on() -> None:
    line = parse_request(b'{"id":"c1","order":"take","args":[1]}')
    assert line.id == "c1" and line.readable
    assert isinstance(line.asks, Refusal) and line.asks.code == "bad_argument"
