"""The gate before every route: host, origin, size, pace and headers. (E)

Written as plain ASGI so that it costs a socket nothing after the handshake. What a visitor may do
`policy` decides; this only keeps out requests that no page of ours makes (another site's page, a
rebound name, a body too large) and slows down whoever asks too fast.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.referee.refusal import Refusal
from service.web.door import Capacity
from service.web.rights import ENDLESS
from service.web.turns import Turns

CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src"
    " 'self'; connect-src 'self'{sockets}; manifest-src 'self'; base-uri 'none'; form-action"
    " 'self'; frame-ancestors {framed}"
)
FRAMED: Final = ("/overlay",)
"""Pages that another site may frame: a web mixer shows the overlay so. It has no button, and a
browser sends none of its sessions along.
"""
_PLAIN_HOST: Final = re.compile(r"[\w.:\[\]-]+", re.ASCII)
HEADERS: Final = {
    "content-security-policy": CSP.format(sockets="", framed="'none'"),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
LARGEST_BODY: Final = 256 * 1024
"""Bytes of one request: an event file with the club's rules is a few kB."""
LARGEST_OF_A_STRANGER: Final = 8 * 1024
"""The same of whoever shows no session: a name and a password, or a code."""
BODIES: Final = 16_000_000
"""Bytes of requests that may be in here at once, of all visitors together."""
PACE: Final = 40.0
"""Requests a second that one address may keep up; beyond it, it waits."""
BURST: Final = 200.0
LONGEST_WAIT: Final = 4.0
FOR_ALL: Final = (
    *("/api/v1/", "/openapi.json", "/overlay.", "/state.txt", "/board.png", "/score.png"),
    *("/picture/", "/download/"),
)
"""How addresses begin that another site's page may read, as far as everybody may."""
DIRECT: Final = "takhte.send"
"""Key of the scope under which a socket finds the server's own `send`."""
STAFFS_SHARE: Final = 8
"""One place in so many is no guest's feed: it is left for requests, and for staff."""
ADDRESSES: Final = 20_000
"""Addresses whose pace is remembered."""

FORWARDING: Final = (
    "x-forwarded",
    "forwarded",
    "via",
    "x-real-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-original-",
    "x-envoy-",
    "x-proxyuser-",
    "true-client-ip",
    "fastly-",
    "cf-",
    "cdn-loop",
    "ngrok-",
    "tailscale-",
)
"""How the names of headers begin that proxies, tunnels and CDNs add to what they pass on."""

Stop = tuple[int, Refusal]
"""An HTTP status and why."""


def loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def asked_as_loopback(scope: Scope) -> bool:
    """Whether a loopback peer asked for a loopback name and nothing says that it asks for another.

    Not enough to be the console: a proxy that adds no header of its own, as nginx does unless it is
    told to, or a tunnel's visitor who writes `Host: localhost` himself, looks just so.
    """
    headers = Headers(scope=scope)
    client = scope.get("client")
    if not client or not loopback(client[0]):
        return False
    if any(name.startswith(FORWARDING) for name in headers):
        return False
    host = _hostname(headers.get("host", ""))
    return host == "localhost" or loopback(host)


def is_console(scope: Scope, console_port: int) -> bool:
    """Whether this is the machine's own screen: it came in by the console's own port, which listens
    on the loopback and which nobody has a reason to lead a proxy to. 0 = nobody is the console.
    """
    server = scope.get("server")
    return bool(console_port and server and server[1] == console_port) and asked_as_loopback(scope)


def _hostname(host: str) -> str:
    try:
        return (
            (urlsplit(f"//{host}").hostname or "") if host.isprintable() and " " not in host else ""
        )
    except ValueError:
        # A bracket without its other half.
        return ""


class Pace:
    """A token bucket an address: tells how long to wait, never refuses for good."""

    def __init__(self) -> None:
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, address: str, now: float) -> float:
        """Seconds that this request has to wait."""
        left, last = self._left.pop(address, (BURST, now))
        left = min(BURST, left + (now - last) * PACE) - 1
        self._left[address] = (max(left, -PACE * LONGEST_WAIT * 2), now)
        if len(self._left) > ADDRESSES:
            self._left.popitem(last=False)
        return max(0.0, -left / PACE)


class Guard:
    """ASGI middleware; `hosts` are names by which this machine may be called besides addresses,
    localhost and *.local; `places` tells how many connections there may be; `is_staff` whether
    somebody may have a feed when guests have all of theirs.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Iterable[str] = (),
        places: Callable[[], Capacity] = Capacity,
        is_staff: Callable[[Scope], bool] = lambda _: False,
    ) -> None:
        self.app = app
        self.hosts = {h.lower() for h in hosts}
        self.pace = Pace()
        self.turns = Turns()
        self.feeds: dict[str, int] = {}
        self._is_staff = is_staff
        self._places = places
        self._all_feeds = 0
        self._bodies = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        problem = self._host(headers) or self._origin(scope, headers) or _size(scope, headers)
        address = scope["client"][0] if scope.get("client") else ""
        if problem is None and scope["type"] == "http" and not this_machine(address):
            wait = self.pace.wait(address, time.monotonic())
            if wait > LONGEST_WAIT:
                slower = Refusal("too_fast", "fewer requests a second", next="wait a few seconds")
                problem = (429, slower)
            elif wait:
                await asyncio.sleep(wait)
        if problem is None and self._is_crowded(scope, address):
            after = "wait until somebody leaves, or sign in"
            problem = (503, Refusal("crowded", "fewer viewers", next=after))
        if scope["type"] == "websocket":
            if problem is not None:
                await receive()
                code = 1013 if problem[0] == 503 else 1008
                await send({"type": "websocket.close", "code": code})
                return
            scope[DIRECT] = send
            await self._followed(scope, receive, send, address)
            return
        if problem is not None:
            await _refuse(send, *problem)
            return
        body = _Body(self, receive, _most_of(scope))
        try:
            # Whole before anybody looks at it: a request that hangs half-way costs no more than
            # its bytes.
            if (problem := await body.came()) is not None:
                await _refuse(send, *problem)
                return
            sending = _with_headers(send, scope)
            if _endless(scope):
                await self._followed(scope, body.receive, sending, address)
                return
            if not (_carries_rights(scope, headers) and self._is_staff(scope)):
                await self.turns.mine()
            await self.app(scope, body.receive, sending)
        finally:
            self._bodies -= len(body.taken)

    def _is_crowded(self, scope: Scope, address: str) -> bool:
        """Whether guests have all the feeds that they may, and this would be one more."""
        if not _endless(scope):
            return False
        places = self._places()
        here = self.feeds.get(address, 0) >= _for_guests(places.by_address)
        many = (here and not this_machine(address)) or self._all_feeds >= _for_guests(places.most)
        return many and not self._is_staff(scope)

    async def _followed(self, scope: Scope, receive: Receive, send: Send, address: str) -> None:
        """The application while it counts as a feed of that address."""
        self.feeds[address] = self.feeds.get(address, 0) + 1
        self._all_feeds += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self._all_feeds -= 1
            self.feeds[address] -= 1
            if not self.feeds[address]:
                del self.feeds[address]

    def take(self, size: int) -> bool:
        """Whether so many more bytes of requests may be in here; then they count until they go."""
        if self._bodies + size > BODIES:
            return False
        self._bodies += size
        return True

    def _host(self, headers: Headers) -> Stop | None:
        """A name that is not ours means that somebody's page made its own name point here."""
        host = _hostname(headers.get("host", "")).lower()
        if host == "localhost" or host.endswith((".local", ".localhost")) or host in self.hosts:
            return None
        try:
            ipaddress.ip_address(host)
        except ValueError:
            after = "add the name to page.hosts in the settings if it is this machine's"
            return 421, Refusal("host", "an address, localhost or a .local name", host[:80], after)
        return None

    def _origin(self, scope: Scope, headers: Headers) -> Stop | None:
        """Another site's page may link to ours, not write or listen with this browser's rights."""
        site = headers.get("sec-fetch-site")
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD", "OPTIONS"):
            # Another site's page may send its visitor here, and may read what is public to all; it
            # may not ask the API with the rights that this browser has here.
            loaded = headers.get("sec-fetch-mode") != "navigate" and site == "cross-site"
            acts = loaded and scope["path"].startswith("/api/")
            if not (acts and ("cookie" in headers or asked_as_loopback(scope))):
                return None
        origin = headers.get("origin")
        same = origin is None or urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
        if same and site in (None, "same-origin", "none"):
            return None
        expected = "a request from this site's own page"
        return 403, Refusal("origin", expected, str(origin)[:80], "open the page itself")


def _carries_rights(scope: Scope, headers: Headers) -> bool:
    """Whether a request comes with what could make it somebody's: a session, or the loopback."""
    return "cookie" in headers or "authorization" in headers or asked_as_loopback(scope)


def _endless(scope: Scope) -> bool:
    """Whether this is answered for as long as somebody listens."""
    path = str(scope["path"])
    followed = path.endswith("/entries") and b"follow=" in scope.get("query_string", b"")
    return scope["type"] == "websocket" or path.endswith(ENDLESS) or followed


def _for_guests(places: int) -> int:
    return places - places // STAFFS_SHARE


def this_machine(address: str) -> bool:
    """Whether this is the address at which this machine's own programs ask: a proxy may, or a
    tunnel, behind which many stand."""
    return address in ("127.0.0.1", "::1", "")


def _most_of(scope: Scope) -> int:
    """How many bytes a request may have: whoever shows no session has little to say."""
    shows = _carries_rights(scope, Headers(scope=scope))
    return LARGEST_BODY if shows else LARGEST_OF_A_STRANGER


def _size(scope: Scope, headers: Headers) -> Stop | None:
    length, most = headers.get("content-length", "0"), _most_of(scope)
    if length.isdecimal() and int(length) <= most:
        return None
    return _too_large(most, length[:20])


def _too_large(most: int, came: str) -> Stop:
    return 413, Refusal("too_large", f"at most {most} bytes", came, "send less")


class _Body:
    """What a request brings, once it is here; nothing where it says no length and never ends, or
    where everybody together sends too much at once.
    """

    def __init__(self, guard: Guard, receive: Receive, most: int) -> None:
        self._guard, self._receive, self._most = guard, receive, most
        self.taken = bytearray()
        self._told = False

    async def came(self) -> Stop | None:
        """Why it cannot be taken, None once it is here whole."""
        while True:
            message = await self._receive()
            if message["type"] != "http.request":
                return 400, Refusal("broken_off", "a whole request", next="send it again")
            part = message.get("body", b"")
            if len(self.taken) + len(part) > self._most:
                return _too_large(self._most, f"{len(self.taken) + len(part)} and more")
            if not self._guard.take(len(part)):
                return 503, Refusal("crowded", "fewer requests at once", next="wait a few seconds")
            self.taken += part
            if not message.get("more_body", False):
                return None

    async def receive(self) -> Message:
        if self._told:
            return await self._receive()
        self._told = True
        return {"type": "http.request", "body": bytes(self.taken), "more_body": False}


def _is_for_all(scope: Scope) -> bool:
    """Whether another site's page may read this answer: what everybody may read, asked by somebody
    who brings no rights of his own. With a cookie, a token, or from this machine itself the answer
    may hold more, and stays here.
    """
    return (
        scope["method"] in ("GET", "HEAD")
        and str(scope["path"]).startswith(FOR_ALL)
        and not _carries_rights(scope, Headers(scope=scope))
    )


def _with_headers(send: Send, scope: Scope) -> Send:
    path, for_all = str(scope["path"]), _is_for_all(scope)
    host = Headers(scope=scope).get("host", "")
    # Said in full as well: not every browser takes 'self' for a socket's own address.
    sockets = f" ws://{host} wss://{host}" if _PLAIN_HOST.fullmatch(host) else ""
    framed = "*" if path in FRAMED else "'none'"
    policy = CSP.format(sockets=sockets, framed=framed)

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("content-security-policy", policy)
            if path in FRAMED:
                headers.setdefault("cross-origin-resource-policy", "cross-origin")
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if for_all:
                headers["access-control-allow-origin"] = "*"
                headers["cross-origin-resource-policy"] = "cross-origin"
            if not path.startswith("/static/"):
                headers.setdefault("cache-control", "no-store")
        await send(message)

    return sending


async def _refuse(send: Send, status: int, refusal: Refusal) -> None:
    body = json.dumps({"error": refusal.to_json()}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(k.encode(), v.encode()) for k, v in HEADERS.items()]
    if status in (429, 503):
        headers.append((b"retry-after", b"3"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
