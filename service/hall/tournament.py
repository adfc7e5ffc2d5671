"""A tournament that plays itself: `make hall`. nats-server, the hall, simulated tables and a
director, started with one command (E).

Players have habits (service.simulate): they play illegally, throw cocked dice, bump the board and
call the director; now and then a table's machine is killed and comes back. The director is a
program: it pairs the boards by their codes, gives the rounds out, acknowledges alerts and starts
clocks again, all over the hall's own API, as a person would. Table time runs `--factor` times as
fast as the world's.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from service.appliance.joined import joined_path, save_joined
from service.hall.api import Api, ApiError
from service.hall.join import ask_hall, request_of
from service.journal.codec import Json
from service.journal.keys import key_path, table_key
from service.web.addresses import is_public

log = logging.getLogger(__name__)

NAMES: Final = (
    *(
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
    ),
    *(
        "Quinn",
        "Rosa",
        "Sara",
        "Tom",
        "Uma",
        "Vera",
        "Wim",
        "Xenia",
        "Yara",
        "Zara",
        "مهسا",
        "کوروش",
        "نیلوفر",
        "آرش",
        "سهراب",
        "تهمینه",
    ),
)
FAMILIES: Final = ("Rahimi", "de Vries", "Öz", "Novak", "Silva", "رضایی")
GROUP: Final = 6
"""Tables in one process: a demonstration's thrift.

At a real table each has processes of its own.
"""
EVENT: Final = "/api/v1/hall/tournament"
LOOK_S: Final = 2.0
NOTICE_S: Final = (6.0, 25.0)
"""How long the director takes to see to an alert."""
KILL_EVERY_S: Final = 90.0


@dataclass
class Process:
    """A child that is started again when it dies."""

    name: str
    command: list[str]
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, its output going to its log."""
        home = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])
        command = [sys.executable, "-m", "service.appliance.child", *self.command]
        environment = os.environ | {"PYTHONPATH": path}
        self.process = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.PIPE, env=environment, start_new_session=True
        )

    def keep(self) -> None:
        """Start it again where it ended."""
        if self.process is None or self.process.poll() is not None:
            self.start()

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def end(self) -> None:
        """End it in order."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdin:
            self.process.stdin.close()


@dataclass
class Director:
    """Runs a Swiss of so many rounds with so many players, and sees to what the wall says after a
    while.
    """

    api: Api
    rounds: int
    rng: random.Random
    due: dict[tuple[str, str], float] = field(default_factory=dict)

    def open(self, players: int, length: int) -> None:
        """Open the tournament and enter everybody, where none is open yet."""
        if self.api.get(EVENT)["name"]:
            return
        self.api.post(
            EVENT,
            {
                "name": "Club night",
                "stages": [{"system": "swiss", "rounds": self.rounds, "length": length}],
            },
        )
        names = [
            f"{NAMES[i % len(NAMES)]} {FAMILIES[(i // len(NAMES) + i) % len(FAMILIES)]}"
            for i in range(players)
        ]
        self.api.post(f"{EVENT}/players", {"text": "name\n" + "\n".join(names)})

    def look(self, now: float) -> bool:
        """One look at the wall and the round; whether the tournament goes on."""
        self._see_to(now)
        event = self.api.get(EVENT)
        if event["over"]:
            return False
        if not event["next"]:
            paired = self.api.post(f"{EVENT}/next", {})["rounds"][-1]
            log.info("round %d of %d begins", paired["number"], self.rounds)
        return True

    def _see_to(self, now: float) -> None:
        for card in self.api.get("/api/v1/hall/wall")["cards"]:
            table = card["table"]
            if not card["matters"] and card["clock"].get("paused") is None:
                continue
            if card["silent"]:
                continue
            state = self.api.get(f"/api/v1/tables/{table}/state")
            for alert in state.get("alerts") or []:
                if alert["acknowledged_by"] is None and self._time(table, alert["id"], now):
                    self._order(table, "acknowledge", {"alert": alert["id"]})
            paused = (state.get("clock") or {}).get("paused")
            if (
                paused
                and state["phase"] not in ("frozen", "adjourned")
                and self._time(table, f"clock {state['seq']}", now)
            ):
                self._order(table, "start_clocks", {"side": paused})
            if state["phase"] == "frozen" and self._time(table, f"frozen {state['seq']}", now):
                self._order(table, "unfreeze", {})

    def _time(self, table: str, what: str, now: float) -> bool:
        due = self.due.setdefault((table, what), now + self.rng.uniform(*NOTICE_S))
        return now >= due

    def _order(self, table: str, order: str, args: Mapping[str, Json]) -> None:
        try:
            self.api.post(f"/api/v1/tables/{table}/orders", {"order": order, "args": dict(args)})
        except ApiError as error:
            log.debug("table %s: %s: %s", table, order, error)


@dataclass
class Tournament:
    """The family: hall, tables, publishers."""

    folder: Path
    tables: list[str]
    port: int
    console_port: int
    nats_port: int
    factor: float
    seed: int
    players: str
    group: int = GROUP
    plain: bool = False
    settings: Path | None = None
    """The hall's settings file; None: as they are."""
    processes: dict[str, Process] = field(default_factory=dict)

    def journal(self, table: str) -> Path:
        """The journal of a table."""
        return self.folder / "tables" / table / f"{table}.journal"

    def groups(self) -> list[list[str]]:
        """Tables that share a process."""
        return [self.tables[i : i + self.group] for i in range(0, len(self.tables), self.group)]

    def start_hall(self, host: str) -> Api:
        """Start the hall and wait until it answers. Raises OSError."""
        command = [
            "service.hall.command",
            "--data",
            str(self.folder / "hall"),
            "--host",
            host,
            "--port",
            str(self.port),
            "--console-port",
            str(self.console_port),
            "--nats-port",
            str(self.nats_port),
            "--good-for",
            str(max(10.0, 6 * self.factor)),
            *(["--plain"] if self.plain else []),
            *(["--settings", str(self.settings)] if self.settings else []),
            *([] if is_public(host) else ["--https", "off"]),
        ]
        hall = self.processes["hall"] = Process("hall", command)
        hall.start()
        api = Api(f"http://127.0.0.1:{self.console_port}")
        for _ in range(600):
            if hall.process is not None and hall.process.poll() is not None:
                raise OSError("the hall did not start; it said why above")
            with contextlib.suppress(ApiError):
                api.get("/-/healthy")
                return api
            time.sleep(0.1)
        raise OSError("the hall does not answer")

    def join(self, api: Api) -> None:
        """Pair every board that is not paired yet, each by a code of its own."""
        for table in self.tables:
            journal = self.journal(table)
            journal.parent.mkdir(parents=True, exist_ok=True)
            if joined_path(journal).exists():
                continue
            code = str(api.post("/api/v1/hall/codes", {"table": table})["code"])
            save_joined(
                joined_path(journal),
                ask_hall(api.url, request_of(code, table_key(key_path(journal)))),
            )

    def start_tables(self, own: bool = False, length: int = 3) -> None:
        """Start the processes of all tables."""
        for number, group in enumerate(self.groups()):
            live = [
                "service.simulate.live",
                str(self.folder / "tables"),
                *group,
                "--seed",
                str(self.seed + number),
                "--factor",
                str(self.factor),
            ]
            live += [
                "--players",
                self.players,
                "--length",
                str(length),
                *(["--own"] if own else []),
            ]
            journals = [str(self.journal(table)) for table in group]
            self.processes[f"tables {number}"] = Process(f"tables {number}", live)
            self.processes[f"publisher {number}"] = Process(
                f"publisher {number}", ["service.hall.publish", "--journal", *journals]
            )
        self.keep()

    def keep(self) -> None:
        """Start again whatever ended."""
        for process in self.processes.values():
            process.keep()

    def end(self) -> None:
        """End the whole family."""
        for process in reversed(self.processes.values()):
            process.end()


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m service.hall.tournament", description=__doc__)
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--entrants", type=int, default=0, help="players (default: two a table)")
    parser.add_argument("--ends", action="store_true", help="end with the tournament")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--length", type=int, default=1, help="points of a match")
    parser.add_argument(
        "--factor", type=float, default=5.0, help="seconds of table time in a second"
    )
    parser.add_argument("--players", default="club")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--port", type=int, default=8010)
    parser.add_argument("--console-port", type=int, default=8017)
    parser.add_argument("--nats-port", type=int, default=4222)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--calm", action="store_true", help="no machine is killed")
    parser.add_argument(
        "--folder",
        type=Path,
        help=(
            "keep everything here, and go on with it next time (default: a folder that is thrown"
            " away)"
        ),
    )
    given = parser.parse_args(words)
    logging.basicConfig(level=logging.INFO, format="takhte: %(message)s", stream=sys.stderr)
    stopping: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda n, _: stopping.append(n))
    with tempfile.TemporaryDirectory(prefix="takhte-hall-") as made:
        names = [f"t{i}" for i in range(1, given.tables + 1)]
        family = Tournament(
            given.folder or Path(made),
            names,
            given.port,
            given.console_port,
            given.nats_port,
            given.factor,
            given.seed,
            given.players,
        )
        try:
            return play_rounds(family, given, stopping)
        except (OSError, ApiError) as error:
            log.error("%s", error)
            return 1
        finally:
            family.end()


def play_rounds(family: Tournament, given: argparse.Namespace, stopping: list[int]) -> int:
    """Until somebody stops it; the tables are left standing after the last round."""
    rng = random.Random(given.seed)
    api = family.start_hall(given.host)
    family.join(api)
    director = Director(api, given.rounds, rng)
    director.open(given.entrants or 2 * given.tables, given.length)
    family.start_tables()
    log.info(
        "the wall: %s   the director's desk: %s/hall   everybody's page: %s/event   table time runs"
        " %g times as fast",
        *(api.url, api.url, api.url, given.factor),
    )
    going, looked, killed = True, 0.0, time.monotonic()
    while not stopping:
        time.sleep(0.2)
        now = time.monotonic()
        family.keep()
        if going and now - looked > LOOK_S:
            looked = now
            try:
                going = director.look(now)
            except ApiError as error:
                log.debug("the hall does not answer: %s", error)
            if not going:
                log.info("the tournament is over; final places: %s/event", api.url)
                if given.ends:
                    return 0
        if going and not given.calm and now - killed > KILL_EVERY_S:
            killed = now
            victim = rng.choice(
                [p for name, p in family.processes.items() if name.startswith("tables")]
            )
            log.info("the machine of %s is killed, and comes back", victim.name)
            victim.kill()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
