"""A table worked by hand: the real referee, journal, store and socket; only the sensors are
replaced by whoever calls `stands`.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from rules.board import Placement, Seating, Side
from rules.dice import Roll
from rules.judge import judge
from rules.play import Play, plays
from service.journal.codec import decode
from service.journal.entries import TABLE, DiceOrigin, Role, TableOpened, Who
from service.journal.paths import picture_path, plain_path
from service.journal.store import Store
from service.reconcile import Agreed, Illegal
from service.referee.fold import fold, replay
from service.referee.inputs import (
    Input,
    Judged,
    KeepPicture,
    Order,
    Press,
    SourceChanged,
    Tick,
)
from service.referee.orders import ROLL
from service.referee.refusal import Answer, Done, Found, OrderError, Refusal, Reply
from service.referee.state import State
from service.referee.step import step
from service.show.compose import table_document
from service.show.legal import legal_plays
from service.show.proposal import proposal_document
from service.show.scene import scene_document
from service.table import broadcast as onair
from service.table.hub import Hub
from service.table.opening import timed
from service.table.pictures import PictureStore
from service.table.requests import OrderRequest, QueryRequest
from vision.camera.camera import Camera

CONSOLE = Who("console", Role.CONSOLE)
HARDWARE: dict[str, object] = {
    "boards": [{"address": "simulated", "what": "simulated board", "used": True}],
    "cameras": [{"source": "0", "what": "USB camera", "used": True}],
    "corners": {"corners": [[90, 60], [550, 60], [550, 340], [90, 340]], "size": [640, 400]},
    "aim": {"outline": [[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9]], "advice": "good"},
    "probe": {
        "ok": True,
        "lines": [{"code": "all_sound", "facts": {"channels": 60}, "text": "in order"}],
    },
}
"""What this table answers when it is asked about its machine."""


class HandTable:
    """Owns a journal and answers on a socket as `takhte run` does. Thread-safe."""

    def __init__(self, folder: Path, name: str = "t1") -> None:
        self.journal = folder / f"{name}.journal"
        self.socket = folder / f"{name}.sock"
        self.lock = threading.RLock()
        # SQLite wants one thread: the journal is written by this one alone.
        self.writer = ThreadPoolExecutor(1)
        self.store = self.writer.submit(Store.open, self.journal).result()
        self.state: State = replay(self.store.past)
        self.offset = self.state.at - time.monotonic()
        self.pictures = PictureStore(self.journal.with_name(self.journal.stem + ".pictures"))
        self.random = random.Random(7)
        self.seen: list[dict[str, Any]] = []
        self.camera: Camera | None = None
        self.buttons = True
        if not self.store.past:
            self._commit((TableOpened(name, "0.1.0"),), TABLE, self.now())
        for path in (*(picture_path(self.journal, s) for s in Side), plain_path(self.journal)):
            path.write_bytes(picture())
        self.hub = Hub(self.socket, self._request)
        self.publish()
        self.beating = True
        threading.Thread(target=self._beat, daemon=True).start()

    def now(self) -> float:
        return time.monotonic() + self.offset

    def close(self) -> None:
        self.beating = False
        self.hub.close()
        with self.lock:
            self.writer.submit(self.store.close).result()
        self.writer.shutdown()

    def _beat(self) -> None:
        while self.beating:
            time.sleep(0.2)
            with self.lock:
                if self.beating:
                    self.give(Tick())

    def _commit(self, bodies: tuple[Any, ...], by: Who, now: float) -> None:
        for entry in self.writer.submit(
            self.store.append, [(now, time.time(), by, body) for body in bodies]
        ).result():
            self.state = fold(self.state, entry.seq, entry.at, entry.by, entry.body)

    def give(self, given: Input) -> int:
        """One input to the referee, committed and published; returns the journal's last number."""
        with self.lock:
            now = self.now()
            outcome = step(self.state, given, now)
            before = self.state.seq
            if outcome.entries:
                self._commit(outcome.entries, outcome.by, now)
            else:
                self.state = outcome.state
            if self.state.seq != before or not isinstance(given, Tick):
                self.state = outcome.state
                for command in outcome.commands:
                    if isinstance(command, KeepPicture):
                        self.pictures.keep(command.picture, picture(), time.time())
                self.publish()
            return self.state.seq

    def publish(self) -> None:
        shown = table_document(self.state, self.now(), scene_document(self.state, self.now()))
        shown["dice"]["seen"] = self.seen
        self.hub.publish(shown)

    def order(self, name: str, by: Who = CONSOLE, **args: Any) -> int:
        return self.give(Order(name, args, by))

    def stands(self, placement: Placement, probability: float = 0.998) -> None:
        """The sensors are sure that this stands on the board."""
        with self.lock:
            roll = self.state.turn.roll
            found = judge(self.state.position(), roll, placement)
            evidence: Mapping[str, Any] = {
                "sources": {
                    "camera": {"number": 812, "age": 0.12, "rests": 9, "against": 0.0},
                    "board": {"number": 40, "age": 0.02, "rests": 30, "against": 0.1},
                },
                "rows": [
                    {"p": probability, "kind": "legal", "roll": str(roll or ""), "sites": []},
                    {"p": 1 - probability, "kind": "before", "roll": str(roll or ""), "sites": []},
                ],
                "doubt": [],
                "roll": [[str(roll), 0.99]],
            }
            if isinstance(found, Play):
                assert roll is not None
                verdict: Any = Agreed(found, roll, DiceOrigin.READ, probability, evidence)
            else:
                verdict = Illegal(found, placement, roll, probability, evidence)
            self.give(Judged(verdict))

    def press(self) -> None:
        with self.lock:
            self.give(Press(self.state.game.on_roll, self.now()))

    def turn(
        self, choose: Callable[[list[Play]], Play] | None = None, roll: Roll | None = None
    ) -> None:
        """A whole legal turn: roll, play, press."""
        with self.lock:
            if self.state.turn.roll is None:
                thrown = roll or Roll.of(self.random.randint(1, 6), self.random.randint(1, 6))
                self.order("declare_roll", roll=[thrown.high, thrown.low])
            assert self.state.turn.roll is not None
            found = list(plays(self.state.position(), self.state.turn.roll))
            play = (choose or self.random.choice)(found) if found else None
            self.press()
            self.stands(play.placement if play else self.state.position().placement)

    def _request(self, asked: OrderRequest | QueryRequest, reply: Reply) -> None:
        with self.lock:
            try:
                reply(self._answer(asked))
            except OrderError as error:
                reply(error.refusal)
            except ValueError as error:
                reply(Refusal("refused", str(error)))

    def _answer(self, asked: OrderRequest | QueryRequest) -> Answer:
        match asked:
            case OrderRequest(name, args, by):
                if name == "phone_press" and isinstance(asked, OrderRequest):
                    args = timed(asked, self.now(), 1.0).args
                return Done(self.give(Order(name, args, decode(Who, by, "by"))))
            case QueryRequest("legal_plays", args):
                thrown = ROLL.read(args["roll"]) if args.get("roll") else None
                return Found(legal_plays(self.state, thrown))
            case QueryRequest("proposal"):
                return Found(proposal_document(self.state, Seating().to_json(), self.buttons))
            case QueryRequest("stream"):
                shared = self.camera is not None
                return Found(onair.stream_address(self.camera, shared, time.monotonic()))
            case QueryRequest(name):
                known = HARDWARE.get(name)
                return Found(known) if known is not None else Refusal("no_query", "a query", name)

    def sensor(self, name: str, ok: bool, reason: str = "") -> None:
        self.give(SourceChanged(name, ok, reason))


def picture(shade: int = 90) -> bytes:
    """A small JPEG that could be a board."""
    image = np.full((200, 320, 3), shade, np.uint8)
    cv2.rectangle(image, (20, 15), (300, 185), (60, 120, 170), -1)
    for x in range(30, 290, 22):
        cv2.fillPoly(image, [np.array([[x, 16], [x + 18, 16], [x + 9, 80]])], (40, 60, 120))
        cv2.fillPoly(image, [np.array([[x, 184], [x + 18, 184], [x + 9, 120]])], (140, 180, 210))
    done, data = cv2.imencode(".jpg", image)
    assert done
    return bytes(data)


def after(placement: Placement, side: Side, *moves: tuple[int, int]) -> Placement:
    """The placement after moving checkers, legal or not; sites in White's numbering."""
    for source, target in moves:
        placement = placement.moved(side, source, target)
    return placement
