"""A match that was put right after its end, sealed: what it is now, what was said of it, who sealed
it and when.

One JSON object, its signature Ed25519 (RFC 8032) over `takhte-amended/1`, a newline, and the
canonical JSON of all but the signature. `source` names what was put right: the hash of the
journal's entry that set the match up, or the SHA-256 of what was seen in the film.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from rules.notation.errors import NotationError
from rules.notation.jsonform import read_json, write_json
from rules.notation.record import MatchRecord
from service.journal.codec import canonical
from service.record.archive import MOST_BYTES, ArchiveError, fingerprint

FORM: Final = 1
AMENDED: Final = ".amended.json"
"""How the names of such files end."""
_PURPOSE: Final = b"takhte-amended/1"


@dataclass(frozen=True)
class SealedAmendment:
    """What such a seal says. `edits` is what was said, as the desk keeps it; `wall`: seconds since
    1970.
    """

    source: str
    by: str
    wall: float
    record: MatchRecord
    edits: str
    key: bytes = b""


def write_sealed(sealed: SealedAmendment, key: Ed25519PrivateKey) -> bytes:
    """The sealed text, with this key's signature."""
    body = {
        "takhte-amended": FORM,
        "source": sealed.source,
        "by": sealed.by,
        "wall": sealed.wall,
        "record": write_json(sealed.record),
        "edits": sealed.edits,
        "key": base64.b64encode(key.public_key().public_bytes_raw()).decode(),
    }
    signature = key.sign(_PURPOSE + b"\n" + canonical(body))
    return canonical({**body, "signature": base64.b64encode(signature).decode()}) + b"\n"


def read_sealed(data: bytes, trusted: bytes | None = None) -> SealedAmendment:
    """What was sealed, checked whole; where `trusted` (a public key) is given, that it is this
    key's. Raises ArchiveError.
    """
    if len(data) > MOST_BYTES:
        raise ArchiveError(f"expected at most {MOST_BYTES} bytes, got {len(data)}")
    try:
        body = json.loads(data)
        if not isinstance(body, dict) or body.pop("takhte-amended") != FORM:
            raise ValueError(f"no amended match of form {FORM}")
        signature = base64.b64decode(body.pop("signature"), validate=True)
        key = base64.b64decode(body["key"], validate=True)
        Ed25519PublicKey.from_public_bytes(key).verify(
            signature, _PURPOSE + b"\n" + canonical({**body, "takhte-amended": FORM})
        )
        sealed = SealedAmendment(
            str(body["source"]),
            str(body["by"]),
            float(body["wall"]),
            read_json(body["record"]),
            str(body["edits"]),
            key,
        )
    except InvalidSignature:
        raise ArchiveError("the signature does not fit: it was changed after sealing") from None
    except (ValueError, KeyError, TypeError, RecursionError, binascii.Error, NotationError) as no:
        raise ArchiveError(f"expected a sealed amended match, got something else ({no})") from None
    if trusted is not None and trusted != key:
        raise ArchiveError(
            f"expected the seal of {fingerprint(trusted)}, got that of {fingerprint(key)}"
        )
    return sealed
