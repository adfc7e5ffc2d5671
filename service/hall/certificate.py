"""The certificate of a hall's line, made at its first start (E).

No authority speaks for it: a table that joins is given the very certificate, signed by the hall's
key, whose id stands in the code's picture. So it needs no date, no name and no renewal, and a Pi
that believes to be in 1970 can join.
"""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

FROM, UNTIL = datetime(1970, 1, 2, tzinfo=UTC), datetime(2120, 1, 1, tzinfo=UTC)
CHAIN: Final = "line.pem"
KEY: Final = "line-key.pem"


@dataclass(frozen=True, slots=True)
class LineCertificate:
    """Two files, and what stands in the first."""

    chain: Path
    key: Path
    text: str


def line_certificate(folder: Path) -> LineCertificate:
    """The certificate of this hall's line; made where there is none. Raises OSError."""
    chain, key = folder / CHAIN, folder / KEY
    if not (chain.exists() and key.exists()):
        folder.mkdir(parents=True, exist_ok=True)
        _make(chain, key)
    return LineCertificate(chain, key, chain.read_text("ascii"))


def _make(chain: Path, key: Path) -> None:
    secret = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "takhte hall")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(secret.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(FROM)
        .not_valid_after(UNTIL)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(secret, hashes.SHA256())
    )
    private = secret.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    for path, data in ((key, private), (chain, made.public_bytes(serialization.Encoding.PEM))):
        part = path.with_suffix(".part")
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)


def line_context(text: str) -> ssl.SSLContext:
    """Encrypts to whoever has this very certificate, and to nobody else. Raises ssl.SSLError."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # The certificate itself is what is known: names say nothing more.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_REQUIRED
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.load_verify_locations(cadata=text)
    return context
