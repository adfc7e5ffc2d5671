"""Who a table and a hall are to each other: their keys as text, the hall's id, and the key that
signs a table in at the server. Pure.
"""

from __future__ import annotations

import hashlib

import nkeys
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


def key_id(public: bytes) -> str:
    """A public key as text: all of it, in hexadecimal digits."""
    return public.hex()


def hall_id(public: bytes) -> str:
    """Which hall: the first 80 bits of its key's SHA-256, as on paper but without gaps."""
    return hashlib.sha256(public).hexdigest()[:20]


def link_seed(key: Ed25519PrivateKey) -> bytes:
    """The seed of the key that signs a table in at the server. The server chooses what is signed
    there, so it is a key of its own, drawn from the table's: nothing signed for the server can be
    taken for a word of the table."""
    return HKDF(SHA256(), 32, None, b"takhte-hall-link/1").derive(key.private_bytes_raw())


def nkey_seed(seed: bytes) -> str:
    """A seed as NATS writes it."""
    return str(nkeys.encode_seed(seed, nkeys.PREFIX_BYTE_USER).decode())


def nkey(seed: bytes) -> str:
    """The public key of a seed as NATS writes it: `U...`."""
    return str(nkeys.from_seed(bytearray(nkey_seed(seed).encode())).public_key.decode())
