"""Make service/table/recordings/demo from a rendered clip of a game that was played: what a table
would have taken in, had it stood there.

    pip install av
    python scripts/make_demo_recording.py CLIP_FOLDER MATCH_FILE GAME

The pictures are the clip's own, as a video. The board's bytes come from
`firmware_bridge.simulator`, greeted and polled by a real `Link` while hands move its checkers and
press its buttons as the clip's events say. Nothing of the clip's truth goes into the recording; the
truth of its turns, which must be those of the match file, goes into tests/data/demo.json, for the
tests alone. Same clip, same recording, byte for byte, but for the video's encoder.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import cv2

from firmware_bridge.board_spec import reference_board
from firmware_bridge.calibration import Calibration, from_empty, with_gain
from firmware_bridge.clock_panel import Button
from firmware_bridge.link import Link
from firmware_bridge.link_events import Sensed
from firmware_bridge.simulator import Simulator
from rules.board import BAR, OFF, Placement, Seating, Side
from rules.game import Played
from rules.notation.mat import read_mat
from rules.notation.record import GameRecord, MatchRecord, games
from service.recording.format import (
    FORMAT,
    VERSION,
    BytesTaken,
    FrameTaken,
    Header,
    Taken,
    encode_taken,
)

SEATING = Seating()
SIDES = {"light": Side.WHITE, "dark": Side.BLACK}
ANSWERS = {"offer": Button.OFFER, "drop": Button.DROP}
STEP = 0.02
"""Seconds between two turns of the wire."""
SEED = 31
PERIOD = 0.1
EVENT = {"dice_area": "board"}
CRF = 30
"""x264's quality: pips of 14-pixel dice stay whole, sensor noise goes."""

Act = tuple[float, str, tuple[Any, ...]]


def placement(logical: dict[str, Any]) -> Placement:
    counts = {"light": [0] * 26, "dark": [0] * 26}
    for point, both in logical["points"].items():
        for colour, n in both.items():
            counts[colour][int(point)] = n
    for colour, row in counts.items():
        row[BAR], row[OFF] = logical["bar"][colour], logical["off"][colour]
    return Placement(tuple(counts["light"]), tuple(counts["dark"]))


def site(name: str | int) -> int:
    return {"bar": BAR, "off": OFF}.get(str(name), name)  # type: ignore[return-value]


def hands(events: list[dict[str, Any]]) -> Iterator[Act]:
    """What hands do, in time: a checker is up for half a second, a hit one goes to the bar first; a
    button is down for 0.15 s.
    """
    last = 0.0
    for event in events:
        t, kind = event["t"], event["type"]
        side = SIDES[event["player"]]
        if kind == "move":
            yield max(last, t - 0.55), "lift", (site(event["src"]), side)
            if event["hit"]:
                yield max(last, t - 0.35), "lift", (site(event["dst"]), side.other)
                yield max(last, t - 0.2), "put", (BAR, side.other)
            yield t - 0.05, "put", (site(event["dst"]), side)
        elif kind == "clock_press":
            yield from pressed(t, at_seat(side))
        elif kind in ANSWERS:
            yield from pressed(t, ANSWERS[kind])
        last = t


def at_seat(side: Side) -> Button:
    return Button.SOUTH if side is Side.WHITE else Button.NORTH


def pressed(t: float, button: Button) -> Iterator[Act]:
    yield t, "press", (button, True)
    yield t + 0.15, "press", (button, False)


class Bench:
    """A new board on the bench, calibrated as a club would before the first evening."""

    def __init__(self) -> None:
        self.board = reference_board()
        self.table, self.link, self.now = (
            Simulator(self.board, SEED),
            Link(self.board, SEATING),
            0.0,
        )
        self.link.opened(0.0)

    def scans(self, count: int) -> list[tuple[int, ...]]:
        """So many new scans of what lies there now."""
        found: list[tuple[int, ...]] = []
        settled = self.now + 0.5
        while len(found) < count:
            self.now += STEP
            self.link.tick(self.now)
            self.table.receive(self.link.data_to_send(self.now), self.now)
            events = self.link.receive(self.table.run(self.now), self.now)
            found += [e.values for e in events if isinstance(e, Sensed) and self.now > settled]
        return found

    def calibration(self) -> Calibration:
        self.table.table.clear()
        first = self.scans(1)
        assert self.link.hello is not None
        made, faults = from_empty(self.board, first + self.scans(9), self.link.hello.uid.hex())
        assert not faults, faults
        for number, place in enumerate(self.board.sensors.places):
            if place.role in ("point", "bar"):
                self.table.table.put_on_sensor(number)
                made = with_gain(self.board, made, number, self.scans(1)[0])
                self.table.table.clear()
        return made


def wire(table: Simulator, began: float, clip: dict[str, Any]) -> Iterator[BytesTaken]:
    """The bytes that a host would have got; `began` is the time on the bench when the evening
    begins.
    """
    link = Link(table.board, SEATING)
    table.restart()
    table.set_placement(placement(clip["events"][0]["logical"]), SEATING)
    acts = sorted(hands(clip["events"]), key=lambda act: act[0])
    end = clip["events"][-1]["t"] + 1.0
    link.opened(0.0)
    for n in range(int(end / STEP)):
        now = round(n * STEP, 4)
        while acts and acts[0][0] <= now:
            _, act, arguments = acts.pop(0)
            getattr(table, act)(*arguments)
        link.tick(now)
        table.receive(link.data_to_send(now), began + now)
        if data := table.run(began + now):
            link.receive(data, now)
            yield BytesTaken(now, data)
    truth = placement(clip["events"][-1]["logical"])
    assert table.placement() == truth, "the hands did something else than the clip"


def looks(clip: dict[str, Any]) -> Iterator[FrameTaken]:
    """A camera of ten pictures a second that sees each of the clip's until there is the next."""
    times = [f["t"] for f in clip["frames"]] + [clip["events"][-1]["t"] + 1.0]
    number = 0
    for index, (t, until) in enumerate(itertools.pairwise(times)):
        held = 0
        while t + held * PERIOD < until - PERIOD / 2 or not held:
            at = round(t + held * PERIOD, 4)
            yield FrameTaken(at, index, number, at)
            held, number = held + 1, number + 1


def corners(first: Path) -> dict[str, Any]:
    """The field's corners to the nearest pixel or so, as a person would drag them."""
    truth = json.loads(first.read_text())
    return {
        "corners": [[round(x), round(y)] for x, y in truth["field_corners_image"]],
        "size": truth["image_size"],
    }


def film(clip: dict[str, Any], folder: Path, out: Path) -> None:
    """Every picture of the clip, in order; the container's own times mean nothing."""
    with av.open(str(out), "w") as container:
        stream: Any = None
        for frame in clip["frames"]:
            pixels = cv2.imread(str(folder / frame["image"]))
            if stream is None:
                stream = container.add_stream("libx264", rate=10)
                stream.height, stream.width = pixels.shape[:2]
                stream.pix_fmt, stream.thread_count = "yuv420p", 1
                stream.options = {"crf": str(CRF), "preset": "veryslow", "tune": "stillimage"}
            for packet in stream.encode(av.VideoFrame.from_ndarray(pixels, format="bgr24")):
                container.mux(packet)
        for packet in stream.encode(None):
            container.mux(packet)


def truth(clip: dict[str, Any]) -> dict[str, Any]:
    """What really happened, turn by turn, in White's numbering (light is White); `clear_at`: when
    nobody is over the board any more.
    """
    turns: list[dict[str, Any]] = []
    for event in clip["events"]:
        if event["type"] == "roll":
            turns.append(
                {
                    "side": SIDES[event["player"]].value,
                    "roll": sorted(event["dice"], reverse=True),
                    "placement": None,
                }
            )
        elif event["type"] == "move":
            after = placement(event["logical"])
            turns[-1]["placement"] = {"white": list(after.white), "black": list(after.black)}
        elif event["type"] == "clock_press":
            turns[-1]["pressed_at"] = event["t"]
        elif event["type"] == "dice_lifted":
            ready = (f["t"] for f in clip["frames"] if f["phase"] == "before_roll")
            turns[-1]["clear_at"] = next(t for t in ready if t > event["t"])
    return {
        "source": (
            f"rendered clip {clip['name']}, seed {clip['seed']}, own render, MIT; made by"
            " scripts/make_demo_recording.py"
        ),
        "turns": turns,
    }


def check_played(turns: list[dict[str, Any]], game: GameRecord) -> None:
    """Stop unless these turns are the game's plays."""
    wanted = [
        (
            action.side.value,
            [before.game.roll.high, before.game.roll.low],
            list(action.after.white),
            list(action.after.black),
        )
        for before, action, _ in game.steps
        if isinstance(action, Played) and before.game.roll is not None
    ]
    found = [
        (t["side"], t["roll"], t["placement"]["white"], t["placement"]["black"]) for t in turns
    ]
    if found != wanted:
        raise SystemExit(f"the clip's turns are not the game's: expected {wanted}, got {found}")


def declared(match: MatchRecord, first: Path) -> tuple[dict[str, Any], ...]:
    """What a person tells the table before the first throw."""
    tags = dict(match.tags)
    site = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", tags["Site"])
    return (
        {
            "order": "set_match",
            "args": {
                "ruleset": "backgammon",
                "length": match.rules.length,
                "white": match.names[Side.WHITE],
                "black": match.names[Side.BLACK],
                "event": {
                    "name": f"{site}, {tags['EventDate'][:4]}",
                    "dice": {"dice_area": "board"},
                },
            },
        },
        # What a person does once when a camera is hung up: drag the corners of the field on the
        # picture.
        {"order": "set_corners", "args": corners(first)},
        # A board without a camera cannot see who won the opening throw.
        {"order": "start_game", "args": {"starter": "white"}},
        {"order": "start_clocks", "args": {"side": "white"}},
    )


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clip", type=Path)
    parser.add_argument("match", type=Path)
    parser.add_argument("game", type=int)
    parser.add_argument(
        "--source", default="", help="where the match file is from, and its licence"
    )
    parser.add_argument("--out", type=Path, default=Path("service/table/recordings/demo"))
    parser.add_argument("--truth", type=Path, default=Path("tests/data/demo.json"))
    parser.add_argument("--keep-video", action="store_true", help="make all but the video anew")
    given = parser.parse_args(arguments)
    clip = json.loads((given.clip / "clip.json").read_text())
    match = read_mat(given.match.read_text())
    true = truth(clip)
    check_played(true["turns"], games(match)[given.game - 1])
    given.out.mkdir(parents=True, exist_ok=True)
    bench = Bench()
    calibration = bench.calibration()
    for old in given.out.glob("calibration-*.json"):
        old.unlink()
    (given.out / f"calibration-{calibration.uid}.json").write_text(calibration.to_json())
    items: list[Taken] = [*looks(clip), *wire(bench.table, bench.now, clip)]
    (given.out / "log.jsonl").write_bytes(
        b"".join(encode_taken(i) for i in sorted(items, key=lambda i: i.at))
    )
    header = Header(
        video="frames.mkv",
        exact=False,
        made_by="scripts/make_demo_recording.py",
        declared=declared(match, given.clip / clip["frames"][0]["gt"]),
        seating={"white": SEATING.white.value, "home": SEATING.home.value},
        about=(
            f"Game {given.game} of a {match.rules.length}-point match between"
            f" {match.names[Side.WHITE]} and {match.names[Side.BLACK]}, from {given.source}."
            " Pictures: own render (Blender Cycles), MIT licence. Board: simulated."
        ),
    )
    row = {"format": FORMAT, "version": VERSION} | {
        k: getattr(header, k) for k in Header.__dataclass_fields__
    }
    (given.out / "recording.json").write_text(json.dumps(row, indent=1) + "\n")
    if not given.keep_video:
        film(clip, given.clip, given.out / "frames.mkv")
    given.truth.parent.mkdir(parents=True, exist_ok=True)
    given.truth.write_text(json.dumps(true) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
