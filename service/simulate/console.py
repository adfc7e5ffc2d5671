"""`takhte simulate`: whole games without hardware, and what the referee made of them."""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rules.axes import RulesetError
from rules.board import Placement
from rules.observation import Source
from rules.position import Position
from rules.ruleset import Ruleset, catalogue, ruleset
from service.simulate.desk import PlainDesk, PlayedTable, SessionDesk
from service.simulate.game import LONGEST_TURNS, GamePlayed
from service.simulate.habits import PLAYERS
from service.simulate.noise import LEVELS, ConfusionsError, Pool, Sense, made_by, pools
from service.simulate.tally import Tally


@dataclass(frozen=True)
class Setting:
    """Everything that a soak's figures depend on."""

    ruleset: str
    seed: int
    camera: str
    board: str
    players: str
    confusions: Path | None
    plain: bool = False
    """Reconcile alone, without the referee."""
    longest: int = LONGEST_TURNS
    pixels: bool = False
    """The real reader and the real link instead of the pools."""


def play_one(setting: Setting, number: int) -> Tally:
    """One game; the same setting and number give the same game anywhere."""
    tally = Tally()
    chosen = (setting.seed, setting.ruleset, setting.camera, setting.board, setting.players, number)
    rng = random.Random("/".join(str(each) for each in chosen))
    found = pools(setting.confusions)
    senses: dict[Source, Sense] = {}
    for source, kind, level in (
        (Source.CAMERA, "camera", setting.camera),
        (Source.SENSORS, "board", setting.board),
    ):
        if level != "none":
            senses[source] = _sense(
                found[kind, level], random.Random(rng.random()), level, setting.pixels
            )

    def make_desk(position: Position, now: float) -> PlayedTable:
        return PlainDesk(position, now) if setting.plain else SessionDesk(position, now, remember)

    def remember(placement: Placement | None) -> None:
        if Source.SENSORS in senses:
            senses[Source.SENSORS].remember(placement)

    rules: Ruleset = ruleset(setting.ruleset)
    GamePlayed(
        rules,
        PLAYERS[setting.players],
        rng,
        senses,
        make_desk,
        tally,
        f"game {number}",
        setting.longest,
    ).play()
    return tally


def _sense(pool: Pool, rng: random.Random, level: str, pixels: bool) -> Sense:
    """One source of a game: drawn from its pool, or the real reader or link on simulated input."""
    if not pixels:
        return Sense(pool, rng)
    # Vision and the bridge are loaded only where they are played through.
    from service.simulate.pixels import FirmwareBoard, PaintedCamera

    return (
        PaintedCamera(pool, rng, level)
        if pool.source is Source.CAMERA
        else FirmwareBoard(pool, rng, level)
    )


def soak(setting: Setting, games: int, jobs: int) -> Tally:
    """So many games, on so many processes; the figures do not depend on how many."""
    total = Tally()
    if jobs == 1:
        for number in range(games):
            total.merge(play_one(setting, number))
    else:
        with ProcessPoolExecutor(jobs) as pool:
            for tally in pool.map(
                play_one, [setting] * games, range(games), chunksize=max(1, min(10, games // jobs))
            ):
                total.merge(tally)
    return total


def _parser() -> argparse.ArgumentParser:
    """The arguments of `takhte simulate`."""
    parser = argparse.ArgumentParser(prog="takhte simulate", description=__doc__)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--camera", choices=(*LEVELS, "none"), default="club")
    parser.add_argument("--board", choices=(*LEVELS, "none"), default="club")
    parser.add_argument("--players", choices=sorted(PLAYERS), default="club")
    parser.add_argument(
        "--ruleset", default="backgammon", help=f"one of {', '.join(sorted(catalogue()))}"
    )
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes")
    parser.add_argument(
        "--confusions", type=Path, help="another file of measured readings than the one that ships"
    )
    parser.add_argument(
        "--turns", type=int, default=LONGEST_TURNS, help="at most so many turns a game"
    )
    parser.add_argument(
        "--pixels",
        action="store_true",
        help="the real reader on painted frames and the real link on a simulated board's bytes",
    )
    parser.add_argument(
        "--plain",
        action="store_true",
        help="reconcile alone, without the referee: to find out which of the two erred",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """0 after the table is printed, whatever it says; 2 on a wrong argument."""
    args = _parser().parse_args(argv)
    setting = Setting(
        args.ruleset,
        args.seed,
        args.camera,
        args.board,
        args.players,
        args.confusions,
        args.plain,
        args.turns,
        args.pixels,
    )
    try:
        if args.camera == args.board == "none":
            raise ValueError(
                "expected a camera or a board, got neither: a referee that sees nothing says"
                " nothing"
            )
        ruleset(args.ruleset)
        pools(args.confusions)
        total = soak(setting, args.games, args.jobs)
    except (RulesetError, ConfusionsError, ValueError, OSError) as error:
        print(f"takhte simulate: {error}", file=sys.stderr)
        return 2
    print(
        f"{args.ruleset}, camera {args.camera}, board {args.board}, {args.players} players, seed"
        f" {args.seed}"
    )
    made = made_by(args.confusions)
    print(
        f"camera readings: {made.get('camera', 'unknown')}; board readings:"
        f" {made.get('board', 'unknown')}"
    )
    print(total.table())
    for line in total.failures[:40]:
        print(f"  {line}")
    if args.json is not None:
        args.json.write_text(
            json.dumps(
                {"setting": {k: str(v) for k, v in vars(args).items()}, **total.figures()}, indent=1
            )
            + "\n"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
