"""Makes `service/reconcile/rates.toml`: how often a table goes on otherwise than by the book.

    takhte simulate --clock ours --seed 210000 --games 24 --json service/simulate/data/evenings.json
    python -m service.simulate.rates [--matches FOLDER ...]

What people may do at a club's table is counted in the truth of simulated evenings, and comes to as
much as `habit_table` says that they do of it; what they play, in matches that people played (.mat,
.xg). Matches that are not named are not counted again: their rows
are kept from the table that is there.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Final, NamedTuple

from rules.axes import Landing
from rules.game import Passed, Played
from rules.notation.errors import NotationError
from rules.notation.mat import read_mat
from rules.notation.record import MatchRecord
from rules.notation.xg import read_xg
from rules.play import plays
from rules.position import OFF_AT
from rules.race import is_race
from service.simulate.habit_table import HABIT_ROWS

EVENINGS: Final = Path(str(resources.files("service.simulate") / "data" / "evenings.json"))
TABLE: Final = Path(str(resources.files("service.reconcile") / "rates.toml"))

MISPLAYS: Final = (
    "pip_off",
    "one_die",
    "bar_forgotten",
    "backwards",
    "others_checker",
    "other_misplay",
)


class Row(NamedTuple):
    """One rate: `often` of so many (`of`), `what` is counted and of what, and in what (`where`)."""

    often: float
    of: int
    what: str
    where: str


class _Counted(NamedTuple):
    """How a rate is counted in evenings: all `habits` together, of what (`per`)."""

    habits: tuple[str, ...]
    per: str
    what: str


_OF_EVENINGS: Final[Mapping[str, _Counted]] = {
    "changed": _Counted(
        ("changed_after", "opponent_notices", "puts_right"),
        "turns",
        "turns after which another play came to stand",
    ),
    "out_of_turn": _Counted(
        ("played_out_of_turn",), "turns", "turns before which the other side played one"
    ),
    "unpressed": _Counted(
        ("forgotten_press", "pressed_early", "pressed_before_roll", "pressed_back"),
        "turns",
        "presses that are missing, or too many, by turns",
    ),
    "other_half": _Counted(
        ("wrong_half",), "throws", "throws that came to lie in the other half, or in both"
    ),
    "unseen_throw": _Counted(
        ("dice_hidden", "dice_stacked", "dark", "over_exposed", "frozen"),
        "turns",
        "turns in which a camera that was there saw one die, or none: hidden, or no light",
    ),
    "skipped_throw": _Counted(
        ("agreed_rethrow", "out_of_turn"), "throws", "throws that lay there and were not played"
    ),
    "slip": _Counted(
        MISPLAYS,
        "turns, once for each kind",
        "turns that ended with one kind of slip, such as a point off or half a play",
    ),
    "other_roll": _Counted(
        ("dice_turned",),
        "turns",
        "turns in which a die came to show another face after it was read",
    ),
}


def of_evenings(
    turns: int, habits: Mapping[str, Mapping[str, int]], players: str
) -> dict[str, Row]:
    """The rates of what people of this level do at the table, by a soak's `turns` and how often
    there was an opportunity for each of its `habits`. Of these the habit's own rate is taken: how
    often it was done besides would only add that evening's luck.
    """
    often = {
        name: each["opportunities"] * HABIT_ROWS[name].rate(players)
        for name, each in habits.items()
    }
    many = {
        "turns": turns,
        "throws": habits["cocked"]["opportunities"],
        "turns, once for each kind": len(MISPLAYS) * turns,
    }
    return {
        name: Row(round(sum(often[h] for h in how.habits), 1), many[how.per], how.what, "evenings")
        for name, how in _OF_EVENINGS.items()
    }


def of_matches(records: Sequence[MatchRecord]) -> dict[str, Row]:
    """The rates of what people play, by matches that they played."""
    counts: Counter[str] = Counter()
    for record in records:
        for before, action, after in record.replay():
            game = before.game
            if after.game is not None and after.game.result and not (game and game.result):
                counts["given up"] += after.game.result.how != "played"
            if game is None or not isinstance(action, Played | Passed):
                continue
            counts["turns"] += 1
            held = game.placement.counts(action.side)
            counts["places"] += sum(n > 0 for n in held[1:])
            if game.roll is None or not isinstance(action, Played):
                continue
            position = game.position
            if position.ruleset.landing is Landing.CLAIM or is_race(position):
                found = plays(position, game.roll)
                off = {view[OFF_AT] for view in found.results}
                made = found.find(action.after)
                counts["races"] += len(off) > 1
                counts["fewer"] += made is not None and made.view[OFF_AT] < max(off)
    return {
        "new_game": Row(
            counts["given up"],
            counts["turns"],
            "turns after which a game was given up or a double dropped",
            "matches",
        ),
        "fewer_off": Row(
            counts["fewer"],
            counts["races"],
            "turns of a race in which fewer checkers were borne off than could be",
            "matches",
        ),
        "places": Row(
            counts["places"],
            counts["turns"],
            "places that the side on roll held, by turns",
            "matches",
        ),
    }


def records_in(folder: Path) -> Iterator[MatchRecord]:
    """Every match of a folder that can be read whole."""
    for file in sorted(folder.rglob("*")):
        try:
            if file.suffix == ".mat":
                yield read_mat(file.read_text("utf-8", "replace"))
            elif file.suffix == ".xg":
                yield read_xg(file.read_bytes())
        except NotationError as error:
            print(f"{file.name}: left out: {error}", file=sys.stderr)


def rates_as_toml(rows: Mapping[str, Row], evenings: str) -> str:
    """The table as TOML."""
    lines = [
        "# Made by `python -m service.simulate.rates`; never edited by hand.",
        "# evenings: what the opportunities come to, by the habits of `simulate`, in those of",
        f"# `{evenings}`.",
        "# matches: games that people played on servers and transcribed.",
    ]
    for name, row in sorted(rows.items()):
        lines += ["", f"[{name}]", f"often = {row.often}", f"of = {row.of}"]
        lines += [f'what = "{row.what}"', f'where = "{row.where}"']
    return "\n".join(lines) + "\n"


def command_of(setting: Mapping[str, str]) -> str:
    """The command by which a soak's figures were made."""
    return (
        f"takhte simulate --players {setting['players']} --clock {setting['clock']}"
        f" --seed {setting['seed']} --games {setting['games']}"
    )


def kept(text: str) -> dict[str, Row]:
    """The rows of matches in a table."""
    rows = {name: Row(**row) for name, row in tomllib.loads(text).items()}
    return {name: row for name, row in rows.items() if row.where == "matches"}


def main(argv: Sequence[str] | None = None) -> int:
    """0 after the table is written."""
    parser = argparse.ArgumentParser(prog="python -m service.simulate.rates", description=__doc__)
    parser.add_argument("--evenings", type=Path, default=EVENINGS, metavar="FILE")
    parser.add_argument("--matches", type=Path, nargs="*", default=[], metavar="FOLDER")
    parser.add_argument("-o", "--output", type=Path, default=TABLE)
    args = parser.parse_args(argv)
    figures = json.loads(args.evenings.read_text("utf-8"))
    records = [record for folder in args.matches for record in records_in(folder)]
    played = of_matches(records) if records else kept(args.output.read_text("utf-8"))
    rows = {
        **of_evenings(figures["turns"], figures["habits"], figures["setting"]["players"]),
        **played,
    }
    args.output.write_text(rates_as_toml(rows, command_of(figures["setting"])), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
