"""Main boards whose parts are all soldered by hand from above: parts where a table wants them,
screw holes, names that can be read, and the tracks that `router` finds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import pcbnew
from layout import Board
from pcbnew import B_Cu, F_Cu, wxPointMM
from router import Router, Terminal

Places = dict[str, tuple[float, float, float]]
"""Part -> millimetres from the upper left corner, and how far it is turned."""
WIDTHS: Final = {
    "3V3_SENSORS": 1.2,
    "5V": 1.2,
    "5V_LED": 1.2,
    "5V_LOGIC": 0.8,
    "3V3_PICO": 0.5,
}
"""Millimetres of copper for what carries more than a signal."""
RIBBONS: Final = ("J1", "J2", "J3", "J4")


def solder(board: Board, places: Places, width: float, depth: float) -> None:
    """Every part, four holes in the corners, and every track but ground's."""
    for ref, (x, y, turn) in places.items():
        board.put(ref, x, y, turn, named=True)
        part = board.board.FindFootprintByReference(ref)
        if ref.startswith("R"):
            _name_on_body(part)
        elif ref.startswith("J") and ref not in RIBBONS:
            part.Value().SetLayer(pcbnew.F_SilkS)
            if turn == 90:
                _names_across(part)
    holes = [(4.0, 4.0), (width - 4, 4.0), (4.0, depth - 4), (width - 4, depth - 4)]
    for x, y in holes:
        board.hole(x, y)
    terminals = [Terminal(None, at, 2.0) for at in holes]
    for part in board.board.GetFootprints():
        for pad in part.Pads():
            at, size = pad.GetPosition(), pad.GetSize()
            net = pad.GetNetname() or None
            place = (pcbnew.ToMM(at.x), pcbnew.ToMM(at.y))
            terminals.append(Terminal(net, place, pcbnew.ToMM(max(size.x, size.y)) / 2))
    router = Router(round(width / 0.635), round(depth / 0.635), terminals, WIDTHS)
    for track in router.route(net for net in board.nets if net != "GND"):
        if track.layer is None:
            board.via(track.net, *track.one)
        else:
            layer = (F_Cu, B_Cu)[track.layer]
            board.track(track.net, track.one, track.other, layer=layer, width=track.width)


def socket(
    board: pcbnew.BOARD, name: str, pins: Iterable[tuple[int, float, float]], square: int
) -> pcbnew.FOOTPRINT:
    """A part of ours in rows of pins: their numbers and places, and the one that is square."""
    part = pcbnew.FOOTPRINT(board)
    part.SetFPID(pcbnew.LIB_ID("takhte", name))
    part.SetAttributes(pcbnew.FP_THROUGH_HOLE)
    for pin, x, y in pins:
        pad = pcbnew.PAD(part)
        pad.SetNumber(str(pin))
        pad.SetAttribute(pcbnew.PAD_ATTRIB_PTH)
        pad.SetShape(pcbnew.PAD_SHAPE_RECT if pin == square else pcbnew.PAD_SHAPE_CIRCLE)
        pad.SetLayerSet(pcbnew.PAD.PTHMask())
        pad.SetSize(pcbnew.wxSizeMM(1.7, 1.7))
        pad.SetDrillSize(pcbnew.wxSizeMM(1.0, 1.0))
        pad.SetPos0(wxPointMM(x, y))
        pad.SetPosition(wxPointMM(x, y))
        part.Add(pad)
    part.Value().SetLayer(pcbnew.F_Fab)
    return part


def frame(
    part: pcbnew.FOOTPRINT, one: tuple[float, float], other: tuple[float, float], layer: int
) -> None:
    """A rectangle of ink on a part of ours."""
    outline = pcbnew.FP_SHAPE(part, pcbnew.SHAPE_T_RECT)
    outline.SetStart0(wxPointMM(*one))
    outline.SetEnd0(wxPointMM(*other))
    outline.SetLayer(layer)
    outline.SetWidth(pcbnew.FromMM(0.15))
    outline.SetDrawCoord()
    part.Add(outline)


def _name_on_body(resistor: pcbnew.FOOTPRINT) -> None:
    """Its name where the resistor will lie: between two there is no room."""
    name = resistor.Reference()
    name.SetPos0(wxPointMM(3.81, 0))
    name.SetTextSize(pcbnew.wxSizeMM(0.9, 0.9))
    name.SetTextThickness(pcbnew.FromMM(0.15))
    name.SetDrawCoord()


def _names_across(plug: pcbnew.FOOTPRINT) -> None:
    """The names of a row that lies across, above and below it and to be read without turning."""
    middle = 2.54 * (plug.GetPadCount() - 1) / 2
    for text, away in ((plug.Reference(), 2.9), (plug.Value(), -2.9)):
        text.SetPos0(wxPointMM(away, middle))
        text.SetTextAngle(900)
        text.SetDrawCoord()
