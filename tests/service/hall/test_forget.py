"""`takhte hall forget`: the name is nowhere in a hall's folder, and all else stands as before."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from service.hall.book import TournamentBook
from service.hall.command import main
from service.hall.registry import Pairing
from service.journal import entries_hall as e
from service.journal.chain import Entry
from service.journal.entries import MatchSet, Role, Who
from service.journal.erasing import erase_name
from service.journal.keys import HALL_JOURNAL
from service.journal.store import Reader, Store
from service.record.command import main as journal_command
from tests.service.hall.making import MadeHall, Table, hall, until

NAME, DIRECTOR = "Réza Karimi", Who("Mahsa", Role.DIRECTOR)


async def tournament(folder: Path) -> None:
    """A round that the person has won, and the next."""
    book = TournamentBook(folder)
    opened = e.TournamentOpened("Winter", (e.StagePlan("swiss", rounds=3),))
    entered = [e.PlayerEntered(name) for name in (NAME, "Jan", "Ada", "Omid")]
    await book.say(DIRECTOR, lambda _: [opened, *entered])
    drawn = e.StageDrawn(0, ((NAME, "Jan", "Ada", "Omid"),))
    first = e.RoundPaired(
        1, 0, (e.PairedMatch("1.1", NAME, "Jan"), e.PairedMatch("1.2", "Ada", "Omid"))
    )
    results = [e.ResultEntered("1.1", "first"), e.ResultEntered("1.2", "second")]
    await book.say(DIRECTOR, lambda _: [drawn, first, *results])
    book.close()


async def ended(made: MadeHall) -> None:
    for table in made.tables.values():
        await table.stop()
    await made.shut()
    await asyncio.to_thread(made.server.stop)


async def begun(made: MadeHall) -> None:
    await asyncio.to_thread(made.server.start)
    made.open()
    for table in made.tables.values():
        table.start()
    await until(lambda: made.line.up)


def forget(made: MadeHall, name: str = "réza  KARIMI") -> int:
    port = str(made.server.plan.port)
    words = ["forget", name, "--data", str(made.folder), "--nats-port", port, "--plain"]
    return main([*words, "--settings", str(made.folder / "takhte.toml")])


def holding(folder: Path) -> list[str]:
    """Files that have the name, in whatever way it is written down."""
    forms = [NAME.encode(), NAME.replace("é", "\\u00e9").encode(), b"KARIMI", b"Karimi"]
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [str(p.relative_to(folder)) for p in files if any(f in p.read_bytes() for f in forms)]


def erased(table: Table) -> None:
    """`takhte forget` at the table."""
    table.store.close()
    assert erase_name(table.journal, NAME.__eq__, 1.8e9).entries
    table.store = Store.open(table.journal)


def read(journal: Path) -> list[Entry]:
    with Reader(journal) as reader:
        found = reader.read()
        assert reader.broken is None
    return list(found)


def test_a_player_is_forgotten_by_hall_and_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def story() -> None:
        async with hall(tmp_path / "hall") as made:
            (made.folder / "takhte.toml").write_text("")
            one = made.table("t1", folder="../t1")
            two = made.table("t2", folder="../t2")
            one.say(MatchSet("backgammon", length=5, white=NAME, black="Jan"))
            one.note(100)
            two.note(60)
            await tournament(made.folder)
            made.registry.set_pairings([Pairing(1, "t1", NAME, "Jan")])
            ident, _ = made.registry.command("t1", "rule", f"{NAME} (arbiter)")
            made.registry.outcome(ident, "done", "7")
            for table in (one, two):
                table.start()
            await until(lambda: made.believed(one) and made.believed(two))
            assert {"hall.db", HALL_JOURNAL, "model.db-wal"} & set(holding(made.folder))

            # The table has not been told yet: its record stays, and is named.
            await ended(made)
            assert await asyncio.to_thread(forget, made) == 1
            assert "run `takhte forget` there" in capsys.readouterr().err
            assert not any("hall.db" in name for name in holding(made.folder))
            assert HALL_JOURNAL not in holding(made.folder)

            erased(one)
            await begun(made)
            await until(lambda: made.believed(two) and "t1" in made.model.ledgers)
            seq = one.store.seq
            await until(lambda: made.model.ledgers["t1"].seq == seq)
            await ended(made)
            assert await asyncio.to_thread(forget, made) == 0, capsys.readouterr().err
            assert "it sends it again" in capsys.readouterr().out
            assert holding(made.folder) == []

            await begun(made)
            await until(lambda: made.believed(one) and made.believed(two))
            assert made.line.behind == 0 and not made.model.refusals()
            assert holding(made.folder) == []
            one.note(5)
            await until(lambda: made.believed(one))

    asyncio.run(story())
    kept = tmp_path / "hall" / HALL_JOURNAL
    assert journal_command(["verify", str(kept)]) == 0
    assert "SOUND BUT FOR 3 ENTRIES" in capsys.readouterr().out
    book = TournamentBook(kept.parent)
    try:
        nameless = book.day.entrants[0].name
        assert nameless == f"— {len(read(kept))}" and "arimi" not in str(book.day)
        assert [m.first for m in book.day.rounds[0].matches] == [nameless, "Ada"]
        assert set(book.day.outcomes) == {"1.1", "1.2"}
    finally:
        book.close()


@pytest.mark.parametrize("name", ["", " \u200c ", "a" * 201])
def test_a_name_that_is_none_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["forget", name, "--data", str(tmp_path / "hall")])
    assert not (tmp_path / "hall").exists()


def test_two_spellings_stay_two_players(tmp_path: Path) -> None:
    async def story() -> None:
        book = TournamentBook(tmp_path)
        opened = e.TournamentOpened("Winter", (e.StagePlan("swiss", rounds=3),))
        entered = [e.PlayerEntered(name) for name in ("Ali", "ALI", "Jan")]
        await book.say(DIRECTOR, lambda _: [opened, *entered])
        book.close()

    asyncio.run(story())
    assert erase_name(tmp_path / HALL_JOURNAL, lambda t: t.lower() == "ali", 1.8e9).entries
    book = TournamentBook(tmp_path)
    assert [x.name for x in book.day.entrants] == ["— 5.1", "— 5", "Jan"]
    book.close()
