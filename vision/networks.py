"""All networks of the room as one value: made once by whoever owns the reading, and passed in."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path

from vision.checkers import CheckerNetwork
from vision.corners import CornerNetwork
from vision.dice.dice import DiceReader
from vision.dice.find import DiceFinder
from vision.dice.number import CubeNetwork
from vision.finder import BoardFinder
from vision.network import SHIPPED
from vision.orientation import OrientationNetwork
from vision.piles import PileNetwork
from vision.trays import TrayNetwork
from vision.whole_field import FieldNetwork


class Networks:
    """The weights of a folder, each loaded and compared with its columns when it is first asked
    for, which raises WeightsError where they disagree. One value serves one thread at a time.
    """

    def __init__(self, folder: Path = SHIPPED, temperature: float = 1.0) -> None:
        """`temperature`: by how much less sure than usual of checkers, as one table taught."""
        self.folder, self.temperature = folder, temperature

    @functools.cached_property
    def finder(self) -> BoardFinder:
        """Where in the picture a board is."""
        return BoardFinder.load(self.folder)

    @functools.cached_property
    def field(self) -> FieldNetwork:
        """Where all its corners are, hidden ones too, about."""
        return FieldNetwork.load(self.folder)

    @functools.cached_property
    def corners(self) -> CornerNetwork:
        """Where exactly its corners are."""
        return CornerNetwork.load(self.folder)

    @functools.cached_property
    def orientation(self) -> OrientationNetwork:
        """Which way round it lies, by how the sets stand."""
        return OrientationNetwork.load(self.folder)

    @functools.cached_property
    def checkers(self) -> CheckerNetwork:
        """What stands on points and bar."""
        found = CheckerNetwork.load(self.folder)
        warmer = found.numbers.temperature * self.temperature
        return replace(found, numbers=replace(found.numbers, temperature=warmer))

    @functools.cached_property
    def piles(self) -> PileNetwork:
        """How high a pile is."""
        return PileNetwork.load(self.folder)

    @functools.cached_property
    def trays(self) -> TrayNetwork:
        """How many checkers lie beside the board."""
        return TrayNetwork.load(self.folder)

    @functools.cached_property
    def dice_finder(self) -> DiceFinder:
        """Where dice and cubes may be."""
        return DiceFinder.load(self.folder)

    @functools.cached_property
    def dice_reader(self) -> DiceReader:
        """What they are, how they lie and what a die shows."""
        return DiceReader.load(self.folder)

    @functools.cached_property
    def cube(self) -> CubeNetwork:
        """What a cube shows."""
        return CubeNetwork.load(self.folder)
