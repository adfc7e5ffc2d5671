"""HTTPS of the table's own: its certificate, what it may speak for, and the door behind TLS."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
import stat
import threading
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from cryptography import x509

from service.web.__main__ import page_options
from service.web.app import create_app
from service.web.certificate import given_certificate, own_certificate
from service.web.door import Capacity, Door, Doorkeeper
from service.web.serving import PageServer, secure_doors
from tests.service.web.hand import HandTable

NOW = datetime(2026, 11, 22, tzinfo=UTC)
NAMES = ["takhte.local", "localhost"]
PERSON = {"accept": "text/html"}
AFAR = {"host": "192.0.2.7:8000", **PERSON}
"""A browser on the club's network, at the plain door."""


def test_it_is_made_once_and_kept_for_its_owner_alone(tmp_path: Path) -> None:
    first = own_certificate(tmp_path, "t1", NAMES, ["192.168.1.20"], NOW)
    again = own_certificate(tmp_path, "t1", NAMES, ["192.168.1.20"], NOW + timedelta(days=300))
    assert first == again
    assert all(stat.S_IMODE(p.stat().st_mode) == 0o600 for p in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("names", "addresses", "days"),
    [
        (NAMES, ["192.168.1.21"], 0),
        ([*NAMES, "takhte-9.local"], ["192.168.1.20"], 0),
        (NAMES, ["192.168.1.20"], 380),
    ],
)
def test_it_is_made_anew_by_the_same_authority(
    names: list[str], addresses: list[str], days: int, tmp_path: Path
) -> None:
    first = own_certificate(tmp_path, "t1", NAMES, ["192.168.1.20"], NOW)
    assert first.authority is not None
    trusted = first.authority.read_bytes()
    later = own_certificate(tmp_path, "t1", names, addresses, NOW + timedelta(days=days))
    assert later.fingerprint != first.fingerprint
    assert later.authority is not None and later.authority.read_bytes() == trusted


@pytest.mark.parametrize("broken", ["https-t1.pem", "https-t1.key", "https-authority.pem"])
def test_a_broken_file_is_replaced(broken: str, tmp_path: Path) -> None:
    own_certificate(tmp_path, "t1", NAMES, [], NOW)
    (tmp_path / broken).write_text("-----BEGIN nothing")
    made = own_certificate(tmp_path, "t1", NAMES, [], NOW)
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(made.chain, made.key)


def test_the_authority_speaks_for_nothing_but_the_local_network(tmp_path: Path) -> None:
    made = own_certificate(tmp_path, "t1", NAMES, ["192.168.1.20", "8.8.8.8", "nonsense"], NOW)
    own, ca = x509.load_pem_x509_certificates(made.chain.read_bytes())
    said = own.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert said.get_values_for_type(x509.IPAddress) == [
        ipaddress.ip_address("192.168.1.20"),
        ipaddress.ip_address("127.0.0.1"),
    ]
    limits = ca.extensions.get_extension_for_class(x509.NameConstraints)
    assert limits.critical and limits.value.permitted_subtrees
    assert x509.DNSName("local") in limits.value.permitted_subtrees


def test_a_machine_without_a_date_gets_one_that_lasts(tmp_path: Path) -> None:
    made = own_certificate(tmp_path, "t1", NAMES, [], datetime(1970, 1, 1, tzinfo=UTC))
    (own, _) = x509.load_pem_x509_certificates(made.chain.read_bytes())
    assert own.not_valid_before_utc <= NOW < own.not_valid_after_utc
    dated = own_certificate(tmp_path, "t1", NAMES, [], NOW)
    assert dated.fingerprint != made.fingerprint


def test_two_files_of_the_clubs_own(tmp_path: Path) -> None:
    made = own_certificate(tmp_path, "t1", NAMES, [], NOW)
    given = given_certificate(f"{made.chain},{made.key}")
    assert (given.fingerprint, given.authority) == (made.fingerprint, None)
    with pytest.raises(ValueError, match="two files"):
        given_certificate("somewhere.pem")


def test_what_cannot_be_had_leaves_the_page_without_https(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    journal = str(tmp_path / "a.journal")
    assert page_options(["--journal", journal]).certificate is None
    wrong = page_options(["--journal", journal, "--https", "/nowhere.pem,/nowhere.key"])
    assert wrong.certificate is None and wrong.https_port == 0 and "no HTTPS" in caplog.text
    given = page_options(["--journal", journal, "--https", "own", "--https-port", "0"])
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert secure_doors(
            "127.0.0.1", taken.getsockname()[1], given.certificate, Doorkeeper(Capacity())
        ) == ([], None)
    assert "--https-port" in caplog.text


def test_one_application_behind_both_doors(tmp_path: Path) -> None:
    """Plain and TLS at once; the browser that trusts the authority is content, another is not."""
    table = HandTable(tmp_path)
    config = page_options(["--journal", str(table.journal), "--https", "own"])
    assert config.certificate is not None and config.certificate.authority is not None
    keeper = Doorkeeper(Capacity())
    door = Door(socket.create_server(("127.0.0.1", 0)), keeper)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    secure, tls = secure_doors("127.0.0.1", port, config.certificate, keeper)
    app = create_app(config)
    app.state.behind_tls = True
    server = PageServer(app, [door], (), secure, tls)
    thread = threading.Thread(target=server.run_doors, daemon=True)
    thread.start()
    until = time.monotonic() + 20
    while len(getattr(server, "servers", [])) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    try:
        trusting = ssl.create_default_context(cafile=str(config.certificate.authority))
        for address in (f"https://localhost:{port}", f"https://127.0.0.1:{port}"):
            with urllib.request.urlopen(f"{address}/-/healthy", context=trusting) as answer:
                assert answer.status == 200
        with urllib.request.urlopen(
            f"http://127.0.0.1:{door.getsockname()[1]}/-/healthy"
        ) as answer:
            assert answer.status == 200
        with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
            urllib.request.urlopen(f"https://localhost:{port}/-/healthy")
        plain = f"http://127.0.0.1:{door.getsockname()[1]}"
        for path in ("/sign-in", "/pair?code=ABCD2345", "/arbiter"):
            page = httpx.get(plain + path, headers=AFAR)
            assert f'href="https://192.0.2.7:8443{path}"' in page.text, "led there from afar"
            assert "secured" not in httpx.get(plain + path).text, "the machine itself needs none"
        for path in ("/sign-in", "/arbiter"):
            page = httpx.get(plain + path, headers=AFAR)
            assert 'type="password"' not in page.text, "no password is typed in plain"
            assert 'type="password"' in httpx.get(plain + path, headers=PERSON).text
        tried = {"name": "director", "password": "a long password"}
        refused = httpx.post(f"{plain}/api/v1/sign-in", json=tried, headers={"host": AFAR["host"]})
        assert refused.status_code == 403 and "set-cookie" not in refused.headers
        assert refused.json()["error"]["code"] == "not_secured"
        assert httpx.post(f"{plain}/api/v1/sign-in", json=tried).status_code == 401
        with urllib.request.urlopen(f"https://localhost:{port}/sign-in", context=trusting) as it:
            assert b"secured" not in it.read()
    finally:
        server.should_exit = True
        thread.join(5)
        table.close()


def test_where_the_certificate_is_the_clubs_own_the_form_is_behind_tls_at_once(
    tmp_path: Path,
) -> None:
    table = HandTable(tmp_path)
    made = own_certificate(tmp_path, "t1", NAMES, [], NOW)
    words = ["--journal", str(table.journal), "--https", f"{made.chain},{made.key}"]
    app = create_app(page_options(words))
    app.state.behind_tls = True

    async def asked() -> httpx.Response:
        way = httpx.ASGITransport(app, client=("192.0.2.9", 1))
        async with httpx.AsyncClient(transport=way, base_url="http://192.0.2.7:8000") as device:
            return await device.get("/sign-in?lang=fa", headers=PERSON)

    led = asyncio.run(asked())
    table.close()
    assert led.status_code == 307
    assert led.headers["location"] == "https://192.0.2.7:8443/sign-in?lang=fa"
