"""A stamp by an authority of its own, openssl's: had, checked by it and by us, and never believed
for other bytes.
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.record.archive import write_archive
from service.record.command import main
from service.record.stamps import StampError, stamp, stamp_path, stamped_at

SETTINGS = """
[req]
distinguished_name = name
[name]
[stamps]
extendedKeyUsage = critical,timeStamping
keyUsage = critical,digitalSignature
basicConstraints = critical,CA:false
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[root]
basicConstraints = critical,CA:true
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[tsa]
default_tsa = own
[own]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
ess_cert_id_alg = sha256
"""


def openssl(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["openssl", *words], cwd=folder, check=True, capture_output=True, timeout=30
    )


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Its address, and its root certificate."""
    home = tmp_path_factory.mktemp("authority")
    (home / "own.cnf").write_text(SETTINGS)
    (home / "serial").write_text("01")
    made = ("-newkey", "rsa:2048", "-nodes", "-config", "own.cnf")
    root = ("-x509", "-subj", "/CN=Root", "-extensions", "root", "-keyout", "root.key")
    openssl(home, "req", *made, *root, "-out", "root.pem", "-days", "2")
    openssl(home, "req", *made, "-subj", "/CN=Stamps", "-keyout", "tsa.key", "-out", "tsa.csr")
    signs = ("-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial", "-days", "2")
    says = ("-extfile", "own.cnf", "-extensions", "stamps", "-out", "tsa.pem")
    openssl(home, "x509", "-req", "-in", "tsa.csr", *signs, *says)

    class Stamps(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            (home / "asked").write_bytes(self.rfile.read(int(self.headers["content-length"])))
            signer = ("-signer", "tsa.pem", "-inkey", "tsa.key")
            files = ("-config", "own.cnf", "-queryfile", "asked", "-out", "reply")
            openssl(home, "ts", "-reply", *files, *signer)
            self.send_response(200)
            self.end_headers()
            self.wfile.write((home / "reply").read_bytes())

        def log_message(self, *_: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Stamps)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", home / "root.pem"
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_archive_is_stamped_and_anybody_can_check_it(
    authority: tuple[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    address, root = authority
    archive = tmp_path / "t1.takhte"
    archive.write_bytes(write_archive([], Ed25519PrivateKey.generate(), "t1", "takhte"))
    assert main(["stamp", str(archive), address]) == 0
    reply = str(stamp_path(archive))
    checked = ("-data", str(archive), "-in", reply, "-CAfile", str(root))
    assert b"Verification: OK" in openssl(tmp_path, "ts", "-verify", *checked).stdout
    assert main(["verify", str(archive), "--stamped-by", str(root)]) == 0
    assert f"was there by {stamped_at(archive, root).isoformat()}" in capsys.readouterr().out
    assert main(["verify", str(archive)]) == 0
    assert "has a stamp" in capsys.readouterr().out
    # The same stamp beside another archive, and one of another authority.
    other = tmp_path / "t2.takhte"
    other.write_bytes(write_archive([], Ed25519PrivateKey.generate(), "t2", "takhte"))
    stamp_path(other).write_bytes(stamp_path(archive).read_bytes())
    assert main(["verify", str(other), "--stamped-by", str(root)]) == 1
    made = ("-newkey", "rsa:2048", "-nodes", "-keyout", "x.key", "-subj", "/CN=Root")
    openssl(tmp_path, "req", "-x509", *made, "-out", "x.pem")
    with pytest.raises(StampError, match="got another"):
        stamped_at(archive, tmp_path / "x.pem")


def test_an_authority_that_is_none(tmp_path: Path, authority: tuple[str, Path]) -> None:
    archive = tmp_path / "t1.takhte"
    archive.write_bytes(write_archive([], Ed25519PrivateKey.generate(), "t1", "takhte"))
    for address, said in (
        ("file:///etc/passwd", "expected the address"),
        ("http://127.0.0.1:1", "got none"),
    ):
        with pytest.raises(StampError, match=said):
            stamp(archive, address)
    assert not stamp_path(archive).exists()
