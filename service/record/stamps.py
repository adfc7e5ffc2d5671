"""A time stamp for an archive, by an authority of RFC 3161: these bytes were there by then (E).

The stamp lies beside the archive as `NAME.tsr`, the authority's own answer, so that anybody checks
it without this program: `openssl ts -verify -data NAME -in NAME.tsr -CAfile AUTHORITY.pem`. What is
sent to the authority is a SHA-512 of the archive, and nothing of what it says.
"""

from __future__ import annotations

import urllib.error
import urllib.request
from datetime import datetime
from pathlib import Path
from typing import Final

from cryptography import x509

PATIENCE: Final = 20.0
LARGEST: Final = 256 * 1024
"""Bytes of an authority's answer; a few kB with its certificates."""


class StampError(ValueError):
    """A stamp that cannot be had or does not hold; the message says why and what to do."""


def stamp_path(archive: Path) -> Path:
    """Where the stamp of an archive lies."""
    return archive.with_name(archive.name + ".tsr")


def stamp(archive: Path, authority: str) -> Path:
    """Have the authority at this address stamp the archive; where its answer was written. Raises
    StampError, OSError.
    """
    if not authority.startswith(("https://", "http://")):
        raise StampError(f"expected the address of a stamping authority, got {authority[:80]!r}")
    try:
        from rfc3161_client import TimestampRequestBuilder, decode_timestamp_response
    except ImportError:
        raise _no_library() from None
    data = archive.read_bytes()
    asked = TimestampRequestBuilder().data(data).build()
    request = urllib.request.Request(  # noqa: S310 - http or https, see above
        authority,
        asked.as_bytes(),
        {"content-type": "application/timestamp-query", "accept": "application/timestamp-reply"},
    )
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
            reply = answer.read(LARGEST + 1)
        found = decode_timestamp_response(reply[:LARGEST])
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise StampError(
            f"{authority}: expected a time stamp, got none ({error}): try again, or another"
            " authority"
        ) from None
    if found.status != 0:
        raise StampError(f"{authority}: refused to stamp (status {found.status}): try another")
    path = stamp_path(archive)
    path.write_bytes(reply)
    return path


def stamped_at(archive: Path, authority: Path) -> datetime:
    """When the archive was stamped, by an authority whose root certificate this PEM file holds.
    Raises StampError, OSError.
    """
    try:
        from rfc3161_client import VerificationError, VerifierBuilder, decode_timestamp_response
    except ImportError:
        raise _no_library() from None
    try:
        roots = x509.load_pem_x509_certificates(authority.read_bytes())
    except ValueError as error:
        raise StampError(f"{authority}: expected certificates in PEM ({error})") from None
    path, builder = stamp_path(archive), VerifierBuilder()
    for root in roots:
        builder = builder.add_root_certificate(root)
    try:
        reply = decode_timestamp_response(path.read_bytes())
        builder.build().verify_message(reply, archive.read_bytes())
    except (VerificationError, ValueError) as error:
        raise StampError(
            f"{path}: expected a stamp of {archive.name} by an authority of {authority.name}, got"
            f" another ({error})"
        ) from None
    return reply.tst_info.gen_time


def _no_library() -> StampError:
    return StampError("stamps need a library: pip install 'takhte[stamp]'")
