"""Arguments of orders about the machine: which camera, which board, where its corners lie."""

from __future__ import annotations

from typing import Final

from service.referee.args import JsonArg, TextArg

CAMERA_SOURCE: Final = TextArg("source", "a number, device, address, file or none", True, 300)
BOARD_ADDRESS: Final = TextArg("address", "a port, auto, simulated or none", True, 300)
CORNERS: Final = JsonArg(
    "corners",
    "top left first and clockwise, in pixels",
    True,
    {
        "type": "array",
        "minItems": 4,
        "maxItems": 4,
        "items": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "number"}},
    },
)
SIZE: Final = JsonArg(
    "size",
    "[width, height] of that picture",
    True,
    {
        "type": "array",
        "minItems": 2,
        "maxItems": 2,
        "items": {"type": "integer", "minimum": 1, "maximum": 20_000},
    },
)
