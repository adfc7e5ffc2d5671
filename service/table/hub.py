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
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from service.referee.refusal import Reply, refusal
from service.show.document import TableDocument

LONGEST_LINE: Final = 1 << 18
"""Bytes of one request."""
PATIENCE: Final = 4.0
"""Seconds a request may wait for the table, and a reader may keep a write waiting."""
CONNECTIONS: Final = 64
BEAT: Final = 1.0
"""Seconds after which a watcher gets the state again although nothing changed."""

Submit = Callable[[Mapping[str, Any], Reply], None]


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
        try:
            if len(text) > LONGEST_LINE:
                raise ValueError
            request = json.loads(text)
            if not isinstance(request, dict) or not isinstance(
                request.get("order", request.get("query")), str
            ):
                raise ValueError
        except (ValueError, RecursionError):
            shape = '{"id", "order" or "query", "args"} on one line of at most 256 KiB'
            _send(
                line, {"id": None} | refusal("unreadable", shape, "another line", "send JSON lines")
            )
            return False
        if request.get("query") == "watch":
            self._watch(line)
            return False
        answered = threading.Event()
        answer: dict[str, Any] = {}

        def reply(result: Mapping[str, Any]) -> None:
            answer.update(result)
            answered.set()

        self._submit(request, reply)
        if not answered.wait(PATIENCE):
            answer = refusal(
                "busy",
                f"an answer within {PATIENCE:g} s",
                "none yet",
                "look at the table's state before you order it again",
            )
        _send(line, {"id": request.get("id")} | answer)
        return True

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


def _send(line: socket.socket, answer: Mapping[str, Any]) -> None:
    line.sendall(json.dumps(answer, ensure_ascii=False).encode() + b"\n")


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
