"""A second signature on a record: a hall's, that it had these entries by then from the table, as
they came. Whoever holds the table's key alone cannot make it. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from service.journal.chain import Entry
from service.journal.codec import canonical

_PURPOSE: Final = b"takhte-witness/1\n"


class WitnessError(ValueError):
    """A witness's word that does not fit the record; the message says what was expected."""


@dataclass(frozen=True, slots=True)
class HallWord:
    """Who says so (a public key), of which table, and up to which entry; `wall` is the witness's
    date.
    """

    key: bytes
    table: str
    count: int
    head: str
    wall: float

    def said(self) -> dict[str, str | int | float]:
        return {
            "takhte-witness": 1,
            "key": self.key.hex(),
            "table": self.table,
            "count": self.count,
            "head": self.head,
            "wall": self.wall,
        }


def hall_word(
    table: str, count: int, head: str, wall: float, key: Ed25519PrivateKey
) -> dict[str, str | int | float]:
    """The word of whoever holds the key, as JSON, signed."""
    witness = HallWord(key.public_key().public_bytes_raw(), table, count, head, round(wall, 3))
    signature = key.sign(_PURPOSE + canonical(witness.said())).hex()
    return witness.said() | {"signature": signature}


def check_hall_word(data: object, entries: Sequence[Entry]) -> HallWord:
    """Who witnessed these entries, and up to which. Raises WitnessError."""
    try:
        assert isinstance(data, dict) and data["takhte-witness"] == 1
        witness = HallWord(
            bytes.fromhex(data["key"]),
            str(data["table"]),
            int(data["count"]),
            str(data["head"]),
            float(data["wall"]),
        )
        Ed25519PublicKey.from_public_bytes(witness.key).verify(
            bytes.fromhex(data["signature"]), _PURPOSE + canonical(witness.said())
        )
    except (AssertionError, InvalidSignature, KeyError, TypeError, ValueError):
        raise WitnessError(
            "expected what a hall signed (witness.json of its archive), got something else"
        ) from None
    there = entries[witness.count - 1].hash if 0 < witness.count <= len(entries) else ""
    if there != witness.head:
        came = there[:16] or f"{len(entries)} entries"
        raise WitnessError(
            f"expected entry {witness.count} to be {witness.head[:16]}, as the hall had it, got"
            f" {came}: this is not the record that the hall was sent"
        )
    return witness
