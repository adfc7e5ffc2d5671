"""A real table process without sensors, driven over its socket: for killing it, and for watching
what it does before it speaks.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from service.journal.paths import socket_path
from service.journal.store import Reader
from service.referee.state import GameState, MatchState, State, TurnState
from service.show.legal import legal_plays

CONSOLE = {"name": "", "role": "console", "side": None}


@dataclass
class Process:
    """One life of a table's process.

    `acked`: numbers that it said were stored; `last`: the last state that it told.
    """

    journal: Path
    prefix: Sequence[str] = ()
    world: Sequence[str] = ("--camera", "none", "--board", "none")
    acked: list[int] = field(default_factory=list)
    last: dict[str, Any] = field(default_factory=dict)
    numbers: int = 0

    def __post_init__(self) -> None:
        options = ["--journal", str(self.journal), *self.world]
        door = socket_path(self.journal)
        door.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [*self.prefix, sys.executable, "-m", "service.table.process", *options],
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self._await(door)
        self.lines = self.socket.makefile("rb")

    def _await(self, door: Path) -> None:
        """Until the table listens; its first line on the error stream says that something was
        opened, or why not.
        """
        while True:
            try:
                self.socket.connect(str(door))
                return
            except (FileNotFoundError, ConnectionRefusedError):
                try:
                    self.process.wait(0.05)
                except subprocess.TimeoutExpired:
                    continue
                assert self.process.stderr is not None
                raise AssertionError(
                    f"the table ended: {self.process.stderr.read().decode()}"
                ) from None

    def ask(self, **request: Any) -> dict[str, Any]:
        """One request, one answer. Raises OSError when the table dies meanwhile."""
        self.numbers += 1
        self.socket.sendall(
            json.dumps({"id": str(self.numbers), "by": CONSOLE, **request}).encode() + b"\n"
        )
        line = self.lines.readline()
        if not line.endswith(b"\n"):
            raise ConnectionError("the table is gone, perhaps in the middle of its answer")
        found: dict[str, Any] = json.loads(line)
        if found.get("ok") and "seq" in found:
            self.acked.append(found["seq"])
        return found

    def order(self, name: str, **args: Any) -> dict[str, Any]:
        return self.ask(order=name, args=args)

    def state(self) -> dict[str, Any]:
        found = self.ask(query="state", args={})
        while "result" not in found:
            # A machine under load may take longer to start than a request may wait: asked again, it
            # answers.
            found = self.ask(query="state", args={})
        self.last = found["result"]
        return self.last

    def _children(self) -> list[int]:
        """What the prefix (strace) started: it ends when they do."""
        pid = self.process.pid
        return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def kill(self) -> None:
        self.process.kill()
        self.close()

    def close(self) -> None:
        if self.process.poll() is None:
            for child in self._children() if self.prefix else ():
                os.kill(child, signal.SIGTERM)
            if not self.prefix:
                self.process.terminate()
        self.process.wait(30)
        self.socket.close()
        if self.process.stderr:
            self.process.stderr.close()


def next_order(seen: dict[str, Any], chance: random.Random) -> tuple[str, dict[str, Any]]:
    """Something sensible to order in this state: matches played by hand, as fast as the socket
    goes.
    """
    phase = seen["phase"]
    if phase in ("idle", "match-over"):
        return "set_match", {"length": 3, "ruleset": "backgammon", "clock": "ours"}
    if phase in ("setting-up", "game-over"):
        return "start_game", {"starter": chance.choice(["white", "black"])}
    if phase == "frozen":
        return "unfreeze", {}
    clock = seen["clock"]
    if clock["kind"] == "ours" and clock["running"] is None and phase in ("to-roll", "moving"):
        return "start_clocks", {}
    if phase == "to-roll":
        return (
            ("freeze", {})
            if chance.random() < 0.05
            else ("declare_roll", {"roll": [chance.randint(1, 6), chance.randint(1, 6)]})
        )
    if phase == "moving":
        return "press", {"side": seen["on_roll"]}
    return "declare_play", {"placement": play_of(seen)}


def play_of(seen: dict[str, Any]) -> dict[str, Any]:
    """A legal play of the turn in progress, by the rules alone."""
    from rules.board import Placement, Side
    from rules.dice import Roll
    from rules.ruleset import ruleset

    placement = Placement(tuple(seen["board"]["white"]), tuple(seen["board"]["black"]))
    roll = Roll(*seen["dice"]["roll"])
    state = State(
        match=MatchState(ruleset=ruleset(seen["match"]["ruleset"])),
        game=GameState(placement=placement, on_roll=Side(seen["on_roll"])),
        turn=TurnState(roll=roll),
    )
    found: dict[str, Any] = legal_plays(state)[0]["placement"]
    return found


def numbers_in(journal: Path) -> tuple[int, bool]:
    """How many entries a journal has, and whether its chain holds."""
    with Reader(journal) as reader:
        return len(reader.read()), reader.broken is None
