"""A crowd's requests begin a few at a time; whoever is staff waits for none of them."""

from __future__ import annotations

import asyncio

from starlette.types import Message, Receive, Scope, Send

from service.web.guard import Guard
from service.web.turns import AT_ONCE, Turns


def request(path: str, *headers: tuple[bytes, bytes], number: int = 1) -> Scope:
    """A request from an address of its own."""
    return {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": b"",
        "headers": [(b"host", b"takhte.local"), *headers],
        "client": (f"10.0.{number // 250}.{number % 250}", 1234),
        "server": ("10.0.0.1", 80),
    }


def test_staff_are_answered_amid_a_thousand_requests_that_are_there_already() -> None:
    begun: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        begun.append(scope["path"])

    async def nothing() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def unheard(message: Message) -> None:
        return

    async def evening() -> None:
        guard = Guard(app, is_staff=lambda scope: scope["path"] == "/arbiter")
        crowd = [
            asyncio.ensure_future(guard(request("/", number=n), nothing, unheard))
            for n in range(1000)
        ]
        await asyncio.sleep(0)
        await guard(request("/arbiter", (b"authorization", b"Bearer x")), nothing, unheard)
        assert begun.index("/arbiter") <= 3 * AT_ONCE
        await asyncio.gather(*crowd)
        assert len(begun) == 1001
        # A stranger who says that he is staff waits like the others.
        await guard(request("/", (b"cookie", b"takhte=x")), nothing, unheard)

    asyncio.run(evening())


def test_in_the_order_of_their_coming_and_nobody_who_left_takes_a_turn() -> None:
    async def evening() -> list[int]:
        turns, order = Turns(2), list[int]()

        async def visitor(number: int) -> None:
            await turns.mine()
            order.append(number)

        tasks = [asyncio.ensure_future(visitor(number)) for number in range(9)]
        await asyncio.sleep(0)
        for left in (3, 4, 5):
            tasks[left].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert not len(turns)
        await visitor(9)
        return order

    assert asyncio.run(evening()) == [0, 1, 2, 6, 7, 8, 9]


def test_a_round_of_the_loop_lets_a_few_in() -> None:
    async def evening() -> list[int]:
        turns, begun, each_round = Turns(4), [0], list[int]()

        async def visitor() -> None:
            await turns.mine()
            begun[0] += 1

        tasks = [asyncio.ensure_future(visitor()) for _ in range(40)]
        while begun[0] < 40:
            before = begun[0]
            await asyncio.sleep(0)
            each_round.append(begun[0] - before)
        await asyncio.gather(*tasks)
        return each_round

    assert max(asyncio.run(evening())) == 4
