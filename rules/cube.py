"""The doubling cube as a value: what it shows, who owns it, and what may be done with it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rules.board import Side


class CubeError(ValueError):
    """What was asked of the cube is not allowed; the message says why, and what is."""


@dataclass(frozen=True, slots=True)
class Cube:
    """`value` is what a single game is worth now (1 while the cube shows 64 in the middle); `owner`
    None is centred.

    `limit` is the highest value (0: no cube in this game). `automatic` counts automatic doubles:
    they raise the value and leave the cube in the middle. `turned` tells whether a double was taken
    in this game, which the Jacoby rule asks.
    """

    value: int = 1
    owner: Side | None = None
    limit: int = 64
    automatic: int = 0
    turned: bool = False

    def may_offer(self, side: Side) -> bool:
        """Whether a side may offer by ownership and limit; whose turn it is and Crawford are for
        the game to ask.
        """
        return self.owner in (None, side) and self.value * 2 <= self.limit

    def why_not(self, side: Side) -> str:
        """Why `may_offer` is false, "" when it is true."""
        if not self.limit:
            return "this game is played without a cube"
        if self.owner not in (None, side):
            return (
                f"the cube belongs to {self.owner.value if self.owner else 'nobody'}; only its"
                " owner may redouble"
            )
        if self.value * 2 > self.limit:
            return f"the cube stands at {self.value} and its limit is {self.limit}"
        return ""

    def taken(self, taker: Side) -> Cube:
        """After a take: doubled, and the taker's. Raises CubeError beyond the limit."""
        if self.value * 2 > self.limit:
            raise CubeError(f"the cube stands at {self.value} and its limit is {self.limit}")
        return replace(self, value=self.value * 2, owner=taker, turned=True)

    def doubled_automatically(self) -> Cube:
        """After equal dice in the opening. At the limit nothing changes."""
        if self.value * 2 > self.limit:
            return self
        return replace(self, value=self.value * 2, automatic=self.automatic + 1)

    @property
    def shows(self) -> int:
        """The face upwards: 64 stands for 1."""
        return 64 if self.value == 1 else self.value
