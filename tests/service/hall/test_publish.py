"""Tables and hall over a real nats-server: nothing lost, twice or out of order, whatever is cut,
killed or replaced.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from pathlib import Path

import nats.errors
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.hall.identity import key_id, link_seed
from service.hall.ledger import (
    PURPOSE,
    Ledger,
    MessageRefused,
    PairedBoard,
    Reason,
    accept_or_refuse,
)
from service.hall.line import LineDownError
from service.hall.nats_line import connect
from service.hall.wire import Bundle, Command, entries_of, inbox_of, sign_message
from service.journal.chain import GENESIS, seal_entry
from service.journal.entries import MatchSet, Noted, Role, TableOpened, Who
from service.journal.erasing import erase_name
from service.journal.erasures import statement, text_digest
from service.journal.store import Store
from service.referee.refusal import Done, Refusal
from tests.service.hall.making import MadeHall, played, until


def refusals(made: MadeHall) -> list[Reason]:
    return [v.reason for v in made.verdicts if isinstance(v, MessageRefused)]


def test_entries_come_in_order_and_go_on_after_hours_offline(tmp_path: Path) -> None:
    async def story(made: MadeHall) -> None:
        one, two = made.table("t1"), made.table("t2")
        for table in (one, two):
            table.start()
        await until(lambda: made.believed(one) and made.believed(two))
        # Eight hours without the hall: thousands of entries, and the server's memory of message ids
        # long gone.
        await one.stop()
        one.note(3000, every=9.6)
        assert one.clock > 8 * 3600
        two.note(20)
        one.start()
        await until(lambda: made.believed(one) and made.believed(two))
        assert not refusals(made) and made.model.ledgers["t1"].seq == 3002
        assert made.model.size()["entries"] == 3002 + 22

    played(story, tmp_path)


def test_the_server_killed_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    async def story(made: MadeHall) -> None:
        table = made.table("t1")
        table.start()
        for i in range(6):
            table.note(40)
            os.kill(made.server.pid, signal.SIGKILL)
            table.note(20)
            await asyncio.to_thread(made.server.start)
            if i % 2:
                await until(lambda: made.believed(table))
        await until(lambda: made.believed(table))
        assert not refusals(made)

    played(story, tmp_path)


def test_the_hall_killed_goes_on_from_its_model_and_can_make_it_again(tmp_path: Path) -> None:
    async def story(made: MadeHall) -> None:
        table = made.table("t1")
        table.start()
        table.note(300)
        await until(lambda: made.believed(table))
        await made.shut()
        table.note(100)
        made.verdicts.clear()
        made.open()
        await until(lambda: made.believed(table))
        assert made.model.ledgers["t1"].seq == 402 and not refusals(made)
        again, mark = made.model.fingerprint(), made.model.number
        await made.shut()
        (tmp_path / "model.db").unlink()
        made.open()
        await until(lambda: made.model.number == mark)
        assert made.model.fingerprint() == again

    played(story, tmp_path)


def test_a_stream_that_lost_its_disk_is_filled_again_by_the_tables(tmp_path: Path) -> None:
    async def story(made: MadeHall) -> None:
        table = made.table("t1")
        table.start()
        table.note(200)
        await until(lambda: made.believed(table))
        os.kill(made.server.pid, signal.SIGKILL)
        await until(lambda: not made.line.up)
        shutil.rmtree(tmp_path / "stream")
        table.note(5)
        await asyncio.to_thread(made.server.start)
        await until(lambda: made.believed(table))
        assert not refusals(made) and made.model.ledgers["t1"].seq == 207

    played(story, tmp_path)


def test_a_table_replaced_by_another_board_in_the_middle(tmp_path: Path) -> None:
    async def story(made: MadeHall) -> None:
        old = made.table("t1")
        old.start()
        old.note(30)
        await until(lambda: made.believed(old))
        new = made.table("t1", "other-board")
        new.start()
        new.note(3)
        old.note(7)
        await until(lambda: made.believed(new))
        assert [n for _, n in made.model.epochs("t1")] == [32, 5], "what the first board said stays"
        assert old.publisher is not None
        await until(lambda: old.publisher is not None and not old.publisher.connected)
        assert made.believed(new), "the old board is let in no more"
        # A third board takes up the second one's journal from a backup.
        third_home = tmp_path / "third-board"
        third_home.mkdir()
        await new.stop()
        new.store.close()
        shutil.copy(new.journal, third_home / "t.journal")
        third = made.table("t1", "third-board")
        new.store = Store.open(new.journal)
        third.note(4)
        third.start()
        await until(lambda: made.believed(third))
        assert made.model.ledgers["t1"].seq == 9 and len(made.model.epochs("t1")) == 3

    played(story, tmp_path)


def test_a_journal_set_aside_under_a_running_publisher_becomes_an_epoch_of_its_own(
    tmp_path: Path,
) -> None:
    async def story(made: MadeHall) -> None:
        table = made.table("t1")
        table.start()
        table.note(10)
        await until(lambda: made.believed(table))
        table.store.close()
        for path in table.journal.parent.glob("t.journal*"):
            path.rename(path.with_name(path.name.replace("t.journal", "old.journal")))
        table.store = Store.open(table.journal)
        table.say(TableOpened("t1", "test"), MatchSet("backgammon", length=3), Noted("begun anew"))
        await until(lambda: made.believed(table))
        assert [n for _, n in made.model.epochs("t1")] == [12, 3]

    played(story, tmp_path)


def test_no_table_may_write_or_read_what_is_another_s(tmp_path: Path) -> None:
    async def story(made: MadeHall) -> None:
        one, two = made.table("t1"), made.table("t2")
        two.start()
        await until(lambda: made.believed(two))
        denied: list[str] = []
        line = await connect(
            made.server.address, link_seed(one.key), "thief", inbox_of("t1"), lambda: None
        )

        async def said(error: Exception) -> None:
            denied.append(str(error))

        line._error_cb = said
        await line.publish(entries_of("t2"), b"x")
        await line.publish("hall.status.t2", b"x")
        await line.publish("hall.commands.t2", b"x")
        await line.publish("$JS.API.STREAM.MSG.GET.ENTRIES", b'{"seq":1}')
        await line.publish("$JS.API.DIRECT.GET.ENTRIES.hall.entries.t2", b"")
        await line.publish("$JS.API.STREAM.DELETE.ENTRIES", b"")
        for subject in (
            ">",
            "hall.commands.t2",
            "hall.commands.>",
            "hall.entries.t2",
            "_INBOX_t2.>",
        ):
            await line.subscribe(subject)
        await until(lambda: len(denied) >= 11)
        assert all("permissions violation" in text.lower() for text in denied)
        await line.close()
        with pytest.raises((nats.errors.Error, OSError)):
            await connect(
                made.server.address,
                link_seed(Ed25519PrivateKey.generate()),
                "stranger",
                "_INBOX_x",
                lambda: None,
            )
        assert made.believed(two)

    played(story, tmp_path)


def test_forged_and_replayed_entries_are_refused_kept_and_harm_nothing(tmp_path: Path) -> None:
    async def story(made: MadeHall) -> None:
        table = made.table("t1")
        table.start()
        table.note(5)
        await until(lambda: made.believed(table))
        await table.stop()
        # Whoever holds the server itself can put anything into the stream.
        line = await connect(
            made.server.address, link_seed(made.key), "thief", "_INBOX_thief", lambda: None
        )
        stream = line.jetstream()
        stored = await stream.get_msg("ENTRIES", 1)
        assert stored.data is not None
        own = {k: v for k, v in (stored.headers or {}).items() if k.startswith("Takhte")}
        await stream.publish(entries_of("t1"), stored.data, headers=own)
        rows = table.rows()
        wrong = sign_message(
            Ed25519PrivateKey.generate(),
            PURPOSE,
            made.line.hall,
            entries_of("t1"),
            Bundle("t1", 9, tuple(rows)).body(),
        )
        await stream.publish(entries_of("t1"), wrong.data, headers=wrong.headers)
        await stream.publish(entries_of("t1"), b"nonsense")
        await until(lambda: len(refusals(made)) == 3)
        assert refusals(made) == [Reason.REPLAYED, Reason.FOREIGN, Reason.FORGED]
        assert [r["reason"] for r in made.model.refusals("t1")] == ["forged", "foreign", "replayed"]
        table.note(5)
        table.start()
        await until(lambda: made.believed(table))
        await table.stop()
        last = await stream.get_last_msg("ENTRIES", entries_of("t1"))
        assert last.data is not None
        await stream.publish(
            entries_of("t1"),
            last.data,
            headers={k: v for k, v in (last.headers or {}).items() if k.startswith("Takhte")},
        )
        table.note(5)
        table.start()
        await until(lambda: made.believed(table) and made.model.ledgers["t1"].seq == 17)
        await line.close()

    played(story, tmp_path)


def test_commands_are_signed_carried_out_once_and_answered(tmp_path: Path) -> None:
    async def story(made: MadeHall) -> None:
        table = made.table("t1")
        table.start()
        table.say(Noted("x"), at=100.0)
        await until(lambda: made.believed(table) and "t1" in made.statuses)

        def command(number: int, **more: object) -> Command:
            given = {
                "until": 105.0,
                "name": "Ava",
                "args": {"reason": "a dispute"},
                "order": "freeze",
                **more,
            }
            return Command(f"id{number}", number, "t1", **given)  # type: ignore[arg-type]

        assert isinstance(await made.line.order(command(5)), Done)
        assert table.answers == [
            {
                "id": "hall",
                "order": "freeze",
                "args": {"reason": "a dispute"},
                "by": {"name": "Ava", "role": "arbiter", "side": None},
            }
        ]
        for again, code in [
            (command(5), "replayed"),
            (command(6, until=99.0), "too_late"),
            (command(7, order="use_camera"), "not_allowed"),
            (command(8, role="console"), "not_allowed"),
            (command(9, order="freeze", role="annotator"), "not_allowed"),
        ]:
            answer = await made.line.order(again)
            assert isinstance(answer, Refusal) and answer.code == code
        assert len(table.answers) == 1
        assert table.publisher is not None
        outcomes = table.publisher.status().answers
        assert outcomes == (("id5", True, str(table.store.seq)),)
        await table.stop()
        with pytest.raises(LineDownError):
            await made.line.order(command(20))

    played(story, tmp_path)


def test_a_command_waits_for_the_first_sign_of_life_of_a_table(tmp_path: Path) -> None:
    """A match that was called the moment a table was heard was refused: "no time"."""

    async def story(made: MadeHall) -> None:
        table = made.table("t1", new=True)
        table.start()
        assert table.publisher is not None
        await until(lambda: "t1" in made.statuses)
        judged = asyncio.create_task(table.publisher._table_time())
        await asyncio.sleep(0)
        assert not judged.done()
        table.say(Noted("x"), at=1.0)
        assert (await judged or 0.0) >= 1.0
        freeze = Command("id1", 1, "t1", "freeze", {"reason": "x"}, "Ava", "arbiter", 10.0)
        assert isinstance(await made.line.order(freeze), Done)

    played(story, tmp_path)


def test_a_disk_that_is_full_at_the_hall_holds_up_the_hall_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story(made: MadeHall) -> None:
        table = made.table("t1")
        table.start()
        await until(lambda: made.believed(table))
        # SQLite itself says that the disk is full: no page more than there are.
        pages = made.model._db.execute("PRAGMA page_count").fetchone()[0]
        made.model._db.execute(f"PRAGMA max_page_count = {pages}")
        table.note(400)
        await until(lambda: "disk" in made.line.problem)
        assert made.model.ledgers["t1"].seq < 402
        made.model._db.execute("PRAGMA max_page_count = 1073741823")
        await until(lambda: made.believed(table))
        assert not refusals(made) and made.line.problem == ""

    played(story, tmp_path)


@pytest.mark.parametrize("sent", [0, 1])
def test_a_record_that_lost_a_name_is_believed(tmp_path: Path, sent: int) -> None:
    """Also where the entry that says so comes in a later message, and the hall had a part."""

    async def story(made: MadeHall) -> None:
        table = made.table("t1")
        if sent:
            table.start()
            await until(lambda: made.believed(table))
            await table.stop()
        table.say(MatchSet("backgammon", length=5, white="Reza", black="Jan"))
        table.note(400)
        table.store.close()
        assert erase_name(table.journal, "Reza".__eq__, 1.8e9).entries
        table.store = Store.open(table.journal)
        table.start()
        await until(lambda: made.believed(table))
        assert not refusals(made)
        assert len(made.model.entries("t1")) == table.store.seq
        assert not any(b"Reza" in text for _, text, _ in made.model.rows("t1"))

    played(story, tmp_path)


def test_a_lie_passed_off_as_an_erasure_is_refused() -> None:
    key = Ed25519PrivateKey.generate()
    by, board = Who("", Role.REFEREE), key_id(key.public_key().public_bytes_raw())
    first, text = seal_entry(GENESIS, 1, 0.0, 0.0, by, MatchSet("backgammon", white="Reza"))
    changed = text.replace(b"Reza", b"")
    rolled, roll = seal_entry(first.hash, 2, 1.0, 1.0, by, TableOpened("t1", "x"))
    lie = roll.replace(b"t1", b"t2")

    def verdict(row: tuple[int, bytes, str], *said: bytes) -> object:
        before = () if row[0] == 1 else ((1, text, first.hash),)
        bundle = Bundle("t1", 1, (*before, row), said)
        subject = entries_of("t1")
        sealed = sign_message(key, PURPOSE, "hall", subject, bundle.body())
        boards = {("t1", board): PairedBoard("t1", board)}
        found = accept_or_refuse(Ledger(), boards, "hall", subject, 1, sealed)
        return found.reason if isinstance(found, MessageRefused) else "believed"

    def says(seq: int, what: bytes) -> bytes:
        stated = statement(3, {str(seq): text_digest(what)}, key)
        return seal_entry(rolled.hash, 3, 2.0, 2.0, by, stated)[1]

    erased = (1, changed, first.hash)
    assert verdict(erased, says(1, changed)) == "believed"
    assert verdict(erased) == verdict(erased, says(1, text)) == Reason.BROKEN
    assert verdict(erased, b"{}", says(1, changed)[:-9]) == Reason.BROKEN
    assert verdict((2, lie, rolled.hash), says(2, lie)) == Reason.BROKEN, "no name stands there"
