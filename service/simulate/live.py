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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from rules.board import OFF, Placement, Side
from rules.dice import Roll
from rules.observation import Observation, Source
from rules.position import Position, PositionError
from rules.ruleset import ruleset as named
from service.journal.chain import Entry, clock_trust
from service.journal.codec import Json
from service.journal.entries import DirectorCalled, TableOpened
from service.journal.paths import socket_path
from service.journal.store import Store
from service.referee.inputs import Press
from service.referee.orders import ROLL
from service.referee.refusal import Found, Refusal, Reply
from service.referee.state import Phase
from service.session.core import Core
from service.settings import version
from service.show.compose import table_document
from service.show.legal import legal_plays
from service.simulate.desk import DeskAnswer, what_a_player_notices
from service.simulate.game import GamePlayed
from service.simulate.habits import PLAYERS
from service.simulate.noise import Sense, pools
from service.simulate.tally import Tally
from service.table import opening
from service.table.hub import Hub
from service.table.requests import OrderRequest, QueryRequest

log = logging.getLogger(__name__)

CONSOLE: Final[Mapping[str, Any]] = {"name": "table", "role": "console"}
SLICE_S: Final = 0.1
OVER: Final = (Phase.IDLE, Phase.MATCH_OVER)
HELD: Final = (Phase.FROZEN, Phase.ADJOURNED)
CALLS: Final = 0.004
"""How often, per turn, somebody calls the director."""
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
        self._said: list[DeskAnswer] = []
        self._beat_at = 0.0
        self._published: object = None
        self.played = 0

    # Time.

    @property
    def now(self) -> float:
        """Table time."""
        return self._since + (time.monotonic() - self._began) * self.life.factor

    def pause(self, until: float) -> None:
        """Until it is that late at the table, doing what a table does meanwhile.

        Raises StoppedError.
        """
        while True:
            self._serve()
            left = (until - self.now) / self.life.factor
            if left <= 0:
                return
            time.sleep(min(left, SLICE_S))

    def _serve(self) -> None:
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
        """Until `stop`."""
        with Store.open(self.journal) as store:
            session, since = opening.session_of(store)
            self._since, self._began = since, time.monotonic()
            self.core = Core(session, store, None, stored=self._stored, wall=time.time() - since)
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
        desk = _LiveDesk(self, begin is None)
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

    def order(self, name: str, **args: Any) -> None:
        """Somebody at the table says so; what the table refuses is no matter."""
        self.core.order(name, args, CONSOLE, self.now, lambda _: None)

    def _stored(self, entries: Sequence[Entry]) -> None:
        self._said += [
            said
            for entry in entries
            if (said := what_a_player_notices(entry.body, entry.at)) is not None
        ]
        for entry in entries:
            if isinstance(entry.body, DirectorCalled):
                log.debug("%s: the director is called", self.name)

    def taken(self) -> list[DeskAnswer]:
        said, self._said = self._said, []
        return said


class _LiveDesk:
    """What a simulated game reports to. The game's own time begins anew each game and stands while
    the table is frozen; `offset` makes table time of it."""

    def __init__(self, table: LiveTable, fresh: bool) -> None:
        self.table, self._fresh = table, fresh
        self._offset = 0.0
        self._first: Position | None = None

    def at(self, position: Position, now: float) -> _LiveDesk:
        """Open the desk at the game's time `now`."""
        self._offset = self.table.now - now
        self._first = position if self._fresh else None
        return self

    def _time(self, now: float) -> float:
        table = self.table
        table.pause(now + self._offset)
        if table.core.session.state.phase in HELD:
            table.wait_for_ruling()
            self._offset = table.now - now
        return table.now

    def observe(self, observation: Observation, now: float) -> list[DeskAnswer]:
        at = self._time(now)
        table = self.table
        table.core.seen(replace(observation, seen_at=observation.seen_at + self._offset), at)
        if self._first is not None and now >= 11.0:
            first, self._first = self._first, None
            table.order("start_game", starter=first.side.value)
            if table.core.session.state.game.placement != first.placement:
                self._set(first.placement, first.side)
        return table.taken()

    def press(self, side: Side, now: float) -> list[DeskAnswer]:
        at = self._time(now)
        self.table.core.pressed(Press(side, at), at)
        if self.table.random.random() < CALLS:
            self.table.order("call_director", reason="a question")
        return self.table.taken()

    def source(self, source: Source, ok: bool, now: float) -> None:
        self.table.core.source(
            source.kind.device,
            ok,
            "" if ok else "unplugged",
            self._time(now),
        )

    def waits_for(self, side: Side) -> bool:
        state = self.table.core.session.state
        return state.phase not in (Phase.GAME_OVER, *OVER) and state.game.on_roll is side

    def answer(self, roll: Roll, placement: Placement, now: float) -> None:
        self._time(now)
        dice: Json = [roll.high, roll.low]
        if self.table.core.session.state.phase is Phase.TO_ROLL:
            self.table.order("declare_roll", roll=dice)
        self.table.order("declare_play", placement=_json(placement), roll=dice)

    def resync(self, placement: Placement, on_roll: Side, now: float) -> bool:
        state = self.table.core.session.state
        over = state.phase in (Phase.GAME_OVER, *OVER)
        if over or (state.game.placement == placement and state.game.on_roll is on_roll):
            return False
        self._set(placement, on_roll)
        return True

    def _set(self, placement: Placement, on_roll: Side) -> None:
        self.table.order("set_position", placement=_json(placement), on_roll=on_roll.value)

    def end(self) -> None:
        """The game is over at the table; where the record does not know it yet, the loser says so."""
        state = self.table.core.session.state
        if state.phase in (Phase.GAME_OVER, *OVER) or state.game.placement is None:
            return
        off = {side: state.game.placement.counts(side)[OFF] for side in Side}
        loser = min(Side, key=lambda side: off[side])
        self.table.order("resign", side=loser.value, level=1)
        self.table.order("accept_resignation", side=loser.other.value)


def _json(placement: Placement) -> dict[str, Json]:
    return {"white": list(placement.white), "black": list(placement.black)}


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m service.simulate.live",
        description=__doc__,
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
