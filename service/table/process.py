"""The process that owns one table: referee, clock, link to the board, journal (E). `python -m
service.table.process`, started by `takhte run`.

One queue: camera, port, panel, people and time all come in through it and are taken in order, so
there is nothing to lock. The page is another process and may die; a camera that hangs hangs in a
process of its own. What is taken in can be recorded as it is taken.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import logging
import os
import queue
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from firmware_bridge.lights import LightScene
from rules.observation import Source
from service.journal.paths import socket_path
from service.journal.store import Store
from service.recording import format as recording
from service.recording.playback import Stage
from service.referee.inputs import Command, KeepPicture, Sound
from service.referee.refusal import Reply
from service.session.belief import Session
from service.session.boards import meaning
from service.session.core import Core
from service.session.sight import Corners
from service.settings import Settings, SettingsError, from_arguments
from service.show.compose import table_document
from service.show.document import TableDocument
from service.show.scene import face, lights, scene_document
from service.table import answers, machine, opening, sources, updating
from service.table import broadcast as onair
from service.table import world as worlds
from service.table.film import film_document, last_moved
from service.table.hub import Hub, HubError
from service.table.options import AGAIN, REFUSED, add_options, add_played
from service.table.outputs import TONES, Keeping, LivePicture, Pictures
from service.table.pictures import PictureStore
from service.table.requests import OrderRequest, QueryRequest
from service.table.world import RefusalError, World
from vision.frame import Frame

log = logging.getLogger(__name__)

CAMERA: Final = Source.CAMERA.kind.device
TICK_S: Final = 0.05
BEAT_S: Final = 1.0
PUBLISH_S: Final = 0.1
"""Seconds between two states at least, unless an entry was written."""


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody asked over the socket, and who takes the answer."""

    asks: OrderRequest | QueryRequest
    reply: Reply


Incoming: TypeAlias = sources.FeedEvent | updating.UpdateEnded | Request
"""What the table takes in, one after another."""


class Table:
    """One table, running. Everything but `put` belongs to the thread that calls `run`."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        world: World,
        recorder: recording.Writer | None,
        choices: machine.Choices | None = None,
        may_begin_again: bool = False,
    ) -> None:
        self.may_begin_again, self.status = may_begin_again, 0
        self.settings, self.world, self._store, self._recorder = settings, world, store, recorder
        self.choices = choices or machine.Choices(corners=world.corners)
        self._queue: queue.SimpleQueue[Incoming] = queue.SimpleQueue()
        self._stopping = False
        session, since = opening.session_of(store)
        self._offset = since - world.clock()
        self.core = Core(session, store, world.board, self._perform, wall=time.time() - since)
        journal = settings.journal
        pictures = PictureStore(journal.with_name(journal.stem + ".pictures"))
        self._pictures = Pictures(
            pictures, settings.evidence.quality, lambda: self._keeping().hours
        )
        self._live = LivePicture(journal)
        self._frame: Frame | None = None
        self.seen: sources.Seen | None = None
        self._published: Session | None = None
        self._published_at = self._beat_at = 0.0
        self._hub = Hub(socket_path(journal), lambda asks, reply: self.put(Request(asks, reply)))
        self._camera: sources.CameraFeed | None = None
        self._shining: tuple[LightScene, float] | None = None
        loader = updating.loader_of(settings.board.drive)
        self.firmware = updating.BoardFirmware(world, lambda: self.core.board, self.put, loader)
        self._open_camera()
        self._open_port()

    @property
    def now(self) -> float:
        """Table time: seconds that run only while the table runs, continued over restarts."""
        return self.world.clock() + self._offset

    def put(self, item: Incoming) -> None:
        """From any thread: have this taken in."""
        self._queue.put(item)

    def stop(self) -> None:
        """From any thread, or a signal: end after what is in hand."""
        self._stopping = True

    def run(self) -> None:
        """Until `stop`."""
        self.record(recording.TickTaken(now := self.now, self.core.wall))
        opening.declare(self.core, self.settings, self.world, now)
        self.core.beat(now, self.world.progress())
        self.world.begin()
        next_tick = 0.0
        try:
            while not self._stopping:
                with contextlib.suppress(queue.Empty):
                    wait = max(0.0, next_tick - self.now) / self.world.speed
                    self._handle(self._queue.get(timeout=wait))
                if self.now >= next_tick:
                    next_tick = self.now + TICK_S
                    self._tick(self.now)
                self._send()
                self._publish()
        finally:
            self._close()

    @property
    def stage(self) -> Stage | None:
        """The recording that is played in the world's place."""
        return self.world.stage

    def begin_again(self) -> None:
        """End, so that `takhte run` plays the recording from its start, into a new journal."""
        self.status = AGAIN
        self.stop()

    # Coming in
    # ---------------------------------------------------------------------------------------------

    def _handle(self, item: Incoming) -> None:
        now = self.now
        match item:
            case sources.NewFrame():
                self._new_frame(item, now)
            case sources.Seen():
                self._frame_read(item, now)
            case sources.CameraState():
                self._camera_state(item, now)
            case sources.PortState():
                self._port_state(item, now)
            case sources.Bytes(data):
                self.record(recording.BytesTaken(now, data))
                self.core.received(data, now)
            case updating.UpdateEnded():
                self._open_port()
            case Request(asks, reply):
                self._request(asks, reply, now)
            case _:
                assert_never(item)

    def _new_frame(self, item: sources.NewFrame, now: float) -> None:
        frame = Frame(item.frame.pixels, item.frame.seen_at + self._offset, item.frame.number)
        if self._recorder is not None:
            frame = Frame(
                self._recorder.frame(now, frame.number, frame.seen_at, frame.pixels),
                frame.seen_at,
                frame.number,
            )
        self._frame = frame
        item.feed.read(sources.Read(frame, self.core.hint()))

    def _frame_read(self, item: sources.Seen, now: float) -> None:
        self.record(recording.FrameRead(now))
        self.seen = item
        self.core.seen(item.observation, now)

    def _camera_state(self, item: sources.CameraState, now: float) -> None:
        self.record(recording.SourceTaken(now, CAMERA, item.ok, item.reason))
        level = logging.INFO if item.ok else logging.WARNING
        log.log(level, "the camera sees" if item.ok else f"camera: {item.reason}")
        self.core.source(CAMERA, item.ok, item.reason, now)

    def _port_state(self, item: sources.PortState, now: float) -> None:
        self.record(recording.SourceTaken(now, recording.PORT, item.ok, item.reason))
        level = logging.INFO if item.ok else logging.WARNING
        log.log(level, "the board's port is open" if item.ok else f"board: {item.reason}")
        self.core.port(item.ok, item.reason, now)

    def _request(self, asks: OrderRequest | QueryRequest, reply: Reply, now: float) -> None:
        match asks:
            case OrderRequest("film"):
                reply(answers.tell_film(self, asks))
                self._published = None
            case OrderRequest(name, args, by) if name in machine.MACHINE_ACTS:
                reply(answers.tell_machine(self, asks, now))
            case OrderRequest(name, _, by):
                state, speed = self.core.session.state, self.world.speed
                args = opening.order_completed(asks, self.settings, state, (now, speed)).args
                self.record(recording.OrderTaken(now, name, args, by))
                self.core.order(name, args, by, now, reply)
            case QueryRequest():
                reply(answers.answer(self, asks))

    def _tick(self, now: float) -> None:
        wall = time.time() - now
        jumped = abs(wall - self.core.wall) > 0.5
        if jumped:
            # The date was set, or the machine slept: table time knows nothing of it.
            self.core.wall = wall
        self._read_panel(now)
        self.record(recording.TickTaken(now, wall if jumped else None))
        self.core.tick(now)
        if now - self._beat_at >= BEAT_S:
            self._beat_at = now
            self.core.beat(now, self.world.progress())
            opening.say_mended(self.core, self._store, now)
            self.core.trouble.recording = (self._recorder.problem or "") if self._recorder else ""
        board, port = self.core.board, self.world.port
        if board is not None and board.refused and port is not None:
            port.let_go()

    def _read_panel(self, now: float) -> None:
        if self.world.panel is None:
            return
        for press in self.world.panel.presses(now - self._offset):
            button = meaning(
                dataclasses.replace(press, at=press.at + self._offset), self.core.seating
            )
            if button is not None:
                self.record(opening.press_taken(button, now))
                self.core.pressed(button, now)

    def record(self, item: recording.Taken) -> None:
        if self._recorder is not None:
            self._recorder.take(item)

    # Going out
    # ---------------------------------------------------------------------------------------------

    def _perform(self, command: Command) -> None:
        match command:
            case KeepPicture(picture):
                board_map = self.seen.sight.board_map if self.seen else None
                self._pictures.keep(picture, self._frame, board_map, self._keeping())
            case Sound(what) if what in TONES:
                for buzzer in (self.core.board, self.world.panel):
                    if buzzer is not None:
                        buzzer.buzz(*TONES[what])

    def _keeping(self) -> Keeping:
        return Keeping.of(self.core.session.state.match, self.settings.evidence.keep_hours)

    def _send(self) -> None:
        board, port = self.core.board, self.world.port
        if board is not None and port is not None and (data := board.to_send(self.now)):
            port.send(data)

    def _publish(self) -> None:
        # By the machine's time, whatever speed a film has: it is people who look on.
        now, shown = time.monotonic(), self.core.shown
        changed = shown is not self._published
        last = self._published.state.seq if self._published is not None else -1
        urgent = changed and shown.state.seq != last
        if not urgent and now - self._published_at < (PUBLISH_S if changed else BEAT_S / 4):
            return
        on_clock = face(shown.state, self.now)
        if (board := self.core.board) is not None:
            board.show(self._lights(self.now), on_clock)
        if self.world.panel is not None:
            self.world.panel.show(on_clock)
        if urgent or changed or now - self._published_at >= BEAT_S:
            self._published, self._published_at = shown, now
            self._hub.publish(self.document(self.now))

    def _lights(self, now: float) -> LightScene:
        if self._shining is not None and now < self._shining[1]:
            return self._shining[0]
        self._shining = None
        return lights(self.core.shown.state)

    def document(self, now: float) -> TableDocument:
        """The state document, with what the table alone knows: its sources and its own troubles."""
        shown = self.core.shown
        dice = shown.evidence.dice if shown.evidence else ()
        found = table_document(shown.state, now, scene_document(shown.state, now), dice)
        found["sources"] = answers.source_lines(self, found["sources"])
        found["trouble"] = self.core.trouble.lines()
        if self.stage is not None:
            found["film"] = film_document(self.stage, again=self.may_begin_again)
        return found

    # Beginning and end
    # ---------------------------------------------------------------------------------------------

    def _open_camera(self) -> None:
        camera = self.settings.camera
        if self.world.camera is not None:
            sight = worlds.sight_of(self.world.told, self.choices.corners)
            self._camera = sources.CameraFeed(
                self.world.camera,
                self.put,
                sight,
                camera.period,
                camera.stale_after,
                self._watched,
                self.world.clock,
            )

    def _open_port(self) -> None:
        ports = self.world.ports
        if ports is not None and self.world.port is None:
            self.world.port = sources.PortFeed(ports.address, self.put, ports.opener)

    def connect(self, camera: str | None = None, board: str | None = None) -> None:
        """Use another camera or board from now on. Raises RefusalError."""
        settings = self.settings.with_values(camera_source=camera, board_address=board)
        # Only what is asked for is opened anew: the other source and open pins stay as they are.
        if board is not None:
            self.firmware.refuse_while_writing()
            worlds.connect_board(self.world, settings)
            self.core.board = self.world.board
            if self.world.panel is None and settings.panel.gpio == "none":
                self.world.panel = worlds.panel_of(settings)
            self._open_port()
        self.settings = settings
        if camera is not None:
            if self._camera is not None:
                self._camera.close()
            self._camera, self.seen, self.world.camera = None, None, worlds.camera_of(settings)
            self._open_camera()

    @property
    def camera(self) -> sources.CameraLike | None:
        """The camera that is open now, None for none."""
        return self._camera.camera if self._camera is not None else None

    def aim(self, corners: Corners) -> None:
        """The field's corners lie there."""
        if self._camera is not None:
            self._camera.aim(corners)

    def shine(self, scene: LightScene, seconds: float) -> None:
        """Show this instead of the game's lights for a moment."""
        self._shining = (scene, self.now + seconds)

    def _watched(self, seen: sources.Seen) -> None:
        """Called from the camera's thread."""
        seating, state = self.core.seating, self.core.shown.state
        moved = last_moved(state, seating)
        self._live.show(seen.frame, seen.sight.board_map, seen.observation, seating, moved)
        onair.aim_stream(self.camera, seen)

    def _close(self) -> None:
        if self._camera is not None:
            self._camera.close()
        self.firmware.close()
        self.world.close()
        self._hub.close()
        self._pictures.close()
        self._live.remove()
        if self._recorder is not None:
            self._recorder.close()
        self._store.close()


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m service.table.process", description=__doc__)
    add_options(parser)
    add_played(parser)
    parser.add_argument("--may-begin-again", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(words)
    os.umask(0o077)
    logging.basicConfig(level=logging.INFO, format="takhte: %(message)s", stream=sys.stderr)
    try:
        settings = from_arguments(given)
        choices = machine.load_choices(settings.journal) if given.recording is None else None
        settings = choices.over(settings, vars(given)) if choices else settings
        store = opening.journal_of(settings)
        if not store.seq:
            opening.declared_orders(settings)
        world = worlds.world_of(settings, opening.played(given.recording, store, given.speed))
        recorder = opening.recorder_of(
            settings, given.record, world, choices.corners if choices else world.corners
        )
        table = Table(settings, store, world, recorder, choices, given.may_begin_again)
    except (RefusalError, SettingsError, HubError, recording.RecordingError) as e:
        log.error("%s", e)
        return REFUSED
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: table.stop())
    table.run()
    return table.status


if __name__ == "__main__":
    raise SystemExit(main())
