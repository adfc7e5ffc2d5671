"""The book of players: each match once, as its journal tells it last, and nobody who was erased."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from rules.board import Side
from service.journal import entries as e
from service.journal.chain import Entry, JournalError, chain
from service.journal.entries import TABLE, Body
from service.players.book import PlayerBook, PlayerBookError
from service.players.formulas import own_formulas
from service.players.played import START, Place, matches_read, same_name
from service.players.standings import heads_to_head, matches_of, rate

W, B = Side.WHITE, Side.BLACK
DAY = 86_400.0
FIRST = 1_760_000_000.0


def won(white: str, black: str, winner: Side | None, length: int | None = 1) -> list[Body]:
    """A match of one game that somebody resigned, or that was left (winner None)."""
    score = (int(winner is W), int(winner is B))
    begun: list[Body] = [
        e.MatchSet("backgammon", length=length, white=white, black=black),
        e.GameStarted(1),
    ]
    if winner is None:
        return begun
    return [
        *begun,
        e.Resigned(winner.other, 1, "offered"),
        e.Resigned(winner.other, 1, "accepted"),
        e.GameEnded(1, winner, 1, "single", "resigned", score),
        e.MatchEnded(winner, score),
    ]


def journal(*matches: Sequence[Body]) -> tuple[Entry, ...]:
    """A journal of these matches, one a day."""
    lines = [
        (day * DAY, FIRST + day * DAY, TABLE, body)
        for day, bodies in enumerate(matches)
        for body in bodies
    ]
    return tuple(entry for entry, _ in chain(lines))


class ReadFrom:
    """A journal that is read on from a place, as a table's record is."""

    def __init__(self, entries: tuple[Entry, ...], place: Place) -> None:
        seq, head = place
        if seq and (len(entries) < seq or entries[seq - 1].hash != head):
            raise JournalError("another journal")
        self.entries = entries[seq:]

    def __enter__(self) -> ReadFrom:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def read(self) -> tuple[Entry, ...]:
        return self.entries


@pytest.fixture
def book(tmp_path: Path) -> Iterator[PlayerBook]:
    yield PlayerBook(tmp_path / "players.db")


def follow(book: PlayerBook, entries: tuple[Entry, ...], table: str = "t1") -> None:
    book.follow(table, partial(ReadFrom, entries))


def ident(book: PlayerBook, name: str) -> str:
    (found,) = [player.ident for player in book.players() if player.name == name]
    return found


THREE = (won("Mahsa", "Jan", W), won("Jan", "Mahsa", W), won("Mahsa", "Omid", B))


def test_a_match_is_taken_once_however_often_its_journal_is_read(tmp_path: Path) -> None:
    entries = journal(*THREE)
    whole, growing = PlayerBook(tmp_path / "a"), PlayerBook(tmp_path / "b")
    follow(whole, entries)
    for length in range(len(entries) + 1):
        follow(growing, entries[:length])
        follow(growing, entries[:length])
    results = [{m.result for m in book.matches()} for book in (whole, growing)]
    assert results[0] == results[1]
    assert {r.number for r in results[0]} == {1, 2, 3}
    assert [p.name for p in growing.players()][-1] == "Jan"
    # And read whole again, with the book and without it.
    whole.take("t1", matches_read(entries))
    growing.path.unlink()
    follow(growing, entries)
    assert {m.result for m in growing.matches()} == results[0]
    assert {m.result for m in whole.matches()} == results[0]


def test_only_what_is_over_between_two_who_were_named_counts(book: PlayerBook) -> None:
    follow(
        book,
        journal(
            won("Mahsa", "", W),
            won("Mahsa", " mahsa ", W),
            won("Mahsa", "Jan", None),
            won("Mahsa", "Jan", B),
            won("Mahsa", "Omid", None),
            won("Mahsa", "Omid", None, length=None),
            won("Mahsa", "Omid", None),
        ),
    )
    (match,) = book.matches()
    assert match.result.winner is B and {p.name for p in book.players()} == {"Mahsa", "Jan"}


def test_a_name_put_right_leaves_nobody_behind(book: PlayerBook) -> None:
    entries = journal(won("Masha", "Jan", W))
    follow(book, entries)
    bodies = won("Masha", "Jan", W)
    follow(book, journal([*bodies, e.MatchAmended("white", "Mahsa", "Masha")]))
    assert {p.name for p in book.players()} == {"Mahsa", "Jan"} and len(book.matches()) == 1


def test_another_journal_is_read_from_its_start_and_the_old_matches_stay(book: PlayerBook) -> None:
    follow(book, journal(*THREE))
    follow(book, journal(won("Sara", "Jan", W)))
    assert sorted(m.table for m in book.matches()) == ["", "", "", "t1"]


@pytest.mark.parametrize(
    ("one", "other"),
    [("علي  كريمي", "علی کریمی"), ("MAHSA", "Mahsa"), ("علی‌رضا", "علیرضا"), ("Ｊan", "jan")],
)
def test_one_person_spelled_twice_is_one(one: str, other: str) -> None:
    assert same_name(one) == same_name(other)


def test_ratings_and_head_to_head(book: PlayerBook) -> None:
    money = won("Mahsa", "Jan", W, length=None)[:-1]
    follow(book, journal(*THREE, money, won("Mahsa", "Jan", None)))
    ratings = rate(book.matches(), own_formulas()["fibs"])
    mahsa, jan = ident(book, "Mahsa"), ident(book, "Jan")
    first, second = ratings.matches[:2]
    assert first.ratings is not None and second.ratings is not None
    assert first.ratings[0] == pytest.approx((1500, 1509.98))
    assert second.ratings[1][0] == first.ratings[0][1]
    assert ratings.of(mahsa)["backgammon"].experience == 3
    matches = matches_of(mahsa, ratings)
    assert [m.won for m in matches] == [None, False, False, True]
    assert matches[0].rating is None and matches[0].score == (1, 0)
    met = {one.opponent: one for one in heads_to_head(matches)}
    assert (met[jan].won, met[jan].lost, met[jan].matches) == (1, 1, 3)


def test_who_was_erased_does_not_come_back_from_the_journal(book: PlayerBook) -> None:
    entries = journal(*THREE)
    follow(book, entries)
    mahsa, jan = ident(book, "Mahsa"), ident(book, "Jan")
    before = rate(book.matches(), own_formulas()["fibs"]).of(jan)
    assert book.set_club(mahsa, "Tehran")
    assert book.erase(mahsa, FIRST + 10 * DAY)
    assert not book.erase(mahsa, FIRST + 10 * DAY)
    book.take("t1", matches_read(entries))
    assert {p.name for p in book.players()} == {"Jan", "Omid"}
    assert rate(book.matches(), own_formulas()["fibs"]).of(jan) == before
    kept = book.path.read_bytes()
    assert b"Mahsa" not in kept and b"Tehran" not in kept
    # Whoever plays again is somebody new.
    later = journal(*THREE, *[won("", "", None)] * 10, won("Mahsa", "Jan", W))
    follow(book, later)
    now = ident(book, "Mahsa")
    assert len(matches_of(now, rate(book.matches(), own_formulas()["fibs"]))) == 1


def test_error_rates_stay_with_their_match(book: PlayerBook) -> None:
    entries = journal(*THREE)
    book.reported(entries[0].hash, {W: 4.5, B: None})
    follow(book, entries)
    assert sorted(m.pr for m in book.matches() if m.pr[0] is not None) == [(4.5, None)]


def test_only_its_owner_reads_the_book(book: PlayerBook) -> None:
    follow(book, journal(*THREE))
    assert book.path.stat().st_mode & 0o077 == 0


def test_a_broken_book_says_what_to_do(book: PlayerBook) -> None:
    book.path.write_bytes(b"no database at all" * 100)
    with pytest.raises(PlayerBookError, match="move the file away"):
        book.players()


def test_names_stand_in_no_address(book: PlayerBook) -> None:
    follow(book, journal(*THREE))
    with closing(sqlite3.connect(book.path)) as db:
        rows = db.execute("SELECT white, black FROM played").fetchall()
    assert not {"mahsa", "Mahsa"} & {name for row in rows for name in row}
    assert matches_read(()).place == START
