"""Whatever is killed or cut at random while matches are played, the tables, their hall, and another
hall that shows them agree in the end: nothing lost, twice or out of order, every score the table's
own. A few seconds in `make test`;
`make test-chaos` plays ten minutes at 24 tables."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from service.appliance.joined import joined_path, load_joined, save_joined
from service.hall.api import Api, ApiError
from service.hall.command import HallConfig, invited
from service.hall.leaf import branches_from
from service.hall.tournament import Process, Tournament
from service.journal.chain import GENESIS, link
from service.journal.keys import table_key
from service.journal.store import Reader
from service.referee.fold import replay
from tests.ports import free_port
from tests.service.hall.network import Cable, Network
from tests.service.hall.served import await_true

SECONDS = float(os.environ.get("CHAOS_S", "10"))
TABLES = int(os.environ.get("CHAOS_TABLES", "4"))
FACTOR = float(os.environ.get("CHAOS_FACTOR", "10"))
SEED = int(os.environ.get("CHAOS_SEED", "1"))


SERVERS = {"server": "hall", "main's server": "main"}
KINDS = [*SERVERS, "hall", "main", "tables", "publisher", "cut", "leaf"]


class Chaos:
    """Kills and cuts; what was cut is mended after a while."""

    def __init__(
        self, family: Tournament, cables: list[Cable], leaf: Cable, rng: random.Random
    ) -> None:
        self.family, self.cables, self.leaf, self.rng = family, cables, leaf, rng
        self.done: Counter[str] = Counter()
        self.deck: list[str] = []
        self.mending: list[tuple[float, Cable]] = []

    def act(self, now: float) -> None:
        if not self.deck:
            # Every kind comes before any comes twice: a short run must not miss one.
            self.deck = self.rng.sample(KINDS, len(KINDS))
        what = self.deck.pop()
        if what in SERVERS:
            with contextlib.suppress(OSError, ValueError):
                pid = self.family.folder / SERVERS[what] / "nats.pid"
                os.kill(int(pid.read_text()), signal.SIGKILL)
        elif what == "leaf":
            self.leaf.cut()
            self.mending.append((now + self.rng.uniform(0.5, 8), self.leaf))
        elif what == "cut":
            cable = self.rng.choice(self.cables)
            cable.cut()
            self.mending.append((now + self.rng.uniform(0.5, 8), cable))
        else:
            self.rng.choice(
                [p for name, p in self.family.processes.items() if name.startswith(what)]
            ).kill()
        self.done[what] += 1

    def mend(self, now: float) -> None:
        for due, cable in list(self.mending):
            if now >= due:
                cable.mend()
                self.mending.remove((due, cable))


def main_hall(family: Tournament, network: Network) -> tuple[Api, Cable]:
    """A second hall that shows the first one's tables; what is between their servers can be cut."""
    data, leaf, console = family.folder / "main", free_port(), free_port()
    cable = network.cable(leaf)
    key = table_key(family.folder / "hall" / "hall.key").public_key().public_bytes_raw().hex()
    branches, address = f"blue={key}", f"127.0.0.1:{cable.port}"
    own, family.settings = family.folder / "main.toml", family.folder / "branch.toml"
    own.write_text(
        f'[hall]\nbranches = "{branches}"\nleaf_port = {leaf}\nleaf_address = "{address}"\n'
    )
    config = HallConfig(data, branches=branches_from((branches,)), leaf_address=address)
    family.settings.write_text(f'[hall]\nmain = "{invited(config, "blue")}"\n')
    ports = {"--port": free_port(), "--console-port": console, "--nats-port": free_port()}
    words = [
        "--https",
        "off",
        *(word for option, port in ports.items() for word in (option, str(port))),
    ]
    family.processes["main"] = Process(
        "main", ["service.hall.command", "--settings", str(own), "--data", str(data), *words]
    )
    return Api(f"http://127.0.0.1:{console}"), cable


def test_all_agree_in_the_end_whatever_is_killed(tmp_path: Path) -> None:
    rng, network = random.Random(SEED), Network()
    names = [f"t{i}" for i in range(1, TABLES + 1)]
    family = Tournament(
        tmp_path,
        names,
        free_port(),
        free_port(),
        free_port(),
        FACTOR,
        SEED,
        "careless",
        group=max(2, TABLES // 6),
    )
    try:
        main, leaf = main_hall(family, network)
        api = family.start_hall("127.0.0.1")
        family.join(api)
        cables = [network.cable(family.nats_port) for _ in family.groups()]
        for cable, group in zip(cables, family.groups(), strict=True):
            for table in group:
                path = joined_path(family.journal(table))
                save_joined(path, replace(load_joined(path), nats=f"nats://127.0.0.1:{cable.port}"))
        family.start_tables(own=True, length=1)
        await_true(lambda: all(family.journal(table).exists() for table in names), 120)
        chaos = Chaos(family, cables, leaf, rng)
        ends = time.monotonic() + SECONDS
        due = 0.0
        while (now := time.monotonic()) < ends:
            family.keep()
            chaos.mend(now)
            if now >= due:
                due = now + rng.uniform(0.5, 4)
                chaos.act(now)
            time.sleep(0.05)
        for cable in (*cables, leaf):
            cable.mend()
        for name, process in family.processes.items():
            if name.startswith("tables"):
                process.end()
                process.keep = lambda: None  # type: ignore[method-assign]
        finish(family, api)
        finish(family, main, "blue.")
        print(f"\n{SECONDS:g} s at {TABLES} tables, table time x{FACTOR:g}: {dict(chaos.done)}")
        compare(family, api, "hall/model.db")
        compare(family, main, "main/branches/blue/model.db", "blue.")
    finally:
        family.end()
        network.close()


def finish(family: Tournament, api: Api, under: str = "") -> None:
    """Wait until a hall says that it has everything."""

    def caught_up() -> bool:
        family.keep()
        try:
            cards = {c["table"]: c for c in api.get("/api/v1/hall/wall")["cards"]}
        except ApiError:
            return False
        return all(
            under + table in cards and cards[under + table]["seq"] == last(family.journal(table))
            for table in family.tables
        )

    await_true(caught_up, 120)


def last(journal: Path) -> int:
    with contextlib.closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as db:
        return int(db.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()[0])


def compare(family: Tournament, api: Api, file: str, under: str = "") -> None:
    """Entry for entry, and score for score."""
    model = sqlite3.connect(f"file:{family.folder}/{file}?mode=ro", uri=True)
    total = games = 0
    for table in family.tables:
        with Reader(family.journal(table)) as reader:
            entries = reader.read()
            assert reader.broken is None
        rows = model.execute(
            "SELECT epoch, seq, text, hash FROM entry WHERE name = ? ORDER BY epoch, seq", (table,)
        ).fetchall()
        assert len({epoch for epoch, *_ in rows}) == 1, f"{table}: more than one record"
        assert [seq for _, seq, _, _ in rows] == list(range(1, len(entries) + 1)), (
            f"{table}: lost or twice"
        )
        head = GENESIS
        for (_, _, text, sealed), entry in zip(rows, entries, strict=True):
            head = link(head, bytes(text))
            assert head == sealed == entry.hash, f"{table}: entry {entry.seq} is another"
        own, shown = replay(entries), api.get(f"/api/v1/tables/{under}{table}/state")
        scores = [shown["match"]["players"][side]["score"] for side in ("white", "black")]
        assert (
            tuple(scores) == tuple(own.match.score)
            and shown["phase"] == own.phase.value
            and len(shown["games"]) == len(own.match.finished)
        )
        total, games = total + len(entries), games + len(own.match.finished)
    refused = model.execute("SELECT reason, count(*) FROM refused GROUP BY reason").fetchall()
    # Nothing was refused but what a killed publisher had sent and could not know of.
    assert {reason for reason, _ in refused} <= {"replayed"}, refused
    model.close()
    print(
        f"{file}: {total} entries of {len(family.tables)} tables: 0 lost, 0 twice, 0 out of order;"
        f" every score the table's own; refused: {refused}"
    )
