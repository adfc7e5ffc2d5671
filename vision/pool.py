"""Work done beside this thread, where whoever owns the reading hands somebody in who does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")
T_out = TypeVar("T_out", covariant=True)


class Promised(Protocol[T_out]):
    """An answer that is being worked out; `concurrent.futures.Future` is one."""

    def result(self) -> T_out:
        """The answer, once it is there; raises what the work raised."""


class WorkPool(Protocol):
    """Does work on another thread; `concurrent.futures.ThreadPoolExecutor` is one."""

    def submit(self, work: Callable[[], T], /) -> Promised[T]:
        """The answer of `work`, begun now or soon."""


def begun(pool: WorkPool | None, work: Callable[[], T]) -> Callable[[], T]:
    """Whoever calls it has the answer of `work`: begun now on the pool's thread, without a pool
    done on the caller's when it is asked for.
    """
    return work if pool is None else pool.submit(work).result
