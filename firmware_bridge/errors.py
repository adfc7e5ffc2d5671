"""Everything that can go wrong at this bridge: we erred, they erred, or the board is gone."""

from __future__ import annotations


class BridgeError(Exception):
    """The root. Each message says what was expected, what came, and what to do next."""


class MisuseError(BridgeError, ValueError):
    """We erred: a caller asked for what cannot be, as a light that the board lacks."""


class WireError(BridgeError):
    """They erred: what came over the wire cannot be believed."""


class DamagedFrame(WireError):  # noqa: N818
    """A wire frame whose checksum, stuffing or length is wrong."""


class UnknownMessage(WireError):  # noqa: N818
    """A whole frame of a type or shape that this version does not know."""


class NotOurBoard(WireError):  # noqa: N818
    """What answers at this address (or does not) is no takhte board, or one of another protocol."""


class BoardLost(BridgeError, OSError):  # noqa: N818
    """The port is gone: cable pulled, board unpowered, or another program has it."""


class UpdateError(BridgeError):
    """The firmware was not written, or what was written does not answer. `code` stays the same for
    whoever has words of his own; the message is the console's.
    """

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


class CalibrationError(BridgeError, ValueError):
    """A calibration that is damaged, of another board, or that the measured values do not allow."""


class BoardFileError(BridgeError, ValueError):
    """A board.toml that does not describe a board."""


class NoGpio(BridgeError, OSError):  # noqa: N818
    """This machine has no pins to drive."""
