"""Accounts, sessions, pairing."""

from __future__ import annotations

import asyncio
import stat
from pathlib import Path

import pytest

from service.journal.entry import Role
from service.web.access import SLOWEST, Access, AccessError, tell_first_password
from service.web.authority import RefusedRequest
from service.web.lanes import HASHING, WAITING, Lanes
from service.web.policy import GUEST, Visitor


@pytest.fixture
def access(tmp_path: Path) -> Access:
    return Access(tmp_path / "access.db")


def test_the_first_start_makes_one_director_once(access: Access) -> None:
    secret = access.first_start()
    assert secret and access.first_start() is None
    assert access.visitor(access.sign_in("director", secret)) == Visitor("director", Role.DIRECTOR)
    assert secret.encode() not in access.path.read_bytes()


def test_only_its_owner_may_read_the_file(access: Access) -> None:
    assert stat.S_IMODE(access.path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("name", "password"), [("director", "wrong"), ("nobody", "wrong"), ("", "")]
)
def test_wrong_passwords_say_nothing_about_which_part_was_wrong(
    access: Access, name: str, password: str
) -> None:
    access.first_start()
    with pytest.raises(AccessError, match="the name or the password is not right"):
        access.sign_in(name, password)


def test_failures_slow_down_and_never_ban(access: Access) -> None:
    waits = []
    for _ in range(40):
        access.failed("name:x")
        waits.append(access.slow_down("name:x", "address:y"))
    assert waits == sorted(waits)
    assert 0 < waits[0] < waits[3] <= max(waits) == SLOWEST
    assert access.slow_down("name:other") == 0
    access.succeeded("name:x")
    assert access.slow_down("name:x") == 0


def test_tries_at_once_are_as_slow_as_tries_in_a_row(access: Access) -> None:
    """Twenty at once: the first ones wait for each other, the rest are told to come again."""
    lanes, inside, most, refused = Lanes(), 0, 0, 0

    async def one_try(number: int) -> None:
        nonlocal inside, most, refused
        try:
            async with lanes.of("name:director", f"address:{number % 3}"):
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0)
                access.failed("name:director")
                inside -= 1
        except RefusedRequest as error:
            assert error.status_code == 429
            refused += 1

    async def all_of_them() -> None:
        await asyncio.gather(*(one_try(n) for n in range(20)))

    asyncio.run(all_of_them())
    assert most == 1 and refused == 20 - WAITING
    assert access.slow_down("name:director") == SLOWEST
    assert not lanes._locks


def test_a_device_that_signed_in_before_waits_for_nobody(access: Access) -> None:
    """A crowd that tries the director's name fills its lane and the strangers' place; his own
    device is heard at once. It is known for that person alone, until the password changes."""
    secret = access.first_start()
    assert secret is not None
    token = access.remember_device("director")
    assert access.knows_device("director", token) and not access.knows_device("omid", token)
    lanes, refused = Lanes(), 0
    done: list[str] = []

    async def stranger(number: int) -> None:
        nonlocal refused
        try:
            async with lanes.of(f"name:{number}"):
                await lanes.hashing(lambda: done.append("stranger"), known=False)
        except RefusedRequest:
            refused += 1

    async def all_of_them() -> None:
        async with lanes._strangers:
            crowd = [asyncio.create_task(stranger(n)) for n in range(200)]
            await asyncio.sleep(0)
            async with lanes.of("device:x"):
                await lanes.hashing(lambda: done.append("director"), known=True)
            assert done == ["director"]
        await asyncio.gather(*crowd)

    asyncio.run(all_of_them())
    assert done.count("stranger") == HASHING and refused == 200 - HASHING
    access.set_account("director", "another sentence", Role.DIRECTOR, None)
    assert not access.knows_device("director", token)


def test_what_is_remembered_of_wrong_tries_is_bounded(
    access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.web.access.MOST_REMEMBERED", 100)
    for number in range(1000):
        access.failed(f"address:{number}")
        access.failed("name:director")
    assert len(access._failures) == 100 and access.slow_down("name:director") == SLOWEST


def test_nobody_gives_more_than_he_has() -> None:
    some = Visitor("omid", Role.DIRECTOR, None, frozenset({"t1", "t2"}))
    assert some.may_give({"t1"}) and not some.may_give({"t1", "t3"}) and not some.may_give(None)
    assert Visitor("all", Role.DIRECTOR).may_give(None)


def test_the_audit_is_bounded(access: Access, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.web.access.MOST_AUDITED", 20)
    for number in range(50):
        access.audit("somebody", f"try {number}")
    kept = [what for _, _, what in access.audited()]
    assert len(kept) == 20 and kept[0] == "try 49"


def test_a_pairing_code_is_good_once(access: Access) -> None:
    visitor = Visitor("tablet", Role.PLAYER, None, frozenset({"t1"}))
    code = access.pairing(visitor)
    assert access.visitor(access.pair(f" {code[:4].lower()}-{code[4:]} ")) == visitor
    with pytest.raises(AccessError):
        access.pair(code)


def test_changing_or_removing_an_account_ends_its_sessions(access: Access) -> None:
    access.first_start()
    access.set_account("sara", "a long sentence", Role.ARBITER, ["t1"])
    token = access.sign_in("sara", "a long sentence")
    assert access.visitor(token).tables == frozenset({"t1"})
    access.set_account("sara", "another sentence", Role.ARBITER, None)
    assert access.visitor(token) == GUEST
    token = access.sign_in("sara", "another sentence")
    access.remove_account("sara")
    assert access.visitor(token) == GUEST


def test_the_last_director_stays(access: Access) -> None:
    access.first_start()
    with pytest.raises(AccessError, match="last director"):
        access.remove_account("director")


@pytest.mark.parametrize("token", ["", "x", "a" * 43, "a" * 5000, "' OR 1=1 --" * 3])
def test_unknown_tokens_are_guests(access: Access, token: str) -> None:
    assert access.visitor(token) == GUEST


def test_players_are_paired_not_given_passwords(access: Access) -> None:
    with pytest.raises(AccessError, match="pair"):
        access.set_account("p", "a long sentence", Role.PLAYER, None)


def test_the_first_password_is_in_no_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tell_first_password("abcd-efgh", tmp_path)
    said = capsys.readouterr()
    file = tmp_path / "first-password.txt"
    assert "abcd" not in said.out + said.err and str(file) in said.err
    assert file.read_text() == "abcd-efgh\n" and file.stat().st_mode & 0o777 == 0o600
    file.unlink()
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    tell_first_password("abcd-efgh", tmp_path)
    assert "abcd-efgh" in capsys.readouterr().out and not file.exists()
