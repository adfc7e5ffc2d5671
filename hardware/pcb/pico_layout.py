"""The Pico's main board: where its parts lie; `router` finds the tracks. All parts are soldered by
hand from above; the Pico's USB plug looks over the upper edge, the ribbons leave below.
"""

from __future__ import annotations

from typing import Final

import pcbnew
from layout import Board
from pcbnew import B_Cu, F_Cu, wxPointMM
from router import Router, Terminal

WIDTH, DEPTH = 114.3, 107.95
HOLES: Final = ((4.0, 4.0), (WIDTH - 4, 4.0), (4.0, DEPTH - 4), (WIDTH - 4, DEPTH - 4))
PLACES: Final[dict[str, tuple[float, float, float]]] = {
    "A1": (45.72, 7.62, 0),
    **{f"R{1 + k}": (40.64, 12.7 + 3.81 * k, 180) for k in range(5)},
    **{f"R{7 + k}": (40.64, 31.75 + 3.81 * k, 180) for k in range(3)},
    **{f"R{23 + k}": (40.64, 43.18 + 3.81 * k, 180) for k in range(2)},
    "R6": (31.75, 64.77, 180),
    **{f"R{10 + k}": (34.29 + 3.81 * k, 86.36, 90) for k in range(8)},
    "R22": (20.32, 27.94, 180),
    "U1": (40.64, 72.39, 90),
    "U2": (12.7, 8.89, 0),
    "C1": (62.23, 66.04, 0),
    "C2": (14.605, 36.83, 0),
    "C3": (82.55, 66.04, 0),
    "C4": (25.4, 8.89, 0),
    "Q1": (20.32, 46.99, 0),
    "Q2": (20.32, 57.15, 0),
    **{f"J{1 + k}": (15.24 + 24.13 * k, 100.33, 90) for k in range(4)},
    "J5": (5.08, 11.43, 0),
    "J10": (5.08, 24.13, 0),
    "J6": (5.08, 45.72, 0),
    "J7": (5.08, 59.69, 0),
    "J11": (109.22, 11.43, 0),
    "J8": (109.22, 31.75, 0),
    "J9": (109.22, 46.99, 0),
    "J12": (109.22, 62.23, 0),
}
"""Millimetres from the upper left corner, and how far each is turned."""
WIDTHS: Final = {"3V3_SENSORS": 1.2, "5V_LED": 1.2, "5V_LOGIC": 0.8, "3V3_PICO": 0.5}


def pico_footprint(board: pcbnew.BOARD) -> pcbnew.FOOTPRINT:
    """Two rows of twenty holes 17.78 mm apart, pin 1 upper left and pin 40 beside it."""
    part = pcbnew.FOOTPRINT(board)
    part.SetFPID(pcbnew.LIB_ID("takhte", "pico"))
    part.SetAttributes(pcbnew.FP_THROUGH_HOLE)
    for pin in range(1, 41):
        x, y = (0, pin - 1) if pin <= 20 else (17.78, 40 - pin)
        pad = pcbnew.PAD(part)
        pad.SetNumber(str(pin))
        pad.SetAttribute(pcbnew.PAD_ATTRIB_PTH)
        pad.SetShape(pcbnew.PAD_SHAPE_RECT if pin == 1 else pcbnew.PAD_SHAPE_CIRCLE)
        pad.SetLayerSet(pcbnew.PAD.PTHMask())
        pad.SetSize(pcbnew.wxSizeMM(1.7, 1.7))
        pad.SetDrillSize(pcbnew.wxSizeMM(1.0, 1.0))
        pad.SetPos0(wxPointMM(x, 2.54 * y))
        pad.SetPosition(wxPointMM(x, 2.54 * y))
        part.Add(pad)
    outline = pcbnew.FP_SHAPE(part, pcbnew.SHAPE_T_RECT)
    # The Pico is 51 by 21 mm, its holes 1.37 mm from its upper edge and 1.61 from its sides.
    outline.SetStart0(wxPointMM(-1.61, -1.37))
    outline.SetEnd0(wxPointMM(17.78 + 1.61, 49.63))
    outline.SetLayer(pcbnew.F_SilkS)
    outline.SetWidth(pcbnew.FromMM(0.15))
    outline.SetDrawCoord()
    part.Add(outline)
    part.Reference().SetPosition(wxPointMM(8.89, 24))
    part.Value().SetLayer(pcbnew.F_Fab)
    return part


def _name_on_body(resistor: pcbnew.FOOTPRINT) -> None:
    """Its name where the resistor will lie: between two there is no room."""
    name = resistor.Reference()
    name.SetPos0(wxPointMM(3.81, 0))
    name.SetTextSize(pcbnew.wxSizeMM(0.9, 0.9))
    name.SetTextThickness(pcbnew.FromMM(0.15))
    name.SetDrawCoord()


def pico_board(board: Board) -> None:
    """Every part and track."""
    board.own["pico"] = pico_footprint
    for ref, (x, y, turn) in PLACES.items():
        board.put(ref, x, y, turn, named=True)
        part = board.board.FindFootprintByReference(ref)
        if ref.startswith("R"):
            _name_on_body(part)
        elif ref.startswith("J") and y < DEPTH - 20:
            part.Value().SetLayer(pcbnew.F_SilkS)
    for x, y in HOLES:
        board.hole(x, y)
    terminals = [Terminal(None, at, 2.0) for at in HOLES]
    for part in board.board.GetFootprints():
        for pad in part.Pads():
            at, size = pad.GetPosition(), pad.GetSize()
            net = pad.GetNetname() or None
            place = (pcbnew.ToMM(at.x), pcbnew.ToMM(at.y))
            terminals.append(Terminal(net, place, pcbnew.ToMM(max(size.x, size.y)) / 2))
    router = Router(round(WIDTH / 0.635), round(DEPTH / 0.635), terminals, WIDTHS)
    for track in router.route(net for net in board.nets if net != "GND"):
        if track.layer is None:
            board.via(track.net, *track.one)
        else:
            layer = (F_Cu, B_Cu)[track.layer]
            board.track(track.net, track.one, track.other, layer=layer, width=track.width)
