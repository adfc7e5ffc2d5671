"""The table's own certificate, made at its first start, so that phones on the local network get
HTTPS without the internet. (E)

Two keys: an authority of this table alone, which a device may be told to trust once, and the
certificate that the page shows, made anew by it when the machine's addresses change or its time
runs out. The authority may speak for nothing but local names and private addresses: whoever steals
it can pretend to be a table, not a bank.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from service.journal.chain import EARLIEST
from service.web.addresses import addresses as own_addresses
from service.web.addresses import local_names

log = logging.getLogger(__name__)

AUTHORITY_LIFE: Final = timedelta(days=3650)
LIFE: Final = timedelta(days=397)
"""What browsers allow a certificate at the most."""
RENEWED: Final = timedelta(days=30)
"""So long before its end it is made anew."""
PRIVATE: Final = tuple(
    ipaddress.ip_network(net)
    for net in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16")
)

Key = ec.EllipticCurvePrivateKey


@dataclass(frozen=True, slots=True)
class PageCertificate:
    """What the page shows to browsers. `chain` and `key` are files; `authority` is the file that a
    device may be told to trust, None where the certificate came from elsewhere.
    """

    chain: Path
    key: Path
    fingerprint: str
    """SHA-256 of the certificate, as browsers show it: pairs of digits."""
    authority: Path | None = None


def given_certificate(files: str) -> PageCertificate:
    """The certificate and key of two files, `CERTIFICATE,KEY`. Raises ValueError, OSError."""
    chain, comma, key = (part.strip() for part in files.partition(","))
    if not comma or not chain or not key:
        raise ValueError(
            f"expected off, own, or two files CERTIFICATE,KEY for HTTPS, got {files!r}"
        )
    path = Path(chain).expanduser()
    shown = x509.load_pem_x509_certificates(path.read_bytes())[0]
    return PageCertificate(path, Path(key).expanduser(), certificate_digest(shown))


def page_certificate(
    https: str, name: str, folder: Path, names: Sequence[str] = ()
) -> PageCertificate | None:
    """The certificate that a setting `https` means, for the page of a table or hall of this name,
    also called by `names`; None where there is none, with a line in the log.
    """
    try:
        if https == "off":
            return None
        if https != "own":
            return given_certificate(https)
        called = [*names, *local_names(name), "localhost"]
        return own_certificate(folder, name, called, own_addresses(), datetime.now(UTC))
    except (OSError, ValueError) as error:
        log.error("no HTTPS, so no phone can be camera or clock: %s", error)
        return None


def own_certificate(
    folder: Path, table: str, names: Sequence[str], addresses: Sequence[str], now: datetime
) -> PageCertificate:
    """The table's certificate kept in a folder, made where there is none that will do: for these
    names and addresses, at this date. Tables that share a folder share its authority. Raises
    OSError.
    """
    life = LIFE
    if now.timestamp() < EARLIEST:
        # A Pi without a battery believes in 1970; its visitors do not.
        now, life = datetime.fromtimestamp(EARLIEST, UTC), AUTHORITY_LIFE
    authority, chain = folder / "https-authority.pem", folder / f"https-{table}.pem"
    ca = _kept(authority, authority.with_suffix(".key"))
    if ca is None or ca[0].not_valid_after_utc < now + LIFE:
        ca = _make_authority(now)
        _keep(authority, authority.with_suffix(".key"), [ca[0]], ca[1])
    wanted = _names(names, addresses)
    own = _kept(chain, chain.with_suffix(".key"))
    if own is None or not _will_do(own[0], ca[0], wanted, now, life):
        own = _make_certificate(ca, wanted, now, life)
        _keep(chain, chain.with_suffix(".key"), [own[0], ca[0]], own[1])
    return PageCertificate(chain, chain.with_suffix(".key"), certificate_digest(own[0]), authority)


def certificate_digest(shown: x509.Certificate) -> str:
    """SHA-256 of a certificate in pairs of digits."""
    return shown.fingerprint(hashes.SHA256()).hex(":").upper()


def _names(names: Sequence[str], addresses: Sequence[str]) -> list[x509.GeneralName]:
    """What the certificate is for; addresses out in the world are left out, for the authority may
    not speak for them.
    """
    found: list[x509.GeneralName] = [x509.DNSName(name) for name in dict.fromkeys(names)]
    for address in dict.fromkeys((*addresses, "127.0.0.1")):
        with contextlib.suppress(ValueError):
            ip = ipaddress.ip_address(address)
            if any(ip in net for net in PRIVATE):
                found.append(x509.IPAddress(ip))
    return found


def _will_do(
    own: x509.Certificate,
    ca: x509.Certificate,
    wanted: list[x509.GeneralName],
    now: datetime,
    life: timedelta,
) -> bool:
    kept = own.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return (
        own.issuer == ca.subject
        and _signed_by(own, ca)
        and set(wanted) <= set(kept)
        and own.not_valid_before_utc <= now < own.not_valid_after_utc - RENEWED
        and own.not_valid_after_utc - own.not_valid_before_utc <= life
    )


def _signed_by(own: x509.Certificate, ca: x509.Certificate) -> bool:
    try:
        own.verify_directly_issued_by(ca)
    except Exception:  # Whatever is wrong with it, another one is made.
        return False
    return True


def _make_authority(now: datetime) -> tuple[x509.Certificate, Key]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = _subject(f"takhte {os.urandom(3).hex()}")
    local = [x509.DNSName("local"), x509.DNSName("localhost")]
    allowed: list[x509.GeneralName] = [*local, *map(x509.IPAddress, PRIVATE)]
    made = (
        _builder(name, name, key, now, AUTHORITY_LIFE)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(x509.NameConstraints(allowed, None), critical=True)
        .sign(key, hashes.SHA256())
    )
    return made, key


def _make_certificate(
    ca: tuple[x509.Certificate, Key],
    wanted: list[x509.GeneralName],
    now: datetime,
    life: timedelta,
) -> tuple[x509.Certificate, Key]:
    key = ec.generate_private_key(ec.SECP256R1())
    made = (
        _builder(_subject("takhte"), ca[0].subject, key, now, life)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(wanted), critical=False)
        .sign(ca[1], hashes.SHA256())
    )
    return made, key


def _subject(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: Key, now: datetime, life: timedelta
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        # Phones whose clock is a little behind should not be told that it is not valid yet.
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now - timedelta(days=1) + life)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _kept(chain: Path, key: Path) -> tuple[x509.Certificate, Key] | None:
    """A certificate and its key; None where either is missing, broken, or not the other's."""
    try:
        found = x509.load_pem_x509_certificates(chain.read_bytes())[0]
        private = serialization.load_pem_private_key(key.read_bytes(), None)
    except (FileNotFoundError, ValueError, TypeError):
        return None
    if not isinstance(private, Key) or private.public_key() != found.public_key():
        return None
    return found, private


def _keep(chain: Path, key: Path, certificates: Sequence[x509.Certificate], private: Key) -> None:
    """Write both, each whole or not at all; the key for this user alone."""
    secret = private.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    shown = b"".join(c.public_bytes(serialization.Encoding.PEM) for c in certificates)
    chain.parent.mkdir(parents=True, exist_ok=True)
    for path, data in ((key, secret), (chain, shown)):
        part = path.with_name(path.name + ".part")
        part.unlink(missing_ok=True)
        part.touch(mode=0o600)
        part.write_bytes(data)
        part.replace(path)
