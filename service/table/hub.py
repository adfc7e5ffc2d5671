"""Committed state out, people's orders in: the Unix socket of one table (E).

JSON lines both ways. `{"id", "query": "watch"}` is answered by `{"state": {...}}` now, after every
change and once a second, newest only: a slow reader misses states and delays nobody. `{"id",
"query": NAME, "args"}` asks, `{"id", "order": NAME, "args", "by"}` orders; each is answered once,
an order after its commit: `{"id", "ok": true, "seq"}` or `{"id", "ok": false, "error": {"code",
"expected", "came", "next"}}`. Whoever may open the socket's file may order: it is made for this
user alone; the web process decides who of the public may do what.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from service.referee.refusal import Answer, Refusal, Reply
from service.show.document import TableDocument
from service.table.requests import (
    LONGEST_LINE,
    OrderRequest,
    QueryRequest,
    WatchRequest,
    answer_line,
    parse_request,
)

PATIENCE: Final = 4.0
"""Seconds a request may wait for the table, and a reader may keep a write waiting."""
CONNECTIONS: Final = 64
BEAT: Final = 1.0
"""Seconds after which a watcher gets the state again although nothing changed."""

Submit = Callable[[OrderRequest | QueryRequest, Reply], None]


class HubError(OSError):
    """The socket cannot be opened; one line with cause and next step."""


class Hub:
    """Serves one table's socket. `submit(request, reply)` is called from a connection's own thread
    and must return at once; `reply` may be called later from any thread."""

    def __init__(self, path: Path, submit: Submit) -> None:
        """Listen. Raises HubError when another process listens there already, or the folder cannot
        be written.
        """
        self.path = path
        self._submit = submit
        self._state = b""
        self._number = 0
        self._turn = threading.Condition()
        self._closed = False
        self._room = threading.BoundedSemaphore(CONNECTIONS)
        self._door = _listen(path)
        threading.Thread(target=self._accept, name="hub", daemon=True).start()

    def publish(self, document: TableDocument) -> None:
        """Make this the newest state. Called after the commit of what it says, never before."""
        line = (
            json.dumps({"state": document}, ensure_ascii=False, separators=(",", ":")).encode()
            + b"\n"
        )
        with self._turn:
            self._state, self._number = line, self._number + 1
            self._turn.notify_all()

    def close(self) -> None:
        with self._turn:
            self._closed = True
            self._turn.notify_all()
        self._door.close()
        with contextlib.suppress(OSError):
            self.path.unlink()

    def _accept(self) -> None:
        while not self._closed:
            try:
                line, _ = self._door.accept()
            except OSError:
                return
            if not self._room.acquire(blocking=False):
                line.close()
                continue
            threading.Thread(target=self._serve, args=(line,), name="hub-line", daemon=True).start()

    def _serve(self, line: socket.socket) -> None:
        try:
            with line, line.makefile("rb") as incoming:
                while text := incoming.readline(LONGEST_LINE + 1):
                    # A reader that stops reading may not keep a thread for ever; a quiet one may.
                    line.settimeout(PATIENCE)
                    if not self._answer(line, text):
                        return
                    line.settimeout(None)
        except (OSError, ValueError):
            return
        finally:
            self._room.release()

    def _answer(self, line: socket.socket, text: bytes) -> bool:
        """Serve one request; False ends the connection."""
        request = parse_request(text)
        match request.asks:
            case WatchRequest():
                self._watch(line)
                return False
            case Refusal():
                line.sendall(answer_line(request.id, request.asks))
                return request.readable
            case OrderRequest() | QueryRequest():
                line.sendall(answer_line(request.id, self._ask(request.asks)))
                return True

    def _ask(self, request: OrderRequest | QueryRequest) -> Answer:
        """The table's answer, or that it is busy."""
        answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._submit(request, answers.put)
        try:
            return answers.get(timeout=PATIENCE)
        except queue.Empty:
            return Refusal(
                "busy",
                f"an answer within {PATIENCE:g} s",
                "none yet",
                "look at the table's state before you order it again",
            )

    def _watch(self, line: socket.socket) -> None:
        seen = -1
        while True:
            with self._turn:
                if not self._closed and self._number == seen:
                    self._turn.wait(BEAT)
                if self._closed:
                    return
                text, seen = self._state, self._number
            if text:
                line.sendall(text)


def _listen(path: Path) -> socket.socket:
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A file left by a killed table answers nobody; one that answers is another table's.
        if _answers(path):
            raise HubError(
                f"{path}: another takhte runs this table; stop it, or give another --journal"
            )
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        mask = os.umask(0o177)
        try:
            door.bind(str(path))
        finally:
            os.umask(mask)
        door.listen(2 * CONNECTIONS)
    except HubError:
        door.close()
        raise
    except OSError as e:
        door.close()
        raise HubError(
            f"{path}: the table's socket cannot be made ({e.strerror}); give a journal in a folder"
            " of your own"
        ) from None
    return door


def _answers(path: Path) -> bool:
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.connect(str(path))
        return True
    return False
