"""How one hall's server reaches another's: as a leaf node of NATS, by one line of settings at each
end. Pure.

The main hall says whose boards it shows (`hall.branches`: a name and that hall's key), the branch
where the main hall is (`hall.main`: the line that `takhte hall invite NAME` prints there). A branch
dials, so that it may stand behind any router. Through the leaf the main hall may ask for the
branch's stream; the branch's server may answer, tell statuses, and nothing else.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NotRequired, TypedDict
from urllib.parse import quote, unquote, urlsplit

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509 import load_pem_x509_certificate

from service.hall.identity import hall_id
from service.hall.ledger import PairedBoard
from service.hall.wire import MessageError, WireMessage

PORT: Final = 7422
"""Where branches dial, unless the settings say otherwise."""
_BRANCH: Final = re.compile(r"([A-Za-z0-9_-]{1,32})=([0-9a-f]{64})")
_PLAIN: Final = "plain"


class LeafError(ValueError):
    """Settings of branches or of the main hall that cannot be: what was expected, what came."""


@dataclass(frozen=True, slots=True)
class Branch:
    """Another hall whose tables this one shows: the name they stand under, and its key."""

    name: str
    key: str

    @property
    def hall(self) -> str:
        """That hall's id; also its server's domain."""
        return hall_id(bytes.fromhex(self.key))


@dataclass(frozen=True, slots=True)
class MainHall:
    """The hall that shows this one's tables: where its server takes leaves, as whom this one signs
    in there, and the fingerprint of the certificate's key; "" for a line in plain.
    """

    name: str
    secret: str
    host: str
    port: int
    pin: str

    @property
    def text(self) -> str:
        """The line of settings that says all this."""
        end = self.pin or _PLAIN
        return f"takhte://{self.name}:{quote(self.secret)}@{self.host}:{self.port}/{end}"


def branches_from(texts: tuple[str, ...]) -> tuple[Branch, ...]:
    """Branches as the settings name them, each `name=key`. Raises LeafError."""
    found = []
    for text in texts:
        if not (match := _BRANCH.fullmatch(text)):
            raise LeafError(
                "hall.branches: expected NAME=KEY with the 64 digits that `takhte hall key` prints"
                f" at the other hall, got {text[:80]!r}"
            )
        found.append(Branch(match[1], match[2]))
    if len({b.name for b in found}) < len(found) or len({b.key for b in found}) < len(found):
        raise LeafError("hall.branches: expected each name and each key once, got one twice")
    return tuple(found)


def main_from(text: str) -> MainHall | None:
    """The main hall as the settings name it; None for an empty text. Raises LeafError."""
    if not text:
        return None
    try:
        parts = urlsplit(text)
        end = parts.path.lstrip("/")
        if parts.scheme != "takhte" or not (parts.username and parts.password and parts.hostname):
            raise ValueError
        if end != _PLAIN and not re.fullmatch(r"[0-9a-f]{64}", end):
            raise ValueError
        pin = "" if end == _PLAIN else end
        secret = unquote(parts.password)
        return MainHall(parts.username, secret, parts.hostname, parts.port or PORT, pin)
    except ValueError:
        raise LeafError(
            "hall.main: expected the line that `takhte hall invite NAME` prints at the main hall,"
            f" got {text[:12]!r}…"
        ) from None


def invitation(
    key: Ed25519PrivateKey, branch: str, host: str, port: int, certificate: str
) -> MainHall:
    """What a branch must be told to reach the hall whose key this is."""
    pin = pin_of(certificate) if certificate else ""
    return MainHall(branch, secret_of(key, branch), host, port, pin)


def secret_of(key: Ed25519PrivateKey, branch: str) -> str:
    """What a branch signs in with: drawn from the hall's key, so that it need not be kept."""
    drawn = HKDF(SHA256(), 24, None, f"takhte-hall-leaf/1\n{branch}".encode())
    return drawn.derive(key.private_bytes_raw()).hex()


def pin_of(certificate: str) -> str:
    """The fingerprint of a certificate's key, as the server compares it."""
    public = load_pem_x509_certificate(certificate.encode()).public_key()
    spelled = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(spelled).hexdigest()


def boards_of(hall: str) -> str:
    """Where a hall is asked which boards are its own."""
    return f"hall.boards.{hall}"


def leaf_inbox(branch: str) -> str:
    """The prefix under which the main hall takes a branch's answers."""
    return f"_INBOX_leaf_{branch}"


def boards_body(boards: Iterable[PairedBoard]) -> WireMessage:
    """What a hall says of its boards, those that were replaced among them."""
    return {"format": 1, "boards": [[b.table, b.key, b.since, b.until] for b in boards]}


def boards_from(body: WireMessage) -> dict[tuple[str, str], PairedBoard]:
    """The boards that a message spells. Raises MessageError."""
    rows, found = body.get("boards"), {}
    for row in rows if isinstance(rows, list) else [rows]:
        match row:
            case [str(table), str(key), int(since), int() | None as until]:
                found[table, key] = PairedBoard(table, key, since, until)
            case _:
                raise MessageError(
                    "unreadable", f"expected boards by table and key, got {str(row)[:40]!r}"
                )
    return found


class LeafTls(TypedDict, total=False):
    """Certificates of a leaf's two ends, in the server's own words."""

    cert_file: str
    key_file: str
    timeout: int
    insecure: bool
    pinned_certs: list[str]


class Remote(TypedDict):
    """A server that is dialled, in the server's own words."""

    url: str
    deny_imports: list[str]
    deny_exports: list[str]
    tls: NotRequired[LeafTls]


class Leaves(TypedDict, total=False):
    """The server's section on leaf nodes."""

    listen: str
    advertise: str
    tls: LeafTls
    reconnect: int
    remotes: list[Remote]


def leaf_permissions(branch: Branch) -> dict[str, dict[str, list[str]]]:
    """What a branch's server may do here: answer what it is asked, and tell its statuses."""
    asked = [f"$JS.{branch.hall}.API.>", "$JS.FC.>", boards_of(branch.hall)]
    told = [f"{leaf_inbox(branch.name)}.>", "hall.status.*", "$JS.FC.>"]
    return {"publish": {"allow": told}, "subscribe": {"allow": asked}}


def leaves_taken(host: str, port: int, address: str, tls: LeafTls | None) -> Leaves:
    """The section of a server that takes leaves; `address` is where they find it, "" for there."""
    taken: Leaves = {"listen": f"{host}:{port}"}
    if address:
        # Else a branch that is cut off would try the address behind the router.
        taken["advertise"] = address
    return {**taken, "tls": tls} if tls else taken


def leaf_dialled(main: MainHall, tls: LeafTls | None) -> Leaves:
    """The section of a server that dials the main hall's. `tls` is its own certificate.

    Names and authorities say nothing here: the certificate's key is the one that the invitation
    told, or nothing is said.
    """
    scheme = "tls" if main.pin else "nats"
    url = f"{scheme}://{main.name}:{quote(main.secret)}@{main.host}:{main.port}"
    # Each hall's entries and orders are its own: the main hall asks the stream for them.
    remote: Remote = {
        "url": url,
        "deny_imports": ["hall.entries.*", "hall.commands.*", "hall.status.*"],
        "deny_exports": ["hall.entries.*", "hall.commands.*"],
    }
    if not main.pin:
        return {"reconnect": 1, "remotes": [remote]}
    own: LeafTls = {**(tls or {}), "pinned_certs": [main.pin]}
    return {"reconnect": 1, "tls": own, "remotes": [{**remote, "tls": {"insecure": True}}]}
