"""The quadrant board from its netlist: parts where board.toml wants the sensors, tracks in lanes,
ground on both sides; then KiCad's design rules, gerbers, drill file and pick-and-place. And with
these the main boards, whose parts `mega_layout` and `pico_layout` place.

`python layout.py FOLDER` with KiCad 6's own Python reads FOLDER/NAME.net and writes into it;
`make pcb` calls it. Seen from above with the rim at the bottom; millimetres, y down.
"""

from __future__ import annotations

import itertools
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pcbnew
import sexpdata
from pcbnew import B_Cu, F_Cu, wxPointMM

LIBRARY: Final = Path("/usr/share/kicad/footprints")
HARDWARE: Final = Path(__file__).resolve().parents[1]
THIN, WIDE = 0.25, 1.0
POINTS: Final = 6
LANES: Final = 195.0
"""From the rim to the first lane."""
RAIL: Final = 17.5
"""From the rim to the sensors' supply."""
DEPTH: Final = 247.0


class Board:
    """The board as it grows: nets by name, parts by reference."""

    def __init__(self, netlist: Path, path: Path) -> None:
        self.board = pcbnew.NewBoard(str(path))
        rules = self.board.GetDesignSettings()
        rules.SetCopperLayerCount(2)
        rules.m_TrackMinWidth = pcbnew.FromMM(0.2)
        rules.m_MinClearance = pcbnew.FromMM(0.2)
        self.nets: dict[str, pcbnew.NETINFO_ITEM] = {}
        self.wanted: dict[str, tuple[str, str]] = {}
        self.pads: dict[tuple[str, str], str] = {}
        self.own: dict[str, Callable[[pcbnew.BOARD], pcbnew.FOOTPRINT]] = {}
        """Footprints that no library has."""
        self._read(sexpdata.loads(netlist.read_text(encoding="utf-8")))

    def _read(self, tree: list) -> None:
        for part in _all(_one(tree, "components"), "comp"):
            ref = _one(part, "ref")[1]
            self.wanted[ref] = (_one(part, "value")[1], _one(part, "footprint")[1])
        for net in _all(_one(tree, "nets"), "net"):
            name = _one(net, "name")[1]
            self.nets[name] = pcbnew.NETINFO_ITEM(self.board, name)
            self.board.Add(self.nets[name])
            for node in _all(net, "node"):
                self.pads[_one(node, "ref")[1], _one(node, "pin")[1]] = name

    def put(
        self,
        ref: str,
        x: float,
        y: float,
        turn: float = 0.0,
        *,
        below: bool = False,
        named: bool = False,
    ) -> None:
        """A part of the netlist, its origin at a place; plugs go `below`, away from the skin."""
        value, footprint = self.wanted.pop(ref)
        library, name = footprint.split(":")
        part = (
            self.own[name](self.board)
            if name in self.own
            else pcbnew.FootprintLoad(str(LIBRARY / f"{library}.pretty"), name)
        )
        part.SetReference(ref)
        part.SetValue(value)
        self.board.Add(part)
        part.SetPosition(wxPointMM(x, y))
        if below:
            part.Flip(wxPointMM(x, y), False)
        part.SetOrientationDegrees(turn)
        part.Reference().SetVisible(named or ref.startswith("J") or ref in ("U31", "U32"))
        for pad in part.Pads():
            net = self.pads.get((ref, pad.GetNumber()))
            if net is not None:
                pad.SetNet(self.nets[net])

    def pad(self, ref: str, pin: int) -> tuple[float, float]:
        """Where a pad lies."""
        at = self.board.FindFootprintByReference(ref).FindPadByNumber(str(pin)).GetPosition()
        return pcbnew.ToMM(at.x), pcbnew.ToMM(at.y)

    def place(self, ref: str) -> tuple[float, float]:
        """Where a part lies."""
        at = self.board.FindFootprintByReference(ref).GetPosition()
        return pcbnew.ToMM(at.x), pcbnew.ToMM(at.y)

    def track(
        self, net: str, *ends: tuple[float, float], layer: int = F_Cu, width: float = THIN
    ) -> None:
        """A track through these places."""
        for one, other in itertools.pairwise(ends):
            line = pcbnew.PCB_TRACK(self.board)
            line.SetStart(wxPointMM(*one))
            line.SetEnd(wxPointMM(*other))
            line.SetWidth(pcbnew.FromMM(width))
            line.SetLayer(layer)
            line.SetNet(self.nets[net])
            self.board.Add(line)

    def via(self, net: str, x: float, y: float) -> None:
        """A plated hole between both sides."""
        hole = pcbnew.PCB_VIA(self.board)
        hole.SetPosition(wxPointMM(x, y))
        hole.SetDrill(pcbnew.FromMM(0.3))
        hole.SetWidth(pcbnew.FromMM(0.6))
        hole.SetNet(self.nets[net])
        self.board.Add(hole)

    def hole(self, x: float, y: float) -> None:
        """A hole for an M3 screw."""
        found = pcbnew.FootprintLoad(str(LIBRARY / "MountingHole.pretty"), "MountingHole_3.2mm_M3")
        self.board.Add(found)
        found.SetPosition(wxPointMM(x, y))
        found.Reference().SetVisible(False)
        found.Value().SetVisible(False)

    def ground(self, ref: str, pin: int, dx: float, dy: float) -> None:
        """A pad's own way to the ground of the other side."""
        x, y = self.pad(ref, pin)
        self.track("GND", (x, y), (x + dx, y + dy), width=0.4)
        self.via("GND", x + dx, y + dy)

    def lane(self, net: str, y: float, taps: list[float], width: float = THIN) -> None:
        """A horizontal track on the other side, with a via at each tap."""
        self.track(net, (min(taps), y), (max(taps), y), layer=B_Cu, width=width)
        for x in sorted(set(taps)):
            self.via(net, x, y)

    def outline(self, width: float, depth: float) -> None:
        """Its edge, and ground poured on both sides."""
        edge = pcbnew.PCB_SHAPE(self.board, pcbnew.SHAPE_T_RECT)
        edge.SetStart(wxPointMM(0, 0))
        edge.SetEnd(wxPointMM(width, depth))
        edge.SetLayer(pcbnew.Edge_Cuts)
        edge.SetWidth(pcbnew.FromMM(0.1))
        self.board.Add(edge)
        for layer in (F_Cu, B_Cu):
            zone = pcbnew.ZONE(self.board)
            zone.SetLayer(layer)
            zone.SetNet(self.nets["GND"])
            zone.SetLocalClearance(pcbnew.FromMM(0.3))
            corners = pcbnew.wxPoint_Vector()
            low, right, bottom = 0.5, width - 0.5, depth - 0.5
            for x, y in ((low, low), (right, low), (right, bottom), (low, bottom)):
                corners.append(wxPointMM(x, y))
            zone.AddPolygon(corners)
            self.board.Add(zone)
        pcbnew.ZONE_FILLER(self.board).Fill(self.board.Zones())


def _all(tree: list, name: str) -> list[list]:
    """The branches of a name."""
    return [
        branch for branch in tree if isinstance(branch, list) and branch[0] == sexpdata.Symbol(name)
    ]


def _one(tree: list, name: str) -> list:
    return _all(tree, name)[0]


def quadrant(board: Board, spec: dict, rows: tuple[float, float]) -> None:
    """Every part and track; `rows`: of the lights, from the rim."""
    import quadrant_lights

    pitch = spec["field"]["pitch"]
    first, step, slots = (spec["sensor"][key] for key in ("first", "step", "per_point"))
    lowest = DEPTH - LANES
    taps: dict[str, list[float]] = defaultdict(list)
    rail = DEPTH - RAIL
    columns = [pitch * (POINTS - point - 0.5) for point in range(POINTS)]
    for number in range(POINTS * slots):
        point, slot = divmod(number, slots)
        x, y = columns[point], DEPTH - first - step * slot
        _sensor(board, number + 1, x, y)
        out = x + 4 + (slots - 1 - slot)
        taps[f"H{number + 1}"].append(out)
    top = DEPTH - first - step * (slots - 1)
    for x in columns:
        board.track("5V", (x - 5, rail), (x - 5, top + 0.9375), width=WIDE)
    board.lane("5V", rail, [x - 5 for x in columns] + [columns[2] + 20], 2.0)
    for m in range(2):
        _multiplexer(board, m, (columns[3 * m] + columns[3 * m + 1]) / 2 + 2, lowest)
    board.put("J1", 140 + 5.08, lowest - 17.5, 90, below=True)
    _lanes(board, taps, columns, lowest)
    quadrant_lights.place(board, columns, DEPTH, rows)
    for x, y in ((6, 6), (270, 6), (6, DEPTH - 15), (270, DEPTH - 15)):
        board.hole(x, y)


def _sensor(board: Board, number: int, x: float, y: float) -> None:
    """One sensor with its capacitor, supply from the left."""
    board.put(f"U{number}", x, y, 90)
    board.put(f"C{number}", x - 3, y + 0.1625, 90)
    vcc = board.pad(f"U{number}", 1)
    board.track("5V", vcc, (x - 5, vcc[1]), width=0.4)
    board.ground(f"U{number}", 3, 0, -1.4)
    board.ground(f"C{number}", 2, 0, -1.4)


def _multiplexer(board: Board, m: int, x: float, lowest: float) -> None:
    """A multiplexer with its capacitor, its line's pull-down and its sixteenth channel."""
    y = lowest - 14 - 4.65
    board.put(f"U{31 + m}", x, y, 90)
    vcc = board.pad(f"U{31 + m}", 24)
    board.put(f"C{31 + m}", vcc[0] - 4, vcc[1], 180)
    board.track("5V", vcc, board.pad(f"C{31 + m}", 1), width=0.4)
    board.ground(f"C{31 + m}", 2, -1.4, 0)
    board.ground(f"U{31 + m}", 12, 1.8, 0)
    for ref, at in ((f"R{1 + m}", x - 11), (f"C{33 + m}", x - 14.5)):
        board.put(ref, at, lowest + 4)
        board.ground(ref, 2, 0, 1.6)
    board.put(f"J{2 + m}", x - 2.54, lowest - 46, 270, below=True)
    board.put(f"R{3 + m}", x + 8, lowest - 49)
    board.ground(f"R{3 + m}", 2, 0, -1.6)
    line = board.pad(f"J{2 + m}", 2)
    resistor = board.pad(f"R{3 + m}", 1)
    board.track(f"EXTRA_{'AB'[m]}", line, (line[0], resistor[1]), resistor)


def _lanes(board: Board, taps: dict[str, list[float]], columns: list[float], lowest: float) -> None:
    """Every connection that runs sideways: below the multiplexers and above them."""
    supply = lowest - 40
    heights: dict[str, float] = {}
    for m in range(2):
        side = "AB"[m]
        sig, extra = f"SIG_{side}", f"EXTRA_{side}"
        low = [sig, *(f"H{15 * m + 8 - k}" for k in range(8))]
        high = [*(f"H{15 * m + 15 - k}" for k in range(7))]
        heights |= {net: lowest - k for k, net in enumerate(low)}
        heights |= {net: lowest - 28 - k for k, net in enumerate(high)}
        heights[extra] = lowest - 28 - 10
    heights |= {"S0": lowest - 9, "S1": lowest - 10}
    heights |= {net: lowest - 35 - k for k, net in enumerate(("S2", "S3", "EN"))}
    heights["5V"] = supply
    for (ref, pin), net in sorted(board.pads.items()):
        if net not in heights or not (ref in ("J1", "U31", "U32") or _beside(ref, net)):
            continue
        x, y = board.pad(ref, int(pin))
        board.track(net, (x, y), (x, heights[net]), width=0.4 if net == "5V" else THIN)
        taps[net].append(x)
    for number in range(30):
        net, (x, y) = f"H{number + 1}", board.pad(f"U{number + 1}", 2)
        lane = taps[net][0]
        board.track(net, (x, y), (lane, y), (lane, heights[net]))
    feed = columns[2] + 20
    board.track("5V", (feed, DEPTH - RAIL), (feed, supply), width=WIDE)
    taps["5V"].append(feed)
    for net, y in heights.items():
        board.lane(net, y, taps[net], WIDE if net == "5V" else THIN)


def _beside(ref: str, net: str) -> bool:
    """Parts beside a multiplexer whose pads reach a lane straight."""
    line = net.startswith("SIG") and ref in ("R1", "R2", "C33", "C34")
    return line or (ref in ("J2", "J3") and (net == "5V" or net.startswith("EXTRA")))


def plot(board: pcbnew.BOARD, folder: Path, board_name: str) -> None:
    """Gerbers, drill file and pick-and-place, without their dates."""
    parts = sorted(board.GetFootprints(), key=lambda part: part.GetReference())
    placed = [part for part in parts if part.GetAttributes() & pcbnew.FP_SMD]
    controller = pcbnew.PLOT_CONTROLLER(board)
    options = controller.GetPlotOptions()
    options.SetOutputDirectory(str(folder))
    options.SetUseGerberProtelExtensions(False)
    options.SetCreateGerberJobFile(False)
    options.SetUseGerberX2format(False)
    options.SetIncludeGerberNetlistInfo(False)
    options.SetSubtractMaskFromSilk(True)
    for layer, name in (
        (F_Cu, "F_Cu"),
        (B_Cu, "B_Cu"),
        (pcbnew.F_Mask, "F_Mask"),
        (pcbnew.B_Mask, "B_Mask"),
        (pcbnew.F_Paste, "F_Paste"),
        (pcbnew.F_SilkS, "F_Silkscreen"),
        (pcbnew.B_SilkS, "B_Silkscreen"),
        (pcbnew.Edge_Cuts, "Edge_Cuts"),
    ):
        if layer == pcbnew.F_Paste and not placed:
            continue
        controller.SetLayer(layer)
        controller.OpenPlotfile(name, pcbnew.PLOT_FORMAT_GERBER, name)
        controller.PlotLayer()
    controller.ClosePlot()
    drill = pcbnew.EXCELLON_WRITER(board)
    drill.SetMapFileFormat(pcbnew.PLOT_FORMAT_GERBER)
    drill.SetOptions(False, False, pcbnew.wxPoint(0, 0), False)
    # Without it KiCad's Python writes hundredths of a millimetre under the word METRIC.
    drill.SetFormat(True)
    drill.CreateDrillandMapFilesSet(str(folder), True, False)
    for path in [*folder.glob(f"{board_name}-*.gbr"), *folder.glob(f"{board_name}-*.drl")]:
        text = path.read_text(encoding="utf-8")
        text = re.sub(r"(CreationDate,)[^*\n]*", r"\g<1>none", text)
        text = re.sub(r"(date )[^*\n]*", r"\g<1>none", text)
        path.write_text(text, encoding="utf-8")
    if not placed:
        return
    rows = ["Ref,Val,Package,PosX,PosY,Rot,Side"]
    for part in placed:
        at = part.GetPosition()
        rows.append(
            f"{part.GetReference()},{part.GetValue()},{part.GetFPID().GetLibItemName()},"
            f"{pcbnew.ToMM(at.x):.4f},{-pcbnew.ToMM(at.y):.4f},"
            f"{part.GetOrientationDegrees():.1f},top"
        )
    path = folder / f"{board_name}-pos.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def make(
    folder: Path, name: str, place: Callable[[Board], None], width: float, depth: float
) -> int:
    """One board, everything; the number of design-rule violations and unconnected items."""
    # KiCad draws its marks at random, and sorts by them: drawn from one seed, the same board gives
    # the same bytes.
    pcbnew.KIID.SeedGenerator(1)
    path = folder / f"{name}.kicad_pcb"
    board = Board(folder / f"{name}.net", path)
    place(board)
    assert not board.wanted, f"parts without a place: {sorted(board.wanted)}"
    board.outline(width, depth)
    board.board.SetFileName(str(path))
    pcbnew.SaveBoard(str(path), board.board)
    report = folder / f"{name}-drc.txt"
    pcbnew.WriteDRCReport(board.board, str(report), pcbnew.EDA_UNITS_MILLIMETRES, True)
    words = re.sub(r"\*\* Created on .* \*\*", "", report.read_text(encoding="utf-8"))
    report.write_text(words.replace(str(folder) + "/", ""), encoding="utf-8")
    (folder / "gerbers").mkdir(exist_ok=True)
    plot(board.board, folder / "gerbers", name)
    found = re.findall(r"Found (\d+) (?:DRC violations|unconnected pads)", words)
    print(f"{name}: KiCad {pcbnew.Version()}: {found[0]} violations, {found[1]} unconnected")
    return sum(map(int, found))


def main(folder: Path) -> int:
    """All three boards."""
    import mega_layout
    import pico_layout

    spec = tomllib.loads((HARDWARE / "board.toml").read_text(encoding="utf-8"))
    skin = tomllib.loads((HARDWARE / "mechanics.toml").read_text(encoding="utf-8"))["skin"]
    wide = POINTS * spec["field"]["pitch"]
    rim, inner = skin["led_rows"]
    wrong = make(folder, "quadrant", lambda board: quadrant(board, spec, (rim, inner)), wide, DEPTH)
    size = mega_layout.WIDTH, mega_layout.DEPTH
    wrong += make(folder, "main_board", mega_layout.main_board, *size)
    size = pico_layout.WIDTH, pico_layout.DEPTH
    return wrong + make(folder, "pico_board", pico_layout.pico_board, *size)


if __name__ == "__main__":
    # The main boards' modules use what is here under this module's own name.
    import layout

    sys.exit(layout.main(Path(sys.argv[1]).resolve()))
