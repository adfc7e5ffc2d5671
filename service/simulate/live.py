"""Simulated players at real tables: `python -m service.simulate.live FOLDER NAME...` (E).

Everything from the session up is the table's own code: core, journal on the disk, socket,
heartbeat. Only hands, dice and sensors are simulated. Table time runs `factor` times as fast as the
world's, so that a long evening fits into minutes; a table that was killed goes on with the same
match, from the position of its record. Each table waits for a match to be set (by the hall, or by
itself with `--own`), plays it to its end, and waits for the next.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import queue
import random
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rules.observation import Source
from rules.position import Position, PositionError
from rules.ruleset import ruleset as named
from rules.words import about_command
from service.journal.chain import Entry, clock_trust
from service.journal.codec import Json
from service.journal.entries import DirectorCalled, TableOpened
from service.journal.paths import socket_path
from service.journal.store import Store
from service.referee.orders import ROLL
from service.referee.refusal import Found, Refusal, Reply
from service.referee.state import Phase
from service.session.belief import Session
from service.session.core import Core
from service.settings import version
from service.show.compose import table_document
from service.show.legal import legal_plays
from service.simulate.desk import DeskAnswer, what_a_player_notices
from service.simulate.game import GamePlayed
from service.simulate.habits import PLAYERS
from service.simulate.live_desk import HELD, OVER, LiveDesk
from service.simulate.noise import Sense, pools
from service.simulate.tally import Tally
from service.table import opening
from service.table.hub import Hub
from service.table.requests import OrderRequest, QueryRequest

log = logging.getLogger(__name__)

CONSOLE: Final[Mapping[str, str]] = {"name": "table", "role": "console"}
SLICE_S: Final = 0.1
PATIENCE_S: Final = 60.0
"""Seconds of the world after which players who called nobody go on by themselves."""
NAMES: Final = (
    "Ada",
    "Bahar",
    "Cem",
    "Dora",
    "Ehsan",
    "Farid",
    "Gita",
    "Hugo",
    "Iman",
    "Jan",
    "Kian",
    "Leila",
    "Mina",
    "Nima",
    "Omid",
    "Pari",
)


class StoppedError(Exception):
    """The table is to end."""


@dataclass(frozen=True, slots=True)
class Life:
    """How a table lives. `factor`: seconds of table time in a second of the world; `own`: it sets
    its own matches, of `length` points.
    """

    seed: int = 1
    factor: float = 5.0
    players: str = "club"
    camera: str = "good"
    board: str = "good"
    own: bool = False
    length: int = 3
    matches: int = 0
    """Stop playing after so many matches of one's own; 0 for never."""


class LiveTable:
    """One table. `run` blocks until `stop` is set; everything but the socket's threads happens in
    its thread.
    """

    def __init__(self, journal: Path, name: str, life: Life, stop: threading.Event) -> None:
        self.journal, self.name, self.life, self.stop = journal, name, life, stop
        self.random = random.Random(f"{life.seed}/{name}/{os.getpid()}")
        self._orders: queue.SimpleQueue[tuple[OrderRequest | QueryRequest, Reply]] = (
            queue.SimpleQueue()
        )
        self._answers: list[DeskAnswer] = []
        self._beat_at = 0.0
        self._published: Session | None = None
        self.played = 0

    # Time.

    @property
    def now(self) -> float:
        """Table time."""
        return self._since + (time.monotonic() - self._began) * self.life.factor

    def pause(self, until: float) -> None:
        """Return when it is that late at the table; what a table does is done meanwhile.

        Raises StoppedError.
        """
        while True:
            self._serve()
            left = (until - self.now) / self.life.factor
            if left <= 0:
                return
            time.sleep(min(left, SLICE_S))

    def _serve(self) -> None:
        """Do what a table does besides the game: requests, time, heartbeat, publishing."""
        if self.stop.is_set():
            raise StoppedError
        with contextlib.suppress(queue.Empty):
            while True:
                self._answer(*self._orders.get_nowait())
        self.core.tick(self.now)
        if time.monotonic() - self._beat_at >= 1.0:
            self._beat_at = time.monotonic()
            # The world's date goes on at its own pace, whatever the table's time does.
            self.core.wall = time.time() - self.now
            self.core.beat(self.now)
        if self.core.shown is not self._published:
            self._published = self.core.shown
            self.hub.publish(table_document(self.core.shown.state, self.now))

    def _answer(self, asked: OrderRequest | QueryRequest, reply: Reply) -> None:
        match asked:
            case OrderRequest(name, args, by):
                self.core.order(name, args, by, self.now, reply)
            case QueryRequest("legal_plays", args):
                thrown = ROLL.read(args["roll"]) if args.get("roll") else None
                reply(Found(legal_plays(self.core.shown.state, thrown)))
            case QueryRequest(name):
                after = "this table has no hardware to ask about"
                reply(Refusal("no_query", "a question about the game", name, after))

    # Life.

    def run(self) -> None:
        """Open the journal and play until `stop` is set."""
        with Store.open(self.journal) as store:
            session, since = opening.session_of(store)
            self._since, self._began = since, time.monotonic()
            self.core = Core(session, store, None, stored=self._notice, wall=time.time() - since)
            if store.seq:
                self.core.begin(
                    [opening.came_back(store.heartbeat(), self.now, time.time())], self.now
                )
            else:
                self.core.begin(
                    [TableOpened(self.name, version(), clock_trust(time.time()))], self.now
                )
            self.hub = Hub(
                socket_path(self.journal), lambda request, reply: self._orders.put((request, reply))
            )
            try:
                while True:
                    self._live()
            except StoppedError:
                self.core.beat(self.now)
            finally:
                self.hub.close()

    def _live(self) -> None:
        """Do what the phase asks for: set a match, wait, or play a game."""
        phase = self.core.session.state.phase
        if phase in OVER:
            if self.life.own and (not self.life.matches or self.played < self.life.matches):
                white, black = self.random.sample(NAMES, 2)
                self.order(
                    "set_match",
                    ruleset="backgammon",
                    length=self.life.length,
                    white=white,
                    black=black,
                    clock="ours",
                )
                self.played += 1
            else:
                self.pause(self.now + 2.0)
        elif phase in HELD:
            self.wait_for_ruling()
        else:
            self._play()
            self.pause(self.now + self.random.uniform(10, 30))

    def _play(self) -> None:
        """One game, from its start or from where the record stands."""
        state = self.core.session.state
        rules = state.match.ruleset or named("backgammon")
        begin: Position | None = None
        if state.phase not in (Phase.SETTING_UP, Phase.GAME_OVER, Phase.OPENING):
            with contextlib.suppress(PositionError, ValueError):
                begin = state.position()
        found, life = pools(), self.life
        senses = {
            source: Sense(found[kind, level], random.Random(self.random.random()))
            for source, kind, level in (
                (Source.CAMERA, "camera", life.camera),
                (Source.SENSORS, "board", life.board),
            )
            if level != "none"
        }
        desk = LiveDesk(self, begin is None)
        GamePlayed(
            rules,
            PLAYERS[life.players],
            self.random,
            senses,
            desk.at,
            Tally(),
            self.name,
            begin=begin,
        ).play()
        desk.end()

    def wait_for_ruling(self) -> None:
        """A frozen table waits for whoever froze it; after long enough the players go on."""
        end = time.monotonic() + PATIENCE_S
        while self.core.session.state.phase in HELD and time.monotonic() < end:
            self.pause(self.now + SLICE_S * self.life.factor)
        self.order("unfreeze")
        self.order("resume")

    def order(self, name: str, **args: Json) -> None:
        """Give an order from the table's console; nothing is done where it is refused."""
        self.core.order(name, args, CONSOLE, self.now, lambda _: None)

    def _notice(self, entries: Sequence[Entry]) -> None:
        """Keep what players notice of entries that are on the disk."""
        noticed = (what_a_player_notices(entry.body, entry.at) for entry in entries)
        self._answers += [answer for answer in noticed if answer is not None]
        for entry in entries:
            if isinstance(entry.body, DirectorCalled):
                log.debug("%s: the director is called", self.name)

    def new_answers(self) -> list[DeskAnswer]:
        """What players noticed since the last call."""
        new, self._answers = self._answers, []
        return new


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m service.simulate.live",
        description=about_command(__doc__),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="each table has a folder of its name in it")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--factor", type=float, default=5.0, help="seconds of table time in a second"
    )
    parser.add_argument("--players", choices=sorted(PLAYERS), default="club")
    parser.add_argument("--camera", default="good")
    parser.add_argument("--board", default="good")
    parser.add_argument("--own", action="store_true", help="the tables set their own matches")
    parser.add_argument("--length", type=int, default=3)
    given = parser.parse_args(words)
    logging.basicConfig(level=logging.INFO, format="takhte: %(message)s", stream=sys.stderr)
    life = Life(
        given.seed, given.factor, given.players, given.camera, given.board, given.own, given.length
    )
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    tables = [
        LiveTable(given.folder / name / f"{name}.journal", name, life, stop) for name in given.names
    ]
    threads = [threading.Thread(target=table.run, name=table.name, daemon=True) for table in tables]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.2)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
