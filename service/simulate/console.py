"""`takhte simulate`: whole games without hardware, and what the referee made of them."""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rules.axes import RulesetError
from rules.board import Placement
from rules.observation import Source
from rules.position import Position
from rules.ruleset import Ruleset, catalogue, ruleset
from service.simulate.desk import PlainDesk, PlayedTable, SessionDesk
from service.simulate.evening_report import evening_table_text, figures_of
from service.simulate.game import LONGEST_TURNS, GamePlayed
from service.simulate.habit_table import HABIT_ROWS
from service.simulate.habits import PLAYERS
from service.simulate.noise import LEVELS, ConfusionsError, Pool, Sense, made_by, pools
from service.simulate.soak import GAMES_AN_EVENING, EveningSetting, Soak, play_evening
from service.simulate.tally import Tally
from service.simulate.told_game import TellingBook


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


def soak_of_games(setting: Setting, games: int, jobs: int) -> Tally:
    """So many single games, on so many processes; the figures do not depend on how many."""
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
    _how_many(parser)
    _what_is_played(parser)
    return parser


def _how_many(parser: argparse.ArgumentParser) -> None:
    """How many games, and where their figures go."""
    parser.add_argument("--games", type=int, default=20, help="how many games")
    parser.add_argument("--seed", type=int, default=1, help="same seed, same games")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes")
    parser.add_argument(
        "--shard",
        type=_shard,
        default=(1, 1),
        metavar="I/N",
        help="every N-th evening from the I-th",
    )
    parser.add_argument(
        "--resume",
        type=Path,
        metavar="DIR",
        help="keep what each evening counted there, and do not play again what lies there",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")


def _what_is_played(parser: argparse.ArgumentParser) -> None:
    """Rules, people and sensors."""
    parser.add_argument(
        "--camera", choices=(*LEVELS, "none"), default="club", help="how well the camera reads"
    )
    parser.add_argument(
        "--board",
        choices=(*LEVELS, "none"),
        default="club",
        help="how well the board's sensors read",
    )
    parser.add_argument(
        "--players", choices=sorted(PLAYERS), default="club", help="how people behave at the table"
    )
    parser.add_argument(
        "--ruleset", default="backgammon", help=f"one of {', '.join(sorted(catalogue()))}"
    )
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
        "--clock",
        choices=("ours", "none"),
        default="ours",
        help="turns end by a press, or by the dice that are taken up",
    )
    parser.add_argument(
        "--habits",
        metavar="NAMES",
        help="only these, with commas between; none for people who play by the book",
    )
    parser.add_argument(
        "--tell",
        type=_evening_and_game,
        metavar="EVENING.GAME",
        help="play one evening only, and tell this game of it turn by turn, truth beside record",
    )
    parser.add_argument(
        "--single",
        action="store_true",
        help="single games from a position that was set, each turn pressed, no cube, no opening",
    )
    parser.add_argument(
        "--plain",
        action="store_true",
        help="reconcile alone, without the referee: to find out which of the two erred",
    )


def _shard(text: str) -> tuple[int, int]:
    """`2/5` as (2, 5)."""
    mine, _, of = text.partition("/")
    try:
        found = int(mine), int(of)
    except ValueError:
        found = (0, 0)
    if not 1 <= found[0] <= found[1]:
        raise argparse.ArgumentTypeError(f"expected I/N with 1 <= I <= N, got {text!r}")
    return found


def _evening_and_game(text: str) -> tuple[int, int]:
    """`3.1` as (3, 1): evening and game, both counted from 0, as a soak's failures name them."""
    evening, _, game = text.partition(".")
    try:
        found = int(evening), int(game)
    except ValueError:
        found = (-1, -1)
    if found[0] < 0 or not 0 <= found[1] < GAMES_AN_EVENING:
        raise argparse.ArgumentTypeError(
            f"expected EVENING.GAME as the failures name them, the game below {GAMES_AN_EVENING},"
            f" such as 3.1; got {text!r}"
        )
    return found


def _habits(named: str | None) -> tuple[str, ...] | None:
    """The habits that people have, None for all. Raises ValueError."""
    if named is None:
        return None
    names = tuple(name for name in named.split(",") if name not in ("", "none"))
    unknown = sorted(set(names) - set(HABIT_ROWS))
    if unknown:
        raise ValueError(f"expected habits among {', '.join(HABIT_ROWS)}; got {', '.join(unknown)}")
    return names


def main(argv: Sequence[str] | None = None) -> int:
    """0 after the table is printed, whatever it says; 2 on a wrong argument."""
    args = _parser().parse_args(argv)
    try:
        if args.camera == args.board == "none":
            raise ValueError(
                "expected a camera or a board, got neither: a referee that sees nothing says"
                " nothing"
            )
        if args.tell is not None and _is_single(args):
            raise ValueError("expected --tell for a game of an evening, got it for single games")
        ruleset(args.ruleset)
        pools(args.confusions)
        total, table, figures = _single_games(args) if _is_single(args) else _evenings(args)
    except (RulesetError, ConfusionsError, ValueError, OSError) as error:
        print(f"takhte simulate: {error}", file=sys.stderr)
        return 2
    print(
        f"{args.ruleset}, camera {args.camera}, board {args.board}, {args.players} players, clock"
        f" {args.clock}, seed {args.seed}"
    )
    made = made_by(args.confusions)
    print(
        f"camera readings: {made.get('camera', 'unknown')}; of tall piles and the bar:"
        f" {made.get('rare', 'none of their own')}; board readings: {made.get('board', 'unknown')}"
    )
    print(table)
    for line in total.failures[:40]:
        print(f"  {line}")
    if args.json is not None:
        args.json.write_text(
            json.dumps({"setting": {k: str(v) for k, v in vars(args).items()}, **figures}, indent=1)
            + "\n"
        )
    return 0


def _is_single(args: argparse.Namespace) -> bool:
    """Whether single games are asked for; without a referee, or with pixels, nothing else is."""
    return bool(args.single or args.plain or args.pixels)


def _single_games(args: argparse.Namespace) -> tuple[Tally, str, Mapping[str, object]]:
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
    total = soak_of_games(setting, args.games, args.jobs)
    return total, total.table(), total.figures()


def _evenings(args: argparse.Namespace) -> tuple[Tally, str, Mapping[str, object]]:
    setting = _evening_setting(args)
    if args.tell is not None:
        evening, game = args.tell
        books: list[TellingBook] = []

        def book(tally: Tally, rules: Ruleset) -> TellingBook:
            books.append(TellingBook(tally, rules, chosen=f"game {game}"))
            return books[-1]

        total = play_evening(setting, evening, GAMES_AN_EVENING, book)
        return total, "\n".join(books[0].story), figures_of(total)
    total = Soak(setting, args.games, args.jobs, args.shard, args.resume).run()
    return total, evening_table_text(total), figures_of(total)


def _evening_setting(args: argparse.Namespace) -> EveningSetting:
    """What the figures of these evenings depend on."""
    return EveningSetting(
        args.ruleset,
        args.seed,
        args.camera,
        args.board,
        args.players,
        args.clock,
        args.turns,
        args.confusions,
        _habits(args.habits),
    )


if __name__ == "__main__":
    raise SystemExit(main())
