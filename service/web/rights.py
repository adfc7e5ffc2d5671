"""Which right each route needs. A route that is not here is refused to everybody; a test walks them
all.

Keys are (method, path as declared). `WEBSOCKET` stands for the method of a socket. A path with
`{table}` is checked at that table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlette.routing import compile_path

from service.web.policy import Right

WEBSOCKET: Final = "WEBSOCKET"
_T: Final = "/api/v1/tables/{table}"

ROUTES: Final[Mapping[tuple[str, str], Right]] = {
    # pages: their frames hold nothing of a table; what they show comes from the routes below
    ("GET", "/"): Right.OPEN,
    ("GET", "/wall"): Right.OPEN,
    ("GET", "/sign-in"): Right.OPEN,
    ("GET", "/pair"): Right.OPEN,
    ("GET", "/docs"): Right.OPEN,
    ("GET", "/openapi.json"): Right.OPEN,
    ("GET", "/words/{code}.json"): Right.OPEN,
    ("GET", "/colours.css"): Right.OPEN,
    ("GET", "/manifest.json"): Right.OPEN,
    ("GET", "/worker.js"): Right.OPEN,
    ("GET", "/phone"): Right.OPEN,
    ("GET", "/authority.pem"): Right.OPEN,
    ("GET", "/camera"): Right.FILM,
    ("GET", "/clock"): Right.PRESS,
    ("GET", "/setup"): Right.PLAY,
    ("GET", "/arbiter"): Right.LIVE,
    ("GET", "/commentator"): Right.LIVE,
    ("GET", "/first-use"): Right.MANAGE,
    ("GET", "/sheet/{table}"): Right.READ,
    # matches that are over, as late as the public may know it
    ("GET", "/matches/{table}"): Right.READ,
    ("GET", "/dice/{table}"): Right.READ,
    ("GET", "/match/{table}/{number}"): Right.READ,
    ("GET", "/match/{table}/{number}/{step}"): Right.READ,
    ("GET", "/picture/{table}/{number}/{step}.svg"): Right.READ,
    ("GET", "/picture/{table}/{number}/{step}.png"): Right.READ,
    ("GET", "/embed/{table}/{number}/{step}"): Right.READ,
    ("GET", "/download/{table}/{number}.{ending}"): Right.READ,
    ("GET", "/report/{table}/{number}"): Right.READ,
    # a match put right after its end, beside the pictures that were evidence
    ("GET", "/amend"): Right.ARBITRATE,
    ("GET", "/amend/{table}/{number}"): Right.ARBITRATE,
    ("GET", "/amend-film/{film}"): Right.ARBITRATE,
    ("GET", "/api/v1/films/{film}/pictures/{frame}.jpg"): Right.ARBITRATE,
    **{
        (method, address + end): Right.ARBITRATE
        for address in (f"{_T}/matches/{{number}}/amend", "/api/v1/films/{film}/amend")
        for method, end in (
            *((method, "") for method in ("GET", "POST", "DELETE")),
            *(("GET", "/plays"), ("POST", "/seal"), ("GET", "/file.{ending}")),
        )
    },
    # who plays here: what a club knows of its people is no guest's
    ("GET", "/players"): Right.ARBITRATE,
    ("GET", "/players/{ident}"): Right.ARBITRATE,
    ("GET", "/api/v1/players"): Right.ARBITRATE,
    ("GET", "/api/v1/players/{ident}"): Right.ARBITRATE,
    ("PUT", "/api/v1/players/{ident}"): Right.ARBITRATE,
    ("DELETE", "/api/v1/players/{ident}"): Right.ARBITRATE,
    # on the air
    ("GET", "/overlay"): Right.OPEN,
    ("GET", "/themes/{name}.json"): Right.OPEN,
    ("GET", "/themes/pictures/{file}"): Right.OPEN,
    ("GET", "/overlay.json"): Right.READ,
    ("GET", "/state.txt"): Right.READ,
    ("GET", "/board.png"): Right.READ,
    ("GET", "/score.png"): Right.READ,
    ("GET", "/obs.json"): Right.OPEN,
    ("GET", "/api/v1/push"): Right.MANAGE,
    ("PUT", "/api/v1/push"): Right.MANAGE,
    ("GET", "/api/v1/webhooks"): Right.MANAGE,
    ("POST", "/api/v1/webhooks"): Right.MANAGE,
    ("DELETE", "/api/v1/webhooks/{ident}"): Right.MANAGE,
    ("POST", "/api/v1/webhooks/{ident}/ping"): Right.MANAGE,
    ("GET", "/api/v1/delays"): Right.LIVE,
    ("PUT", "/api/v1/delays/{feed}"): Right.MANAGE,
    # health
    ("GET", "/-/healthy"): Right.OPEN,
    ("GET", "/-/ready"): Right.OPEN,
    ("GET", "/metrics"): Right.LIVE,
    # who am I
    ("GET", "/api/v1/me"): Right.OPEN,
    ("POST", "/api/v1/sign-in"): Right.OPEN,
    ("POST", "/api/v1/sign-out"): Right.OPEN,
    ("POST", "/api/v1/pair"): Right.OPEN,
    ("POST", "/api/v1/knocks"): Right.OPEN,
    ("POST", "/api/v1/knocks/answer"): Right.OPEN,
    ("GET", "/api/v1/knocks"): Right.MANAGE,
    ("POST", "/api/v1/knocks/{ident}"): Right.MANAGE,
    ("GET", "/api/v1/phones/door"): Right.MANAGE,
    (WEBSOCKET, f"{_T}/phone-clock"): Right.PRESS,
    (WEBSOCKET, f"{_T}/phone-pictures"): Right.FILM,
    ("POST", "/api/v1/pairings"): Right.MANAGE,
    ("GET", "/api/v1/devices"): Right.MANAGE,
    ("DELETE", "/api/v1/devices/{ident}"): Right.MANAGE,
    ("GET", "/api/v1/accounts"): Right.MANAGE,
    ("PUT", "/api/v1/accounts/{name}"): Right.MANAGE,
    ("DELETE", "/api/v1/accounts/{name}"): Right.MANAGE,
    # what is public of a table, as the visitor's view allows
    ("GET", "/api/v1/schema/state-1.json"): Right.OPEN,
    ("GET", "/api/v1/rulesets"): Right.OPEN,
    ("GET", "/api/v1/tables"): Right.SCORE,
    ("GET", f"{_T}/state"): Right.SCORE,
    ("GET", f"{_T}/entries"): Right.READ,
    ("GET", f"{_T}/events"): Right.SCORE,
    (WEBSOCKET, f"{_T}/live"): Right.SCORE,
    ("GET", f"{_T}/stream.mjpg"): Right.READ,
    ("GET", f"{_T}/stream.jpg"): Right.READ,
    ("GET", f"{_T}/analysis"): Right.READ,
    ("GET", f"{_T}/matches"): Right.READ,
    # the table's own people
    ("POST", f"{_T}/orders"): Right.PRESS,
    ("GET", f"{_T}/legal-plays"): Right.PLAYS,
    ("GET", f"{_T}/proposal"): Right.PLAY,
    ("POST", f"{_T}/proposal"): Right.PLAY,
    ("GET", f"{_T}/stream"): Right.LIVE,
    # evidence
    ("GET", f"{_T}/entries/{{seq}}"): Right.LIVE,
    ("GET", f"{_T}/pictures/{{picture}}"): Right.PICTURES,
    ("GET", f"{_T}/camera.jpg"): Right.PICTURES,
    ("GET", f"{_T}/export.zip"): Right.LIVE,
    ("GET", f"{_T}/commentary"): Right.LIVE,
    ("POST", f"{_T}/note"): Right.LIVE,
    # hardware
    ("POST", f"{_T}/hardware/{{what}}"): Right.MANAGE,
}

OWN_PAGES: Final = (
    "/setup",
    "/amend",
    "/arbiter",
    "/commentator",
    "/first-use",
    "/hall",
    "/hall/boards",
    "/camera",
    "/clock",
)
OWN_TABLES: Final = frozenset(
    {
        *(("GET", page) for page in OWN_PAGES),
        *(("GET", f"/api/v1/hall/{what}") for what in ("boards", "commands", "refusals")),
    }
)
"""Routes that name no table and yet are open to officials of a few: pages, whose frames hold
nothing of a table, and lists that tell each visitor of his own tables alone. All others that name
none need the right at every table.
"""

ENDLESS: Final = ("/events", "/stream.mjpg")
"""How the addresses of feeds end that answer for as long as somebody listens."""

_PATTERNS: Final = [
    (compile_path(path)[0], method) for method, path in ROUTES if method != WEBSOCKET
]


def methods_of(path: str) -> list[str]:
    """Every method that an address takes, for `Allow`."""
    return sorted({method for pattern, method in _PATTERNS if pattern.fullmatch(path)})
