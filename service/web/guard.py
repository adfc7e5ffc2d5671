"""The gate before every route: host, origin, size, pace and headers. (E)

Written as plain ASGI so that it costs a socket nothing after the handshake. What a visitor may do
`policy` decides; this only keeps out requests that no page of ours makes (another site's page, a
rebound name, a body too large) and slows down whoever asks too fast.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import time
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.referee.refusal import Refusal

CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src"
    " 'self'; connect-src 'self' ws: wss:; manifest-src 'self'; base-uri 'none'; form-action"
    " 'self'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
LARGEST_BODY: Final = 256 * 1024
"""Bytes of one request: an event file with the club's rules is a few kB."""
PACE: Final = 40.0
"""Requests a second that one address may keep up; beyond it, it waits."""
BURST: Final = 200.0
LONGEST_WAIT: Final = 4.0
DIRECT: Final = "takhte.send"
"""Key of the scope under which a socket finds the server's own `send`."""
SOCKETS_PER_ADDRESS: Final = 512
"""A whole club may stand behind one address."""
SOCKETS: Final = 5000

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
    return (urlsplit(f"//{host}").hostname or "") if host.isprintable() and " " not in host else ""


class Pace:
    """A token bucket an address: tells how long to wait, never refuses for good."""

    def __init__(self) -> None:
        self._left: dict[str, tuple[float, float]] = {}

    def wait(self, address: str, now: float) -> float:
        """Seconds that this request has to wait."""
        if len(self._left) > 20_000:
            self._left = {k: v for k, v in self._left.items() if now - v[1] < 60}
        left, last = self._left.get(address, (BURST, now))
        left = min(BURST, left + (now - last) * PACE) - 1
        self._left[address] = (max(left, -PACE * LONGEST_WAIT * 2), now)
        return max(0.0, -left / PACE)


class Guard:
    """ASGI middleware; `hosts` are names by which this machine may be called besides addresses,
    localhost and *.local.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = ()) -> None:
        self.app = app
        self.hosts = {h.lower() for h in hosts}
        self.pace = Pace()
        self.sockets: dict[str, int] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        problem = self._host(headers) or self._origin(scope, headers) or _size(headers)
        address = scope["client"][0] if scope.get("client") else ""
        if scope["type"] == "websocket":
            await self._websocket(scope, receive, send, address, problem)
            return
        if problem is None and not loopback(address):
            wait = self.pace.wait(address, time.monotonic())
            if wait > LONGEST_WAIT:
                slower = Refusal("too_fast", "fewer requests a second", next="wait a few seconds")
                problem = (429, slower)
            elif wait:
                await asyncio.sleep(wait)
        if problem is not None:
            await _refuse(send, *problem)
            return
        await self.app(scope, _limited(receive), _with_headers(send, scope["path"]))

    async def _websocket(
        self, scope: Scope, receive: Receive, send: Send, address: str, problem: Stop | None
    ) -> None:
        crowded = self.sockets.get(address, 0) >= SOCKETS_PER_ADDRESS and not loopback(address)
        if problem is not None or crowded or sum(self.sockets.values()) >= SOCKETS:
            await receive()
            await send({"type": "websocket.close", "code": 1013 if problem is None else 1008})
            return
        self.sockets[address] = self.sockets.get(address, 0) + 1
        scope[DIRECT] = send
        try:
            await self.app(scope, receive, send)
        finally:
            self.sockets[address] -= 1
            if not self.sockets[address]:
                del self.sockets[address]

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
            if not (loaded and scope["path"].startswith("/api/") and _carries_rights(scope)):
                return None
        origin = headers.get("origin")
        same = origin is None or urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
        if same and site in (None, "same-origin", "none"):
            return None
        expected = "a request from this site's own page"
        return 403, Refusal("origin", expected, str(origin)[:80], "open the page itself")


def _carries_rights(scope: Scope) -> bool:
    """Whether a request comes with what could make it somebody's: a cookie, or the loopback."""
    return "cookie" in Headers(scope=scope) or asked_as_loopback(scope)


def _size(headers: Headers) -> Stop | None:
    length = headers.get("content-length", "0")
    if length.isdecimal() and int(length) <= LARGEST_BODY:
        return None
    expected = f"at most {LARGEST_BODY} bytes"
    return 413, Refusal("too_large", expected, length[:20], "send less")


def _limited(receive: Receive) -> Receive:
    """Cut a body that says no length and never ends."""
    taken = 0

    async def limited() -> Message:
        nonlocal taken
        message = await receive()
        if message["type"] == "http.request":
            taken += len(message.get("body", b""))
            if taken > LARGEST_BODY:
                return {"type": "http.disconnect"}
        return message

    return limited


def _with_headers(send: Send, path: str) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if not path.startswith("/static/"):
                headers.setdefault("cache-control", "no-store")
        await send(message)

    return sending


async def _refuse(send: Send, status: int, refusal: Refusal) -> None:
    body = json.dumps({"error": refusal.to_json()}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(k.encode(), v.encode()) for k, v in HEADERS.items()]
    if status == 429:
        headers.append((b"retry-after", b"3"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
