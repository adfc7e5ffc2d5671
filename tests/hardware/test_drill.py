"""What a maker drills and cuts, read back from the files that he gets: every hole at its pad or
via, in millimetres, and the edge as large as the guides say.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
import sexpdata

from tests.hardware.test_pcb import PCB, Tree, branches

Hole = tuple[float, float, float]
"""Place and diameter, mm; y down."""
SIZES = {"quadrant": (276.0, 247.0), "main_board": (109.22, 107.95), "pico_board": (114.3, 107.95)}


def placed(part: Tree, pad: Tree) -> tuple[float, float]:
    """Where a part's pad lies on the board, mm."""
    x, y, *turn = map(float, branches(part, "at")[0][1:])
    dx, dy = map(float, branches(pad, "at")[0][1:3])
    for _ in range(round(sum(turn) / 90) % 4):
        dx, dy = dy, -dx
    return x + dx, y + dy


def wanted(board: str) -> Counter[Hole]:
    """The holes of a board, by its pads and vias."""
    tree = sexpdata.loads((PCB / f"{board}.kicad_pcb").read_text(encoding="utf-8"))
    found: Counter[Hole] = Counter()
    for via in branches(tree, "via"):
        x, y = map(float, branches(via, "at")[0][1:3])
        found[rounded(x, y, float(branches(via, "drill")[0][1]))] += 1
    for part in branches(tree, "footprint"):
        for pad in branches(part, "pad"):
            for drill in branches(pad, "drill"):
                found[rounded(*placed(part, pad), float(drill[1]))] += 1
    return found


def drilled(path: Path) -> Counter[Hole]:
    """The holes of a drill file, as its own words have them: a table of tools, then their places.

    Millimetres only, in decimals; anything else fails.
    """
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line[0] != ";"]
    assert lines[:3] == ["M48", "FMAT,2", "METRIC"], path
    found, tools, tool = Counter[Hole](), dict[str, float](), ""
    for line in lines[3:]:
        if size := re.fullmatch(r"T(\d+)C(\d+\.\d+)", line):
            tools[size[1]] = float(size[2])
        elif chosen := re.fullmatch(r"T(\d+)", line):
            tool = chosen[1]
        elif at := re.fullmatch(r"X(-?\d+\.\d+)Y(-?\d+\.\d+)", line):
            found[rounded(float(at[1]), -float(at[2]), tools[tool])] += 1
        else:
            assert line in ("%", "G90", "G05", "M30"), (path, line)
    return found


def rounded(*millimetres: float) -> Hole:
    """To a tenth: a drill file has thousandths, cut off."""
    x, y, size = (round(value + 1e-6, 1) + 0.0 for value in millimetres)
    return x, y, size


@pytest.mark.parametrize("board", SIZES)
def test_every_hole_is_drilled_where_its_pad_lies(board: str) -> None:
    files = [PCB / "gerbers" / f"{board}-{kind}.drl" for kind in ("PTH", "NPTH")]
    plated, bare = map(drilled, files)
    assert plated + bare == wanted(board)
    assert set(bare.values()) == {1}
    assert {size for _, _, size in bare} == {3.2}, "screws alone are not plated"


@pytest.mark.parametrize("board", SIZES)
def test_the_edge_is_as_large_as_the_board(board: str) -> None:
    text = (PCB / "gerbers" / f"{board}-Edge_Cuts.gbr").read_text(encoding="utf-8")
    assert "%FSLAX46Y46*%" in text and "%MOMM*%" in text, "millionths of a millimetre"
    places = re.findall(r"^X(-?\d+)Y(-?\d+)D0[12]\*$", text, re.MULTILINE)
    for axis, size in zip(zip(*places, strict=True), SIZES[board], strict=True):
        numbers = [int(value) / 1e6 for value in axis]
        assert max(numbers) - min(numbers) == pytest.approx(size)
