"""`takhte transcribe VIDEO`: the plays of a filmed match, every doubtful one marked.  (E)

Three passes: the board is found and the way it lies is told from the position that it starts with;
each frame is read; the whole film is then explained at once (`service.reconcile.beam`) and written
as .mat and JSON. What one camera cannot know (the cube when it is out of view, the score) is not
made up.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypedDict

from rules.axes import RulesetError
from rules.board import Colour, Corner, Placement, Seating, Side
from rules.game import Action, NextGame, Played, Rolled, Starts
from rules.match import MatchRules
from rules.notation.errors import NotationError
from rules.notation.ids import read_position_id
from rules.notation.mat import carried
from rules.notation.matwrite import write_mat
from rules.notation.record import MatchRecord
from rules.position import Position
from rules.ruleset import Ruleset, ruleset
from service.film.frames import FilmError, frames_of
from service.film.stills import stills_and_throws
from service.film.unread import Unread, unread_stretches
from service.reconcile.beam import Beam
from service.reconcile.reel import ReadTurn
from vision.calibrate import BoardNotFound, find_board
from vision.frame import Frame
from vision.geometry import BoardMap
from vision.networks import Networks
from vision.reader import Eye, read_next, read_picture

SURE: Final = 0.9
"""A turn below this confidence is marked doubtful."""
TRIES: Final = 12
"""Frames in which the board is looked for before giving up."""


@dataclass(frozen=True)
class Transcript:
    """What a film holds: turns with confidence, and how the board lay."""

    ruleset: Ruleset
    seating: Seating
    start: Placement
    turns: tuple[ReadTurn, ...]
    stills: int
    throws: int
    unread: tuple[Unread, ...] = ()
    """Where the board was not read for ten seconds or longer, and why."""


def transcribe(
    frames: Iterable[Frame],
    rules: Ruleset,
    start: Position | None = None,
    on_roll: Colour | None = None,
    presses: Sequence[float] | None = None,
    corners: list[list[float]] | None = None,
) -> Transcript:
    """What a film holds.

    `start`: what stands there first (default the ruleset's start, White being the light side);
    `on_roll`: whose turn is first, default either; `presses`: when turns ended, s; `corners`: the
    field's corners in the picture, TL TR BR BL. Raises FilmError when there is no board to be read.
    """
    stream = iter(frames)
    first = start or Position.start(rules, Side.WHITE)
    networks = Networks()
    board_map, seating, kept = _find_board(stream, networks, first.placement, corners)
    eye = Eye.of(board_map, networks)
    observations = []
    for n, frame in enumerate(itertools.chain(kept, stream)):
        eye, seen = read_next(
            eye, frame, seating=seating, known=first.placement if n == 0 else None
        )
        observations.append(seen)
    stills, throws = stills_and_throws(observations)
    if not stills:
        raise FilmError(
            "expected frames with the board at rest, and there is none: hands or movement in every"
            " frame"
        )
    turns = Beam(stills, throws, presses).read(_start_positions(rules, start, on_roll))
    return Transcript(
        rules,
        seating,
        first.placement,
        turns,
        len(stills),
        len(throws),
        unread_stretches(observations),
    )


def _start_positions(
    rules: Ruleset, start: Position | None, on_roll: Colour | None
) -> list[Position]:
    """The positions that the film may begin with, one for each side that may be on roll."""
    sides = (
        list(Side) if on_roll is None else [Side.WHITE if on_roll is Colour.LIGHT else Side.BLACK]
    )
    if start is None:
        return [Position.start(rules, side) for side in sides]
    return [Position.of(start.placement, rules, side) for side in sides]


def _find_board(
    stream: Iterator[Frame],
    networks: Networks,
    placement: Placement,
    corners: list[list[float]] | None,
) -> tuple[BoardMap, Seating, list[Frame]]:
    """The board's map, its seating, and the first frame that shows the start position, in a list.

    Raises FilmError when no frame of the first few shows it.
    """
    kept: list[Frame] = []
    reason = "the film has no frame"
    for frame in stream:
        kept.append(frame)
        try:
            found = find_board(frame, networks, corners=corners, orientation=0)
        except BoardNotFound as error:
            reason = str(error)
        else:
            seating = _seating_shown(frame, found, networks, placement)
            if seating is not None:
                # Frames before the start position stands there tell nothing of the game.
                return found, seating, [frame]
            reason = (
                "the checkers do not stand as the game begins: set the position up first, or give"
                " --start"
            )
        if len(kept) >= TRIES:
            break
    raise FilmError(f"no board to read in the first {len(kept)} frames: {reason}")


def _seating_shown(
    frame: Frame, board_map: BoardMap, networks: Networks, placement: Placement
) -> Seating | None:
    """The home corner by which the frame shows this placement best, None when it does by none.

    White is light; the map is taken upright, so a camera turned round shows as another corner.
    """
    best: tuple[float, Seating] | None = None
    for home in Corner:
        seating = Seating(Colour.LIGHT, home)
        seen = read_picture(frame, board_map, networks, seating=seating)
        likelihoods = [
            r.likelihood(placement.white[r.site], placement.black[r.site])
            for r in seen.sites
            if 1 <= r.site <= 24
        ]
        tops = [
            max((p for _, _, p in r.outcomes), default=r.floor)
            for r in seen.sites
            if 1 <= r.site <= 24
        ]
        against = sum(
            min(math.log(t / max(p, 1e-12)), 6.0) for p, t in zip(likelihoods, tops, strict=True)
        )
        if len(likelihoods) >= 18 and (best is None or against < best[0]):
            best = (against, seating)
    return best[1] if best is not None and best[0] < 40.0 else None


# What is written.


class PlayJson(TypedDict):
    """One play as written: `side` light or dark, `at` seconds of film, `after` 26 counts a side."""

    game: int
    side: str
    dice: list[int]
    play: str
    confidence: float
    doubtful: bool
    dice_seen: bool
    frame: int
    at: float
    after: dict[str, list[int]]


UnreadJson = TypedDict("UnreadJson", {"from": float, "to": float, "why": str})
"""A stretch of film, s, that was not read."""


class TranscriptJson(TypedDict):
    """`transcript.json`, with the plays in order."""

    schema: str
    source: str
    ruleset: str
    home: str
    plays: list[PlayJson]
    unread: list[UnreadJson]


def transcript_json(transcript: Transcript, source: str) -> TranscriptJson:
    """What is written of a film that came from `source`."""
    return {
        "schema": "takhte-transcript/1",
        "source": source,
        "ruleset": transcript.ruleset.name,
        "home": transcript.seating.home.value,
        "plays": [_play_json(read_turn, transcript.seating) for read_turn in transcript.turns],
        "unread": [
            {"from": round(u.began, 2), "to": round(u.ended, 2), "why": u.why}
            for u in transcript.unread
        ],
    }


def _play_json(found: ReadTurn, seating: Seating) -> PlayJson:
    """One turn as written."""
    turn = found.turn
    placement = turn.play.placement
    return {
        "game": turn.game,
        "side": seating.colour_of(turn.side).value,
        "dice": [turn.roll.high, turn.roll.low],
        "play": str(turn.play),
        "confidence": round(found.confidence, 4),
        "doubtful": found.confidence < SURE,
        "dice_seen": turn.throw is not None,
        "frame": turn.frame,
        "at": round(turn.at, 2),
        "after": {"white": list(placement.white), "black": list(placement.black)},
    }


def record(transcript: Transcript) -> MatchRecord:
    """The same as a match record: one money session; games that were given up are left open."""
    actions: list[Action] = []
    game = 0
    for found in transcript.turns:
        turn = found.turn
        if turn.game != game:
            if game:
                actions.append(NextGame())
            actions.append(Starts(turn.side))
            game = turn.game
        actions += [Rolled(turn.side, turn.roll), Played(turn.side, turn.play.placement)]
    doubtful = [str(n + 1) for n, found in enumerate(transcript.turns) if found.confidence < SURE]
    tags = [("Transcriber", "takhte")] + ([("Doubtful", " ".join(doubtful))] if doubtful else [])
    return MatchRecord(
        MatchRules.of(transcript.ruleset),
        {Side.WHITE: "light", Side.BLACK: "dark"},
        tuple(actions),
        tuple(tags),
    )


def write_transcript(transcript: Transcript, source: str, out: Path) -> list[Path]:
    """Write `transcript.json` and, where .mat can say it, `transcript.mat`.

    Returns what was written.
    """
    out.mkdir(parents=True, exist_ok=True)
    written = [out / "transcript.json"]
    written[0].write_text(
        json.dumps(transcript_json(transcript, source), indent=1, ensure_ascii=False) + "\n"
    )
    if carried(transcript.ruleset):
        try:
            text = write_mat(record(transcript))
        except NotationError as error:
            print(f"takhte transcribe: no .mat: {error}", file=sys.stderr)
        else:
            written.append(out / "transcript.mat")
            written[1].write_text(text)
    return written


def read_presses(path: Path) -> list[float]:
    """Times of the clock's presses, seconds: a JSON list of numbers or of `{"t": seconds}`, or one
    number a line.
    """
    text = path.read_text()
    try:
        data = json.loads(text)
    except ValueError:
        data = [line.split()[0] for line in text.splitlines() if line.strip()]
    rows = data.get("presses", ()) if isinstance(data, dict) else data
    try:
        return sorted(float(row["t"] if isinstance(row, dict) else row) for row in rows)
    except (TypeError, ValueError, KeyError):
        raise FilmError(
            f"expected times in seconds in {path.name}, one a line or as JSON"
        ) from None


def _corners_of(text: str) -> list[list[float]]:
    """Four corners [x, y] of eight numbers with commas between. Raises ValueError."""
    numbers = [float(n) for n in text.replace(";", ",").split(",")]
    if len(numbers) != 8:
        raise ValueError
    return [[numbers[i], numbers[i + 1]] for i in range(0, 8, 2)]


def main(argv: Sequence[str] | None = None) -> int:
    """0 written, 1 the film cannot be read, 2 asked wrongly."""
    parser = argparse.ArgumentParser(
        prog="takhte transcribe", description="Read a match from a video and write .mat and JSON."
    )
    parser.add_argument(
        "video", type=Path, metavar="VIDEO", help="a video file, or a folder of pictures"
    )
    parser.add_argument("--ruleset", default="backgammon")
    parser.add_argument(
        "--start",
        metavar="POSITION-ID",
        help="what stands there first; default the start of the ruleset",
    )
    parser.add_argument(
        "--on-roll",
        choices=[c.value for c in Colour],
        help="whose turn is first; default whoever moves",
    )
    parser.add_argument("--presses", type=Path, metavar="FILE", help="times of the clock's presses")
    parser.add_argument(
        "--corners",
        type=_corners_of,
        metavar="X,Y,...",
        help="the field's corners in the picture, TL TR BR BL, when they are not found",
    )
    parser.add_argument(
        "--every",
        type=float,
        default=0.1,
        metavar="S",
        help="read at most one frame in so many seconds (default 0.1)",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    args = parser.parse_args(argv)
    on_roll = Colour(args.on_roll) if args.on_roll else None
    try:
        rules = ruleset(args.ruleset)
        start = None
        if args.start:
            start = read_position_id(
                args.start, rules, Side.BLACK if on_roll is Colour.DARK else Side.WHITE
            )
        presses = read_presses(args.presses) if args.presses else None
        found = transcribe(
            frames_of(args.video, args.every), rules, start, on_roll, presses, args.corners
        )
        written = write_transcript(found, args.video.name, args.out)
    except (FilmError, RulesetError, NotationError, OSError) as error:
        print(f"takhte transcribe: {error}", file=sys.stderr)
        return 1
    doubtful = sum(t.confidence < SURE for t in found.turns)
    for gap in found.unread:
        print(f"not read from {gap.began:.0f} to {gap.ended:.0f} s: {gap.why}")
    print(
        f"{len(found.turns)} plays, {doubtful} marked doubtful;"
        f" {', '.join(str(p) for p in written)}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
