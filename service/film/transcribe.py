"""`takhte transcribe VIDEO`: the plays of a filmed match, every doubtful one marked.  (E)

Three passes: the board is found and the way it lies is told from the position that it starts with;
each frame is read; the whole film is then explained at once (`service.reconcile.beam`) and written
as .mat and JSON: plays, the cube, and who won each game. What one camera cannot know (a cube out of
view, who gave a game up) is marked doubtful.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Final

from rules.axes import RulesetError
from rules.board import Colour, Corner, Placement, Seating, Side
from rules.notation.errors import NotationError
from rules.notation.ids import read_position_id
from rules.position import Position
from rules.ruleset import Ruleset, ruleset
from service.film.cubes import CubeWatcher
from service.film.errors import FilmError
from service.film.explain import explained
from service.film.frames import frames_of
from service.film.kept import KEPT, FilmRead, load_kept
from service.film.pictures import StillPictures
from service.film.stills import Watcher
from service.film.unread import unread_stretches
from service.film.written import (
    SURE,
    Transcript,
    read_corrections,
    read_ends,
    read_presses,
    told_game,
    write_transcript,
)
from vision.calibrate import BoardNotFound, find_board
from vision.frame import Frame
from vision.geometry import BoardMap
from vision.networks import Networks
from vision.reader import Eye, read_next, read_picture

SHOWN: Final = 20
"""Of the 24 points so many must be read as the game begins: a start that nothing contradicts is not
seen."""
TRIES: Final = 12
"""Frames in which the board is looked for before giving up."""


def transcribe(
    frames: Iterable[Frame],
    rules: Ruleset,
    start: Position | None = None,
    on_roll: Colour | None = None,
    presses: Sequence[float] | None = None,
    corners: list[list[float]] | None = None,
    length: int = 0,
) -> Transcript:
    """What a film holds.

    `start`: what stands there first (default the ruleset's start, White being the light side);
    `on_roll`: whose turn is first, default either; `presses`: when turns ended, s; `corners`: the
    field's corners in the picture, TL TR BR BL; `length` of the match, 0 a money session. Raises
    FilmError when there is no board to be read.
    """
    return explained(read_film(frames, rules, start, on_roll, presses, corners, length))


def read_film(
    frames: Iterable[Frame],
    rules: Ruleset,
    start: Position | None = None,
    on_roll: Colour | None = None,
    presses: Sequence[float] | None = None,
    corners: list[list[float]] | None = None,
    length: int = 0,
    began: Callable[[Frame], None] = lambda frame: None,
) -> FilmRead:
    """What is to be seen in a film, not yet explained; arguments and errors of `transcribe`.

    `began` is given the first frame of each still.
    """
    stream = iter(frames)
    first = start or Position.start(rules, Side.WHITE)
    networks = Networks()
    board_map, seating, kept = _find_board(stream, networks, first.placement, corners)
    eye = Eye.of(board_map, networks)
    observations, watcher, cubes = [], Watcher(), CubeWatcher()
    with ThreadPoolExecutor(1) as pool:
        for n, frame in enumerate(itertools.chain(kept, stream)):
            known = first.placement if n == 0 else None
            eye, seen = read_next(eye, frame, seating=seating, known=known, pool=pool)
            observations.append(seen)
            watcher.feed(seen)
            cubes.feed(seen)
            if watcher.began == seen.number:
                began(frame)
    stills, throws = watcher.finish()
    if not stills:
        raise FilmError(
            "expected frames with the board at rest, and there is none: hands or movement in every"
            " frame"
        )
    return FilmRead(
        rules,
        seating,
        first.placement,
        start is not None,
        on_roll,
        stills,
        throws,
        None if presses is None else tuple(presses),
        unread_stretches(observations),
        cubes.finish(),
        length,
    )


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
        shown = sum(p >= t for p, t in zip(likelihoods, tops, strict=True))
        if shown >= SHOWN and (best is None or against < best[0]):
            best = (against, seating)
    return best[1] if best is not None and best[0] < 40.0 else None


def _corners_of(text: str) -> list[list[float]]:
    """Four corners [x, y] of eight numbers with commas between. Raises ValueError."""
    numbers = [float(n) for n in text.replace(";", ",").split(",")]
    if len(numbers) != 8:
        raise ValueError
    return [[numbers[i], numbers[i + 1]] for i in range(0, 8, 2)]


def told(frames: Iterator[Frame], every: float = 60.0) -> Iterator[Frame]:
    """The same frames; each minute of film that was read is told on stderr."""
    next_at = every
    for frame in frames:
        if frame.seen_at >= next_at:
            print(f"takhte transcribe: read {frame.seen_at / 60:.0f} min", file=sys.stderr)
            next_at = frame.seen_at + every
        yield frame


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(
        prog="takhte transcribe", description="Read a match from a video and write .mat and JSON."
    )
    parser.add_argument(
        "video",
        type=Path,
        metavar="VIDEO",
        help=f"a video file, a folder of pictures, or the {KEPT} of a film that was read before",
    )
    parser.add_argument(
        "--corrections",
        type=Path,
        metavar="FILE",
        help="transcript.json put right by a person, or rows of its plays; the rest is read again",
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
    parser.add_argument(
        "--match",
        type=int,
        default=0,
        metavar="POINTS",
        help="points of the match, for score and Crawford game (default: a money session)",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """0 written, 1 the film cannot be read, 2 asked wrongly."""
    args = _options(argv)
    on_roll = Colour(args.on_roll) if args.on_roll else None
    try:
        rules = ruleset(args.ruleset)
        start = None
        if args.start:
            start = read_position_id(
                args.start, rules, Side.BLACK if on_roll is Colour.DARK else Side.WHITE
            )
        presses = read_presses(args.presses) if args.presses else None
        said = read_corrections(args.corrections) if args.corrections else ()
        ends = read_ends(args.corrections) if args.corrections else {}
        if args.video.suffix == ".npz":
            read = load_kept(args.video)
            read = replace(read, length=args.match or read.length)
        else:
            film = told(frames_of(args.video, args.every))
            began = StillPictures(args.out).keep
            read = read_film(film, rules, start, on_roll, presses, args.corners, args.match, began)
        found = explained(read, said, ends)
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
    for game in found.games:
        print(told_game(game, found.seating))
    return 0


if __name__ == "__main__":
    sys.exit(main())
