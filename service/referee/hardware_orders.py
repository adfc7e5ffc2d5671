"""The rows of the one table of orders that are about the machine: the table's own process carries
them out, not the referee.
"""

from __future__ import annotations

from typing import Final

from service.journal.entry import MANAGERS
from service.referee.args import ArgSchema, JsonArg, TextArg
from service.referee.order_spec import OrderSpec, Whose
from service.referee.state import Phase

CORNERS: Final[ArgSchema] = {
    "type": "array",
    "minItems": 4,
    "maxItems": 4,
    "items": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "number"}},
}
SIZE: Final[ArgSchema] = {
    "type": "array",
    "minItems": 2,
    "maxItems": 2,
    "items": {"type": "integer", "minimum": 1, "maximum": 20_000},
}

CAMERA_SOURCE: Final = TextArg("source", "a number, device, address, file, phone, none", True, 300)
BOARD_ADDRESS: Final = TextArg("address", "a port, auto, simulated or none", True, 300)
FIRMWARE: Final = TextArg(
    "firmware", "the one that came with takhte, or the one kept", True, 8, ("release", "kept")
)
FILM: Final = TextArg("do", "what the recording does", True, 8, ("pause", "play", "again"))


HARDWARE: Final = (
    OrderSpec(
        "use_camera",
        "Uses another camera from now on.",
        None,
        MANAGERS,
        Whose.ANYONE,
        args=(CAMERA_SOURCE,),
        afar=False,
        conduct="none: the hardware is the house's",
    ),
    OrderSpec(
        "use_board",
        "Uses another board from now on.",
        None,
        MANAGERS,
        Whose.ANYONE,
        args=(BOARD_ADDRESS,),
        afar=False,
        conduct="none: the hardware is the house's",
    ),
    OrderSpec(
        "update_board",
        "Writes a firmware to the board, which is away for a minute or two.",
        None,
        MANAGERS,
        Whose.ANYONE,
        phases=(Phase.IDLE, Phase.SETTING_UP, Phase.GAME_OVER, Phase.MATCH_OVER, Phase.FROZEN),
        when="no game in progress, or the match frozen",
        args=(FIRMWARE,),
        afar=False,
        conduct="none: the hardware is the house's",
    ),
    OrderSpec(
        "film",
        "Pauses the recording that a table plays, goes on with it, or begins it again.",
        None,
        MANAGERS,
        Whose.ANYONE,
        args=(FILM,),
        afar=False,
        conduct="none: a recording is no match",
    ),
    OrderSpec(
        "set_corners",
        "Says where the board's corners lie in the picture.",
        None,
        MANAGERS,
        Whose.ANYONE,
        args=(
            JsonArg("corners", "top left first and clockwise, in pixels", True, CORNERS),
            JsonArg("size", "[width, height] of that picture", True, SIZE),
        ),
        afar=False,
        conduct="none: the hardware is the house's",
    ),
)
