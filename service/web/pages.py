"""The pages: frames rendered here in the visitor's language, filled by scripts from the API. (E)"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import jinja2
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse
from markupsafe import Markup

from rules.observation import source_labels
from rules.words import Language, languages
from service.journal.entry import Role
from service.show.document import StateDocument
from service.web.authority import visitor_of
from service.web.desk import Desk
from service.web.docs_page import operations
from service.web.guard import asked_as_loopback
from service.web.policy import GUEST, Visitor
from service.web.words import choose_language

router = APIRouter(include_in_schema=False)
LANGUAGE_COOKIE: Final = "takhte-language"
_HERE: Final = Path(__file__).parent
_ENVIRONMENT: Final = jinja2.Environment(
    loader=jinja2.FileSystemLoader(_HERE / "templates"),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
Lang = Annotated[str | None, Query(max_length=8)]


def language_of(request: Request, wanted: str | None = None) -> Language:
    cookie = request.cookies.get(LANGUAGE_COOKIE)
    return choose_language(
        wanted or cookie,
        request.headers.get("accept-language", ""),
        request.app.state.config.language,
    )


def page_json(data: object) -> Markup:
    """JSON that is safe inside a data block of a page."""
    return Markup(  # noqa: S704
        json.dumps(data, ensure_ascii=False).replace("<", "\\u003c").replace("&", "\\u0026")
    )


def table_asked(request: Request, wanted: str = "") -> str:
    """The table that a page is about: the wanted one, the one in the address, else the first."""
    desks, own = request.app.state.desks, request.app.state.config.name
    table = wanted or request.query_params.get("table") or own
    return table if table in desks else next(iter(desks), own)


def page_text(template: str, language: Language, context: object, **values: object) -> str:
    """A page's source in a language; `context` is what its scripts are told."""
    return _ENVIRONMENT.get_template(template).render(
        _=language.say,
        language=language,
        languages=languages().values(),
        context=page_json(context),
        **values,
    )


def render_page(
    request: Request, template: str, lang: str | None = None, **values: object
) -> HTMLResponse:
    """A page in the visitor's language; choosing one by `?lang=` is remembered.

    A wall shows what a guest may see, whoever opened it: many eyes look at it.
    """
    visitor = GUEST if values.get("wall") else visitor_of(request)
    language = language_of(request, lang)
    shown = values.pop("table", None)
    table = table_asked(request, str(shown or ""))
    context = {
        "table": table,
        "tables": list(request.app.state.desks),
        "language": language.code,
        "digits": language.digits,
        "me": {
            "name": visitor.name,
            "role": visitor.role.value,
            "side": visitor.side,
            "view": visitor.view_at(table),
        },
        "orders": visitor.orders(table),
        "hall": hasattr(request.app.state, "hall"),
        "sources": {name: language.say(label) for name, label in source_labels().items()},
        **({"screen": values.pop("screen"), "shown": shown} if "screen" in values else {}),
    }
    page = page_text(
        template,
        language,
        context,
        visitor=visitor,
        table=table,
        path=request.url.path,
        hall=hasattr(request.app.state, "hall"),
        own_screen=_own_screen(request, visitor_of(request)),
        secured=secured_page(request),
        **values,
    )
    response = HTMLResponse(
        page, headers={"content-language": language.code, "vary": "cookie, accept-language"}
    )
    if lang and lang == language.code:
        response.set_cookie(LANGUAGE_COOKIE, lang, max_age=365 * 86400, samesite="strict")
    return response


def _own_screen(request: Request, visitor: Visitor) -> str:
    """Where the machine's own screen finds this page with the console's rights; "" for visitors who
    have rights already or whose browser is seen to be elsewhere, and on a wall, which nobody uses.

    Somebody behind a tunnel may be shown it too: it then leads to his own
    machine, where nothing is.
    """
    port = request.app.state.config.console_port
    path = request.url.path
    if path == "/wall" or not port or visitor.role is not Role.GUEST:
        return ""
    if not asked_as_loopback(request.scope):
        return ""
    return f"http://127.0.0.1:{port}{path}"


@dataclass(frozen=True, slots=True)
class SecuredPage:
    """Where this page is to be had behind TLS, and whether its certificate is one that no browser
    knows.
    """

    address: str
    unknown: bool


def secured_page(request: Request) -> SecuredPage | None:
    """What a visitor who came in plain over the network should rather open; None where he need not,
    where there is none, and behind a proxy, which has a certificate of its own.
    """
    config = request.app.state.config
    if not request.app.state.behind_tls or config.proxies or request.url.scheme == "https":
        return None
    if asked_as_loopback(request.scope):
        return None
    there = request.url.replace(scheme="https", port=config.https_port)
    return SecuredPage(str(there), config.certificate.authority is not None)


@router.get("/")
async def table_page(request: Request, lang: Lang = None) -> HTMLResponse:
    return render_table(request, lang, wall=False)


@router.get("/wall")
async def wall_page(request: Request, lang: Lang = None) -> HTMLResponse:
    return render_table(request, lang, wall=True)


def render_table(request: Request, lang: str | None, *, wall: bool) -> HTMLResponse:
    """The table's page, with what the table shows now in it: it stands at once, and nothing moves
    when the feed begins.
    """
    desks: Mapping[str, Desk] = request.app.state.desks
    desk = desks.get(table_asked(request))
    view = visitor_of(request).feed_at(table_asked(request), "public" if wall else None)
    first = desk.document(view) if desk else None
    camera = view == "staff" and first is not None and has_camera(first)
    return render_page(
        request,
        "table.html",
        lang,
        wall=wall,
        first=page_json(first),
        camera=camera,
        film=first.get("film") if camera and first is not None else None,
    )


def has_camera(document: StateDocument) -> bool:
    """Whether the table of this document has a camera."""
    camera = document["sources"].get("camera")
    return camera is not None and camera["state"] != "absent"


@router.get("/setup")
async def setup_page(request: Request, lang: Lang = None) -> HTMLResponse:
    return render_page(request, "setup.html", lang)


@router.get("/arbiter")
async def arbiter_page(request: Request, lang: Lang = None) -> HTMLResponse:
    return render_page(request, "arbiter.html", lang)


@router.get("/first-use")
async def first_use_page(request: Request, lang: Lang = None) -> HTMLResponse:
    """Only what this table has: without a camera no corners, without a board of its own no lamps,
    sensors or buttons.
    """
    desk = request.app.state.desks.get(table_asked(request))
    known = desk.live["sources"] if desk is not None and desk.live is not None else {}
    board = "board" in known and known["board"]["state"] != "absent"
    camera = "camera" in known and known["camera"]["state"] != "absent"
    return render_page(request, "first_use.html", lang, board=board, camera=camera)


@router.get("/sheet/{table}")
async def sheet_page(request: Request, table: str, lang: Lang = None) -> HTMLResponse:
    return render_page(request, "sheet.html", lang, table=table)


@router.get("/sign-in", response_model=None)
async def sign_in_page(request: Request, lang: Lang = None) -> HTMLResponse | RedirectResponse:
    secured = secured_page(request)
    if secured is not None and not secured.unknown:
        return RedirectResponse(secured.address, 307)
    return render_page(request, "sign_in.html", lang, refused="")


@router.get("/pair", response_model=None)
async def pair_page(
    request: Request, code: Annotated[str, Query(max_length=12)] = "", lang: Lang = None
) -> HTMLResponse | RedirectResponse:
    if visitor_of(request).role not in (Role.GUEST, Role.CONSOLE) and not code:
        return RedirectResponse("/", 303)
    return render_page(
        request, "pair.html", lang, code=code if re.fullmatch(r"[0-9A-Za-z-]{0,12}", code) else ""
    )


@router.get("/docs")
async def docs_page(request: Request, lang: Lang = None) -> HTMLResponse:
    return render_page(
        request,
        "docs.html",
        lang,
        groups=operations(request.app.openapi()),
    )


@router.get("/words/{code}.json")
async def words_for_scripts(request: Request, code: str) -> Response:
    """The catalogue of a language for the scripts:

    English to it; empty for English and unknown languages.
    """
    known = languages().get(code)
    body = json.dumps(
        dict(known.messages) if known else {}, ensure_ascii=False, separators=(",", ":")
    )
    return Response(body, media_type="application/json", headers={"cache-control": "max-age=300"})


@router.get("/colours.css")
async def colours(request: Request) -> Response:
    """The club's own board colours, from `colours.json` in the data folder: names of the style
    sheet to #rrggbb.
    """
    try:
        given = json.loads((request.app.state.config.folder / "colours.json").read_text())
    except (OSError, ValueError):
        given = {}
    lines = [
        f"--{name}:{value};"
        for name, value in (given.items() if isinstance(given, dict) else ())
        if name in COLOURS and isinstance(value, str) and re.fullmatch(r"#[0-9a-fA-F]{6}", value)
    ]
    return Response(
        ":root[data-board=club]{" + "".join(lines) + "}",
        media_type="text/css",
        headers={"cache-control": "max-age=60"},
    )


COLOURS: Final = (
    "frame",
    "field",
    "point-a",
    "point-b",
    "bar",
    "disc-light",
    "disc-light-edge",
    "disc-dark",
    "disc-dark-edge",
)


@router.get("/worker.js")
async def worker() -> FileResponse:
    """What keeps the clock's and the camera's page on a device; a browser asks for it at the top,
    since from there it may answer for every page.
    """
    file = _HERE / "static" / "js" / "worker.js"
    return FileResponse(file, media_type="text/javascript", headers={"cache-control": "no-cache"})


@router.get("/manifest.json")
async def manifest() -> JSONResponse:
    """What a phone needs to put the page on its home screen."""
    return JSONResponse(
        {
            "name": "takhte",
            "short_name": "takhte",
            "start_url": "/",
            "display": "standalone",
            "background_color": "#f5f1ea",
            "theme_color": "#0d6466",
            "icons": [
                {"src": "/static/icon.svg", "sizes": "any", "type": "image/svg+xml"},
                *(
                    {
                        "src": f"/static/icon-{size}.png",
                        "sizes": f"{size}x{size}",
                        "type": "image/png",
                        "purpose": "any maskable",
                    }
                    for size in (192, 512)
                ),
            ],
        }
    )
