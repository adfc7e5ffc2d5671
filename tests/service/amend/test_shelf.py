"""What is said at the desk is kept, taken back, and sealed."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from rules.board import Side
from rules.match import MatchRules
from rules.notation.record import MatchRecord
from rules.ruleset import ruleset
from service.amend.edits import Edit, EditsError, GameEnds, MatchSaid, ScoreSaid
from service.amend.shelf import Amendments, Films, OutdatedError
from service.film.errors import FilmError
from service.record.archive import ArchiveError
from service.record.command import main
from service.record.sealed_amendment import read_sealed

RECORD = MatchRecord(
    MatchRules.of(ruleset("backgammon"), 3), {Side.WHITE: "Mahsa", Side.BLACK: "Jan"}, ()
)
FIRST = Edit("Reza", 1.0, MatchSaid("Mahsa", "Jan", 3))
SECOND = Edit("Reza", 2.0, GameEnds(40, Side.BLACK, 2))


def test_edits_are_kept_in_order_and_taken_back_from_the_end(tmp_path: Path) -> None:
    shelf = Amendments(tmp_path / "amended")
    assert shelf.edits("ab").edits == ()
    shelf.say("ab", FIRST, 0)
    shelf.say("ab", SECOND, 1)
    assert Amendments(tmp_path / "amended").edits("ab").edits == (FIRST, SECOND)
    with pytest.raises(OutdatedError):
        shelf.say("ab", Edit("Ali", 3.0, ScoreSaid(0, 1, 1)), 1)
    assert shelf.take_back("ab", 2).edits == (FIRST,)
    assert shelf.edits("cd").edits == ()


def test_a_file_that_is_no_edits_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ab.edits.json").write_text('{"edits": [{"by": "x"}]}')
    with pytest.raises(EditsError, match=r"edits\.0"):
        Amendments(tmp_path).edits("ab")


def test_a_seal_says_who_and_when_and_breaks_with_its_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf, key = Amendments(tmp_path), Ed25519PrivateKey.generate()
    shelf.say("ab", FIRST, 0)
    assert shelf.sealed("ab") is None
    shelf.seal("ab", RECORD, "Reza", 7.0, key)
    shelf.seal("ab", RECORD, "Ali", 8.0, key)
    newest = shelf.sealed("ab")
    assert newest is not None and (newest.by, newest.wall, newest.record) == ("Ali", 8.0, RECORD)
    path = tmp_path / "ab-2.amended.json"
    public = key.public_key().public_bytes_raw()
    assert read_sealed(path.read_bytes(), public).source == "ab"
    assert main(["verify", str(path)]) == 0 and "put right by Ali" in capsys.readouterr().out
    for changed in (
        path.read_bytes().replace(b"Ali", b"Ana"),
        path.read_bytes()[:-20],
        b"{}",
        b"[" * 100_000,
    ):
        with pytest.raises(ArchiveError):
            read_sealed(changed)
    with pytest.raises(ArchiveError, match="expected the seal of"):
        read_sealed(path.read_bytes(), b"0" * 32)
    # One that does not hold leaves the one before it.
    path.write_bytes(path.read_bytes().replace(b"Ali", b"Ana"))
    before = shelf.sealed("ab")
    assert before is not None and before.by == "Reza"


def test_films_are_told_by_what_was_read_of_them(tmp_path: Path) -> None:
    (tmp_path / "evening").mkdir()
    (tmp_path / "evening" / "reading.npz").write_bytes(b"x")
    (tmp_path / "no film").mkdir()
    films = Films(tmp_path)
    assert films.names() == ["evening"]
    assert Films(tmp_path / "nowhere").names() == []
    assert len(films.ident("evening")) == 64
    for name in ("../evening", "..", ".hidden", "a/b"):
        with pytest.raises(FilmError):
            films.ident(name)
