"""`takhte rulesets [NAME] [--file FILE]`: the rulesets there are, or every axis of one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from rules.axes import AXES, SHORT, RulesetError, written
from rules.ruleset import Ruleset, catalogue, load_rulesets


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="takhte rulesets", description="List the rulesets, or every axis of one."
    )
    parser.add_argument("name", nargs="?", help="the ruleset to show whole")
    parser.add_argument("--file", type=Path, help="a club's own rulesets beside the built-in ones")
    asked = parser.parse_args(words)
    known: Mapping[str, Ruleset] = catalogue()
    try:
        if asked.file is not None:
            known = {
                **known,
                **load_rulesets(asked.file.read_text(encoding="utf-8"), str(asked.file)),
            }
    except (OSError, UnicodeDecodeError, RulesetError) as error:
        print(f"takhte rulesets: {error}", file=sys.stderr)
        return 1
    if asked.name is None:
        for line in listed(known):
            print(line)
        return 0
    if asked.name not in known:
        print(
            f"takhte rulesets: there is no ruleset {asked.name!r}; there are {', '.join(known)}",
            file=sys.stderr,
        )
        return 1
    for axis, value in axes_of(known[asked.name]).items():
        print(f"{axis} = {value}")
    return 0


def listed(known: Mapping[str, Ruleset]) -> list[str]:
    """A line a ruleset with its titles, and under it where it differs from the first."""
    usual = axes_of(next(iter(known.values())))
    lines = []
    for name, rules in known.items():
        lines.append(f"{name:18} {' · '.join(rules.titles().values())}")
        differs = [
            f"{axis} = {value}"
            for axis, value in axes_of(rules).items()
            if value != usual[axis] and axis not in ("title", "starts")
        ]
        lines += [f"    {text}" for text in differs]
    return lines


def axes_of(rules: Ruleset) -> dict[str, str]:
    """Every axis as a file would say it."""
    return {
        key: written(key, getattr(rules, axis.field))
        for key, axis in AXES.items()
        if key not in SHORT
    }
