"""The quadrant's lights: two a point, on copper of their own; their ground does not meet the
sensors' on this board.
"""

from __future__ import annotations

from typing import Final

from layout import Board
from pcbnew import B_Cu

SUPPLY, GROUND = "5V_LED", "GND_LED"
POWER: Final = 1.5
THICK: Final = 0.5
UP, DOWN = -8.0, -11.0
"""From a point's middle to the data's way inwards, and to its way back to the next point's rim."""
EDGE: Final = (9.2, 11.2)
"""Where ground and supply run from the rim's lanes to the inner ones."""


def place(board: Board, columns: list[float], depth: float, rows: tuple[float, float]) -> None:
    """Every light with its capacitor, both plugs, and all their tracks."""
    rim, inner = depth - rows[0], depth - rows[1]
    outer = {SUPPLY: rim - 9, GROUND: rim - 6.5}
    upper = {SUPPLY: inner - 4.8, GROUND: inner - 7}
    taps: dict[str, list[float]] = {SUPPLY: [], GROUND: []}
    high: dict[str, list[float]] = {SUPPLY: [], GROUND: []}
    for k, x in enumerate(columns):
        _at_the_rim(board, 2 * k + 1, (x, rim), outer)
        _inside(board, 2 * k + 2, (x, inner), upper)
        taps[SUPPLY].append(x - 2.45)
        taps[GROUND].append(x)
        high[SUPPLY].append(x + 4.4)
        high[GROUND].append(x - 2.45)
    for net, edge in zip((GROUND, SUPPLY), EDGE, strict=True):
        board.lane(net, outer[net], taps[net], POWER)
        board.lane(net, upper[net], high[net], POWER)
        ways = (min(taps[net]), outer[net]), (edge, outer[net]), (edge, upper[net])
        board.track(net, *ways, (min(high[net]), upper[net]), layer=B_Cu, width=POWER)
    _data(board, columns)
    _plugs(board, outer, max(columns))


def _at_the_rim(board: Board, n: int, at: tuple[float, float], lanes: dict[str, float]) -> None:
    x, y = at
    board.put(f"D{n}", x, y)
    supply, ground = board.pad(f"D{n}", 1), board.pad(f"D{n}", 3)
    board.track(SUPPLY, supply, (supply[0], lanes[SUPPLY]), width=THICK)
    middle = [(ground[0], y), (x, y), (x, lanes[GROUND])]
    board.track(GROUND, ground, *middle, width=THICK)
    board.put(f"C{34 + n}", x - 1.2, y - 3.8)


def _inside(board: Board, n: int, at: tuple[float, float], lanes: dict[str, float]) -> None:
    x, y = at
    board.put(f"D{n}", x, y, 180)
    supply, ground = board.pad(f"D{n}", 1), board.pad(f"D{n}", 3)
    beside = x + 4.4
    board.track(SUPPLY, supply, (beside, supply[1]), (beside, lanes[SUPPLY]), width=THICK)
    board.track(GROUND, ground, (ground[0], lanes[GROUND]), width=THICK)
    board.put(f"C{34 + n}", x + 1, y - 4, 180)
    one, other = (board.pad(f"C{34 + n}", pin) for pin in (1, 2))
    board.track(SUPPLY, one, (beside, one[1]), width=THICK)
    board.track(GROUND, other, (ground[0], other[1]), width=THICK)


def _data(board: Board, columns: list[float]) -> None:
    """From the rim inwards, and back to the next point's rim."""
    for k, x in enumerate(columns):
        rim, inner = f"D{2 * k + 1}", f"D{2 * k + 2}"
        out, into = board.pad(rim, 2), board.pad(inner, 4)
        board.track(f"LED_{2 * k + 1}", out, (x + UP, out[1]), (x + UP, into[1]), into)
        if k + 1 < len(columns):
            out, into = board.pad(inner, 2), board.pad(f"D{2 * k + 3}", 4)
            middle = board.place(inner)[1]
            ways = (out[0], middle), (x + DOWN, middle), (x + DOWN, into[1])
            board.track(f"LED_{2 * k + 2}", out, *ways, into)


def _plugs(board: Board, lanes: dict[str, float], first: float) -> None:
    """In at the first point's rim, out at the last one's inner light; both from below."""
    x, y = first + 9, lanes[SUPPLY]
    board.put("J4", x, y, 180, below=True)
    board.track(SUPPLY, (x, y), (first - 2.45, y), layer=B_Cu, width=POWER)
    ways = (first + 5.5, lanes[GROUND]), (first + 5.5, y + 5.08), (x, y + 5.08)
    board.track(GROUND, (first, lanes[GROUND]), *ways, layer=B_Cu, width=POWER)
    into, data = board.pad("D1", 4), board.pad("J4", 2)
    board.track("LED_0", data, (first + 7, data[1]), (first + 7, into[1]), into)
    middle = board.place("D12")[1]
    board.put("J5", 4.5, middle - 1, 180, below=True)
    board.track(SUPPLY, (EDGE[1] + 0.4, middle - 1), (4.5, middle - 1), width=1.0)
    for beside in (-0.5, 0.4):
        board.via(SUPPLY, EDGE[1] + beside, middle - 1)
    out, data, ground = board.pad("D12", 2), board.pad("J5", 2), board.pad("J5", 3)
    board.track("LED_12", out, (out[0], middle), (7, middle), (7, data[1]), data)
    board.track(GROUND, ground, (EDGE[0], ground[1]), layer=B_Cu, width=POWER)
