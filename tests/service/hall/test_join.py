"""`takhte join`: by typing, by a picture held before a camera; and the family that begins to
publish by itself.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import nats.errors
import pytest
import segno

from service.appliance.joined import Joined, JoinedError, joined_path, load_joined, save_joined
from service.appliance.run import Child, Family
from service.appliance.systemd import Logbook
from service.hall import join
from service.hall.certificate import line_certificate
from service.hall.nats_line import connect
from service.journal.keys import table_key
from service.settings import Settings
from tests.service.hall.served import ServedHall


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedHall]:
    served = ServedHall(tmp_path_factory.mktemp("join"))
    yield served
    served.close()


def test_a_table_joins_by_what_a_person_types(
    hall: ServedHall, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = tmp_path / "t1.journal"
    code = hall.code("t1")
    assert join.main([hall.url, f"{code[:4].lower()}-{code[4:]}", "--journal", str(journal)]) == 0
    found = load_joined(joined_path(journal))
    assert found.table == "t1" and found.hall == hall.app.state.hall.line.public
    said = capsys.readouterr().out
    assert "table t1" in said and "this table's key" in said
    assert join.main([hall.url, code, "--journal", str(journal)]) == 1
    assert "the hall says no" in capsys.readouterr().err
    assert (
        join.main(["--leave", "--journal", str(journal)]) == 0 and not joined_path(journal).exists()
    )


def test_a_table_joins_by_a_picture_of_the_code_and_only_the_hall_that_made_it(
    hall: ServedHall, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal, picture = tmp_path / "t2.journal", tmp_path / "code.png"
    for ident, outcome in (("0" * 20, 1), (hall.app.state.hall.line.hall, 0)):
        address = f"{hall.url}/join?code={hall.code('t2')}&hall={ident}"
        segno.make(address, micro=False, error="m").save(str(picture), scale=8, border=4)
        assert join.main(["--camera", str(picture), "--journal", str(journal)]) == outcome, (
            capsys.readouterr().err
        )
        assert joined_path(journal).exists() is (outcome == 0)
    assert "impostor" in capsys.readouterr().err


MISSED = (
    "http://127.0.0.1:50669/join?code=3TB4CWVG&hall=e70cad19461922995d84",
    "http://127.0.0.1:32511/join?code=U6SBAP9S&hall=728b93e8319002d3167d",
)
"""Codes that a plain reader of QR codes misses although nothing is wrong with them."""


@pytest.mark.parametrize("address", MISSED)
def test_a_clean_code_is_read(address: str, tmp_path: Path) -> None:
    picture = tmp_path / "code.png"
    segno.make(address, micro=False, error="m").save(str(picture), scale=8, border=4)
    assert join.code_in_pictures(str(picture)) == address


def test_no_hall_and_no_code_are_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = str(tmp_path / "t.journal")
    for words in (
        ["http://127.0.0.1:1", "ABCD"],
        ["http://127.0.0.1:1"],
        ["--camera", str(tmp_path / "none.png")],
    ):
        assert join.main([*words, "--journal", journal]) == 1
        assert len(capsys.readouterr().err.splitlines()) == 1


def test_what_a_hall_answers_is_checked(tmp_path: Path) -> None:
    good = Joined("ab" * 32, "nats://10.0.0.5:4222", "t1")
    save_joined(tmp_path / "x.json", good)
    assert load_joined(tmp_path / "x.json") == good
    for wrong in (
        {"hall": "x"},
        {"nats": "http://x:1"},
        {"nats": "nats://u:p@x:1"},
        {"table": "../x"},
    ):
        with pytest.raises(JoinedError):
            Joined(**{"hall": good.hall, "nats": good.nats, "table": good.table, **wrong})


def test_the_family_begins_to_publish_once_a_hall_was_joined(tmp_path: Path) -> None:
    mark = tmp_path / "t1.hall.json"
    started = []

    class Counted(Child):
        __slots__ = ()

        def start(self, now: float, logbook: Logbook) -> None:
            started.append(now)

    child = Counted("the publisher", [], needed=False, once=mark)
    family = Family([child], Logbook(Settings().log))
    family._look_after(child, 1.0)
    assert not started
    mark.touch()
    family._look_after(child, 2.0)
    assert started == [2.0]


def test_the_line_is_encrypted_to_the_hall_that_was_joined_and_to_nobody_else(
    hall: ServedHall, tmp_path: Path
) -> None:
    key = table_key(tmp_path / "t.key")
    joined = join.ask_hall(hall.url, join.request_of(hall.code("t7"), key))
    assert joined.certificate == hall.app.state.hall.certificate
    with pytest.raises(ssl.SSLError):
        asyncio.run(answered(joined.nats, line_certificate(tmp_path / "other").text))
    assert asyncio.run(answered(joined.nats, joined.certificate)) == "answered"
    # Who listens in between hears the server's greeting and nothing that could be read.
    port = int(joined.nats.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as line:
        greeting = line.recv(4096)
    assert b'"tls_required":true' in greeting


async def answered(address: str, certificate: str) -> str:
    """Whether a server of this certificate answers; it refuses whoever is no table of its."""
    refused = asyncio.Event()
    try:
        await connect(address, bytes(32), "nobody", "_INBOX_x", refused.set, certificate)
    except (nats.errors.Error, OSError) as error:
        if isinstance(error, ssl.SSLError):
            raise
        return "answered"
    return "let in"


def test_an_answer_that_the_hall_did_not_sign_is_refused(
    hall: ServedHall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody between puts a line of his own into the hall's answer."""
    other = line_certificate(tmp_path / "other").text
    for change in ({"certificate": other}, {"nats": "nats://10.9.9.9:4222"}, {"signature": ""}):
        key = table_key(tmp_path / "t.key")

        def changed(text: bytes, change: dict[str, str] = change) -> object:
            return {**json.loads(text), **change}

        request = join.request_of(hall.code("t8"), key)
        monkeypatch.setattr(join, "json", SimpleNamespace(loads=changed, dumps=json.dumps))
        with pytest.raises(JoinedError, match="signed"):
            join.ask_hall(hall.url, request)
        monkeypatch.undo()


def test_a_code_is_good_once_and_only_for_who_holds_the_key(hall: ServedHall) -> None:
    key = hall.key_of("spare")
    code = hall.code("t7")
    body = join.request_of(code, key)
    with pytest.raises(JoinedError, match="signature"):
        join.ask_hall(
            hall.url, {**body, "key": join.request_of(code, hall.key_of("another"))["key"]}
        )
    joined = join.ask_hall(hall.url, body)
    assert joined.table == "t7" and joined.hall == hall.app.state.hall.line.public
    with pytest.raises(JoinedError, match="ask the hall"):
        join.ask_hall(hall.url, body)
    with pytest.raises(JoinedError, match="already"):
        join.ask_hall(hall.url, join.request_of(hall.code("t8"), key))


def test_what_a_person_types_or_a_picture_holds_is_the_same_address() -> None:
    assert join.read_address("hall.local:8010", "abcd-efgh") == (
        "http://hall.local:8010",
        "ABCDEFGH",
        "",
    )
    assert join.read_address("http://10.0.0.5:8010/join?code=ABCDEFGH&hall=c0ffee", "") == (
        "http://10.0.0.5:8010",
        "ABCDEFGH",
        "c0ffee",
    )
    for wrong, code in [("", "A"), ("ftp://x", "A"), ("http://hall:1", "")]:
        with pytest.raises(JoinedError):
            join.read_address(wrong, code)
