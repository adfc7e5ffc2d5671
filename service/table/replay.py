"""`takhte replay`: a recording through the whole house, as fast as it goes, without a page; prints
the plays.

The same core as the live table, fed in recorded order at recorded times. A recording that a table
made gives the same journal byte for byte; one that a script made has no moments of reading or ticks
of its own, so pictures are read as they come and time beats evenly.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import math
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rules.board import Side
from rules.observation import Observation
from service.journal.store import Store
from service.recording import format as recording
from service.recording.format import PORT, Recording, RecordingError
from service.recording.playback import AFTER_S, BoardPlayer
from service.referee.inputs import Press
from service.referee.state import PlayLine, State
from service.session.core import Core
from service.session.sight import Hint, Sight, read_frame
from service.settings import Settings
from service.table import machine, opening
from service.table import world as worlds
from vision.frame import Frame

log = logging.getLogger(__name__)

BEAT_S: Final = 0.05
WIRE_S: Final = 0.02


@dataclass(slots=True)
class ReplayedTable:
    """A recording being replayed into a journal.

    `camera` and `board`: whether each is let in, or withheld. A recording that a script made can be
    played in parts, from `since` until `until`: a table that is stopped and started.
    """

    found: Recording
    core: Core
    camera: bool = True
    board: bool = True
    sight: Sight = field(default_factory=Sight)
    since: float = 0.0
    until: float = math.inf

    def run(self) -> State:
        """Play it all; returns the state at the end."""
        if self.found.header.exact:
            self._exactly()
        else:
            self._evenly()
        return self.core.shown.state

    def _begin(self, now: float) -> None:
        header = self.found.header
        world = worlds.World(declared=header.declared, board=self.core.board)
        opening.declare(self.core, Settings(), world, now)

    # Recorded by a table: everything at its own moment
    # -----------------------------------------------------------

    def _exactly(self) -> None:
        pictures = self.found.pictures() if self.camera else iter(())
        read: Observation | None = None
        for n, item in enumerate(self.found.items):
            if isinstance(item, recording.TickTaken) and item.wall is not None:
                self.core.wall = item.wall
            if n == 0:
                self._begin(item.at)
            elif isinstance(item, recording.FrameTaken):
                given = next(pictures, None) if self.camera else None
                read = None if given is None else self._look(item, given[1], self.core.hint())
            elif isinstance(item, recording.FrameRead):
                if read is not None:
                    self.core.seen(read, item.at)
                read = None
            else:
                self._other(item)

    def _other(self, item: recording.Taken) -> None:
        match item:
            case recording.BytesTaken(at, data) if self.board:
                self.core.received(data, at)
                self._drop_answers(at)
            case recording.SourceTaken(at, source, ok, reason) if self.board and source == PORT:
                self.core.port(ok, reason, at)
                self._drop_answers(at)
            case recording.SourceTaken(at, source, ok, reason) if self.camera and source != PORT:
                self.core.source(source, ok, reason, at)
            case recording.PressTaken(at, side, _, down_at):
                self.core.pressed(Press(Side(side), down_at), at)
            case recording.OrderTaken(_, "set_corners", args, _):
                self.sight = self.sight.afresh(machine.corners_of(args))
            case recording.OrderTaken(at, order, args, by):
                self.core.order(order, args, by, at, lambda _: None)
            case recording.TickTaken(at):
                self.core.tick(at)
                self._drop_answers(at)

    def _drop_answers(self, at: float) -> None:
        if self.core.board is not None:
            self.core.board.to_send(at)

    # Made by a script: even time
    # -----------------------------------------------------------------------------------

    def _evenly(self) -> None:
        first, end = self.since, min(self.until, self.found.length + AFTER_S)
        self._begin(first)
        player = BoardPlayer(self.found, first) if self.board else None
        if player is not None and player.present:
            self.core.port(True, "", first)
        pictures = self._timed_pictures()
        coming = next(pictures, None)
        for n in range(int((end - first) / WIRE_S)):
            now = round(first + n * WIRE_S, 4)
            while coming is not None and coming[0].at <= now:
                self.core.seen(self._look(coming[0], coming[1], self.core.hint()), coming[0].at)
                coming = next(pictures, None)
            if player is not None and self.core.board is not None:
                player.receive(self.core.board.to_send(now), now)
                if data := player.run(now):
                    self.core.received(data, now)
            if n % round(BEAT_S / WIRE_S) == 0:
                self.core.tick(now)

    def _timed_pictures(self) -> Iterator[tuple[recording.FrameTaken, recording.Pixels]]:
        return self.found.pictures(self.since) if self.camera else iter(())

    def _look(
        self, item: recording.FrameTaken, pixels: recording.Pixels, hint: Hint
    ) -> Observation:
        self.sight, observation = read_frame(
            self.sight, Frame(pixels, item.seen_at, item.number), hint
        )
        return observation


def replayed(
    found: Recording,
    journal: Path,
    camera: bool = True,
    board: bool = True,
    since: float = 0.0,
    until: float = math.inf,
) -> State:
    """The state at the end of a recording, or of a part of it, that is replayed into a journal: a
    new one, or one that goes on. Raises StoreError, JournalError.
    """
    with Store.open(journal) as store:
        reader = worlds.recorded_reader(found) if board else None
        sight = worlds.sight_of(worlds.told_in(found.header), worlds.corners_in(found.header))
        core = Core(opening.session_of(store)[0], store, reader)
        return ReplayedTable(found, core, camera, board, sight, since, until).run()


def play_line(play: PlayLine) -> str:
    """One play as a line: number, side, roll and how it came to be known, the play, what is
    doubtful about it.
    """
    roll = f"{play.roll.high}{play.roll.low}" if play.roll else "??"
    doubt = f"  stands although illegal: {play.infraction}" if play.infraction else ""
    sure = f"  {play.probability:.4f}" if play.probability is not None else ""
    return (
        f"{play.game}.{play.number:<3} {play.side.value:<5} {roll}  {play.text:<24} dice"
        f" {play.origin.value}{sure}{doubt}"
    )


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="takhte replay",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "recording",
        type=Path,
        nargs="?",
        help="folder of the recording; the one that comes with the program by default",
    )
    parser.add_argument(
        "--camera",
        choices=("recorded", "none"),
        default="recorded",
        help="none withholds the pictures",
    )
    parser.add_argument(
        "--board",
        choices=("recorded", "none"),
        default="recorded",
        help="none withholds the board's bytes",
    )
    parser.add_argument(
        "--journal", type=Path, help="write the journal there (a new file) instead of forgetting it"
    )
    given = parser.parse_args(words)
    logging.basicConfig(level=logging.WARNING, format="takhte: %(message)s", stream=sys.stderr)
    from service.table.options import DEMO

    try:
        found = Recording(given.recording or DEMO)
        with contextlib.ExitStack() as stack:
            journal = given.journal
            if journal is None:
                journal = (
                    Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="takhte-")))
                    / "replay.journal"
                )
            elif journal.exists():
                raise worlds.RefusalError(
                    f"{journal}: is there already; a replay begins a new journal: name another file"
                )
            state = replayed(found, journal, given.camera != "none", given.board != "none")
    except (RecordingError, worlds.RefusalError, OSError) as e:
        log.error("%s", e)
        return 1
    for play in state.match.plays:
        print(play_line(play))
    print(f"{len(state.match.plays)} plays; the table waits in phase {state.phase.value}")
    if found.problem:
        log.warning("%s", found.problem)
    return 0
