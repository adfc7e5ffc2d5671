"""What comes over a table's socket, read into values; and its answers, written as lines."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from service.referee.inputs import Args
from service.referee.refusal import Answer, Done, Found, Refusal

LONGEST_LINE: Final = 1 << 18
"""Bytes of one request."""


@dataclass(frozen=True, slots=True)
class OrderRequest:
    """A person's order: its name and arguments, and who gives it."""

    name: str
    args: Args
    by: Args


@dataclass(frozen=True, slots=True)
class QueryRequest:
    """A question that changes nothing."""

    name: str
    args: Args


@dataclass(frozen=True, slots=True)
class WatchRequest:
    """The newest state now, after every change and once a second, until the line is closed."""


TableRequest: TypeAlias = OrderRequest | QueryRequest | WatchRequest


@dataclass(frozen=True, slots=True)
class RequestLine:
    """One line as it was understood: `id` goes back with the answer; `readable` is False where the
    rest of the connection cannot be trusted either.
    """

    id: object
    asks: TableRequest | Refusal
    readable: bool = True


def parse_request(text: bytes) -> RequestLine:
    """The request on a line; a refusal in its place where it is none."""
    try:
        if len(text) > LONGEST_LINE:
            raise ValueError
        request = json.loads(text)
        if not isinstance(request, dict):
            raise ValueError
        name = request.get("order", request.get("query"))
        if not isinstance(name, str):
            raise ValueError
    except (ValueError, RecursionError):
        shape = '{"id", "order" or "query", "args"} on one line of at most 256 KiB'
        unreadable = Refusal("unreadable", shape, "another line", "send JSON lines")
        return RequestLine(None, unreadable, readable=False)
    if request.get("query") == "watch":
        return RequestLine(request.get("id"), WatchRequest())
    args, by = request.get("args") or {}, request.get("by") or {}
    if not isinstance(args, dict) or not isinstance(by, dict):
        expected = '"args" and "by" as objects'
        odd = Refusal("bad_argument", expected, "something else", "send JSON objects")
        return RequestLine(request.get("id"), odd)
    asks = OrderRequest(name, args, by) if "order" in request else QueryRequest(name, args)
    return RequestLine(request.get("id"), asks)


def answer_line(ident: object, answer: Answer) -> bytes:
    """An answer as a line of JSON: `{"id", "ok": true, "seq"}`, `{"id", "ok": true, "result"}` or
    `{"id", "ok": false, "error": {"code", "expected", "came", "next"}}`.
    """
    match answer:
        case Done(seq):
            text = json.dumps({"id": ident, "ok": True, "seq": seq}, ensure_ascii=False)
        case Found(result):
            text = json.dumps({"id": ident, "ok": True, "result": result}, ensure_ascii=False)
        case Refusal():
            text = json.dumps({"id": ident, **answer.answer_json()}, ensure_ascii=False)
        case _:
            assert_never(answer)
    return text.encode() + b"\n"
