"""What leaves the house: signed archives that show every change, match files that programs read
back, and the command that makes them.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
import unicodedata
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.board import Side
from rules.dice import Roll
from rules.notation.mat import read_mat
from rules.notation.sgf import read_sgf
from service.journal.chain import chain
from service.journal.entries import TABLE, MatchSet, Noted, Ruled, TableOpened
from service.journal.keys import KeyFileError, key_path, table_key
from service.journal.plain import plain_lines, plain_name, plain_text
from service.journal.store import Reader, Store
from service.record import command as journal_cli
from service.record.archive import (
    ArchiveError,
    CannotExportError,
    read_archive,
    write_archive,
    write_match,
)
from service.record.match_record import match_records
from service.record.score_sheet import score_sheets
from service.referee.state import Phase
from tests.service.hands import ANNOTATOR, DIRECTOR, THREE, Hands, begun, player

W, B = Side.WHITE, Side.BLACK
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


def played_out(ruleset: str = "backgammon", length: int | None = 3) -> Hands:
    """A short match with a bit of everything: an opening, a cube, an illegal play that stood, a
    resignation, a penalty, a correction.
    """
    hands = Hands()
    hands.set_up(
        ruleset=ruleset, length=length, white="Ana", black="بهرام", event={"name": "Club night"}
    )
    hands.order("declare_roll", white=3, black=1)
    if hands.state.phase is Phase.TO_ROLL:
        hands.order("declare_roll", roll=[3, 1])
    turn(hands)
    hands.order("declare_roll", roll=[6, 4])
    turn(hands)
    if hands.state.match.ruleset is not None and hands.state.match.ruleset.has_cube:
        hands.order("offer", by=player(W))
        hands.order("take", by=player(B))
    hands.order("declare_roll", roll=[2, 1])
    wrong = hands.moved(*THREE) if ruleset == "backgammon" else hands.moved(backwards(hands))
    hands.order(
        "let_stand", by=DIRECTOR, placement={"white": list(wrong.white), "black": list(wrong.black)}
    )
    hands.placement = wrong
    hands.order("declare_roll", roll=[5, 2])
    turn(hands)
    hands.order(
        "correct_roll",
        by=ANNOTATOR,
        seq=hands.state.match.plays[-1].seq,
        roll=[5, 2],
        reason="checked on the video",
    )
    hands.order("resign", by=player(W), level=1)
    hands.order("accept_resignation", by=player(B))
    hands.order("penalise", by=DIRECTOR, side="black", penalty="points", amount=1, reason="late")
    return hands


def backwards(hands: Hands) -> tuple[int, int]:
    """The side on roll's front checker goes back to its rear one: illegal under every ruleset, and
    playable on from.
    """
    counts = hands.placement.counts(hands.state.game.on_roll)
    mine = [p for p in range(1, 25) if counts[hands.site(hands.state.game.on_roll, p)]]
    return mine[0], mine[-1]


def turn(hands: Hands) -> None:
    from service.show.legal import legal_plays

    choice = legal_plays(hands.state)[0]
    hands.order("declare_play", placement=choice["placement"])
    assert hands.state.game.placement is not None
    hands.placement = hands.state.game.placement


def test_an_archive_reads_back_and_shows_any_change() -> None:
    entries = played_out().entries
    data = write_archive(entries, KEY, "t1", "1.2")
    archive = read_archive(data, KEY.public_key().public_bytes_raw())
    assert archive.entries == tuple(entries) and (archive.table, archive.program) == ("t1", "1.2")
    other = Ed25519PrivateKey.generate()
    with pytest.raises(ArchiveError, match="expected the seal of"):
        read_archive(data, other.public_key().public_bytes_raw())
    lines = data.splitlines()
    changes = {
        "a changed name": data.replace(b'"t1"', b'"t2"'),
        "a lost line": b"\n".join(lines[:3] + lines[4:]),
        "a lost tail": b"\n".join(lines[:-3] + lines[-1:]),
        "another roll": data.replace(b'"roll":[6,4]', b'"roll":[6,5]'),
        "another's key": write_archive(entries, other, "t1", "1.2").splitlines()[0]
        + b"\n"
        + b"\n".join(lines[1:]),
        "no signature": data.replace(b'"signature":"', b'"signature":"A'),
        "nothing": b"",
        "no archive": b"hello\nworld\n",
    }
    for name, changed in changes.items():
        with pytest.raises(ArchiveError) as caught:
            read_archive(changed)
        assert "\n" not in str(caught.value), name


def test_every_flipped_byte_is_noticed() -> None:
    data = write_archive(played_out().entries[:4], KEY, "t1", "1")
    for at in range(0, len(data) - 1, 37):
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        with pytest.raises(ArchiveError):
            read_archive(changed, KEY.public_key().public_bytes_raw())


def test_match_files_say_what_was_played() -> None:
    hands = played_out()
    (record,) = match_records(hands.entries)
    assert not record.remarks
    final = record.final()
    assert (final.score.white, final.score.black) == tuple(hands.state.match.score)
    text = write_match(record, "mat").decode()
    back = read_mat(text)
    assert "IllegalPlay" in text and "بهرام" in text
    # A .mat has games and no penalties.
    assert (
        [(r.winner, r.points) for r in back.final().results]
        == [(r.winner, r.points) for r in final.results]
        == [(B, 2)]
    )
    assert read_sgf(write_match(record, "sgf").decode()).final().results[0].points == 2


@pytest.mark.parametrize("ruleset", ["nard", "nard-himly", "nard-bozorgmehr", "narde"])
def test_every_ruleset_has_a_record(ruleset: str) -> None:
    hands = played_out(ruleset, None)
    (record,) = match_records(hands.entries)
    assert not record.remarks
    assert (record.final().score.white, record.final().score.black) == tuple(
        hands.state.match.score
    )
    assert json.loads(write_match(record, "json"))
    if ruleset == "narde":
        with pytest.raises(CannotExportError, match="another game"):
            write_match(record, "mat")


def test_ogxm_is_written_or_refused_with_the_reason() -> None:
    (record,) = match_records(played_out().entries)
    try:
        assert write_match(record, "ogxm")
    except CannotExportError as error:
        assert "OGXM" in str(error)


def test_unread_dice_are_remarked() -> None:
    hands = begun(Hands())
    hands.camera = False
    hands.move((8, 5), (6, 5)).press(seconds=4)
    assert hands.state.match.plays[-1].roll is None
    (record,) = match_records(hands.entries)
    assert "not read" in record.remarks[0]
    assert record.final().game.placement == hands.placement


def test_a_rewound_game_has_only_what_was_kept() -> None:
    hands = begun(Hands())
    for roll in ([3, 1], [6, 4], [5, 2]):
        hands.order("declare_roll", roll=roll)
        turn(hands)
    first = hands.state.match.plays[0]
    white, black = list(first.placement.white), list(first.placement.black)
    hands.order(
        "correct_play",
        by=ANNOTATOR,
        seq=first.seq,
        placement={"white": white, "black": black},
        rewind=True,
    )
    assert (hands.state.game.on_roll, len(hands.state.match.plays)) == (B, 1)
    hands.placement = first.placement
    hands.order("declare_roll", roll=[4, 2])
    turn(hands)
    (record,) = match_records(hands.entries)
    assert [getattr(a, "roll", None) for a in record.actions if type(a).__name__ == "Rolled"] == [
        Roll(3, 1),
        Roll(4, 2),
    ]


def test_the_score_sheet() -> None:
    hands = played_out()
    (sheet,) = score_sheets(hands.entries, "abcd")
    assert (sheet["white"], sheet["black"], sheet["event"]) == ("Ana", "بهرام", "Club night")
    assert sheet["games"][0]["winner"] == "black"
    assert sheet["penalties"][0]["reason"] == "late"
    assert sheet["head"] == hands.entries[-1].hash and sheet["key"] == "abcd"
    assert json.dumps(sheet)


# Any character.

CATEGORIES = """Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po
Sm Sc Sk So Zs Zl Zp Cc Cf Co Cn"""
texts = st.one_of(
    *(st.text(st.characters(categories=[c]), max_size=3) for c in CATEGORIES.split()),
    st.text("\u2028\u2029\u0085\v\f\x1c\x1d\x1e\r\n\x00", min_size=1, max_size=4),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(texts, min_size=1, max_size=4), st.data())
def test_an_archive_with_any_character_reads_back(said: list[str], data: st.DataObject) -> None:
    """Also those that were sealed before texts were made plain: R4 of the review."""
    entries = tuple(e for e, _ in chain([(0.0, 1.8e9, TABLE, Noted("note", text=t)) for t in said]))
    sealed = write_archive(entries, KEY, data.draw(texts), "1")
    assert read_archive(sealed).entries == entries


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=12))
def test_people_s_words_are_one_plain_line(text: str) -> None:
    for made in (plain_text(text), plain_name(text, 80)):
        assert len(made.splitlines()) <= 1, made.encode()
        assert not {unicodedata.category(c) for c in made} & {"Cc", "Cs", "Zl", "Zp"}
        assert plain_text(made) == made
    assert plain_lines(text.replace("\r", "")).count("\n") == text.count("\n")


def test_what_people_write_enters_the_record_plain() -> None:
    hands = Hands()
    hands.set_up(white="A\u2028na\x07", black="به\u200cرام", event={"name": "x\u2029y\ud800"})
    hands.order("rule", by=DIRECTOR, text="one\u2028two\nthree\ud800")
    match, ruled = (
        next(e.body for e in hands.entries if isinstance(e.body, kind))
        for kind in (MatchSet, Ruled)
    )
    assert isinstance(match, MatchSet) and isinstance(ruled, Ruled)
    assert (match.white, match.black) == ("A na", "به\u200cرام")
    assert match.event["name"] == "x y"
    assert ruled.text == "one two three"


def test_no_number_in_an_archive_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    data = write_archive(played_out().entries[:3], KEY, "t1", "1")
    for number in (b"NaN", b"Infinity", b"-Infinity"):
        with pytest.raises(ArchiveError, match=r"expected|got"):
            read_archive(data.replace(b'"at":0', b'"at":' + number))


# The command.


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "evening.journal"
    with Store.open(path) as store:
        store.append([(0.0, 1.8e9, TABLE, TableOpened("t1", "1.2"))])
        store.append([(e.at, 1.8e9 + e.at, e.by, e.body) for e in played_out().entries])
    return path


def test_verify_show_and_export(
    journal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert journal_cli.main(["verify", str(journal)]) == 0
    said = capsys.readouterr().out
    assert "sound" in said and "its end is the one that evening.journal.tail keeps" in said
    assert journal_cli.main(["show", str(journal), "--kind", "played", "--kind", "rolled"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) >= 7 and all("played" in s or "rolled" in s for s in shown)
    assert journal_cli.main(["show", str(journal), "--json", "--since", "3"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["seq"] == 4
    out = tmp_path / "out"
    assert journal_cli.main(["export", str(journal), "--out", str(out)]) == 0
    names = {p.name for p in out.iterdir()}
    assert names == {
        "evening.takhte",
        "evening-1.mat",
        "evening-1.sgf",
        "evening-1.json",
        "evening.sheet.json",
    }
    key = capsys.readouterr().out.splitlines()[-1].split()[1]
    assert journal_cli.main(["verify", str(out / "evening.takhte"), "--key", key]) == 0
    assert journal_cli.main(["show", str(out / "evening.takhte")]) == 0
    mode = stat.S_IMODE(key_path(journal).stat().st_mode)
    assert mode == 0o600


def test_a_noted_head_is_found_or_said_to_be_missing(
    journal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Reader(journal) as reader:
        entries = reader.read()
    third = entries[2].hash
    for noted in (third, third[:8], f"{third[:8]}@3", f"{third[:4]} {third[4:8]}".upper()):
        assert journal_cli.main(["verify", str(journal), "--head", noted]) == 0
        assert f"is entry 3; {len(entries) - 3} came after" in capsys.readouterr().out
    for noted in (f"{third[:8]}@4", "0" * 8, "short", f"{third[:8]}@999"):
        assert journal_cli.main(["verify", str(journal), "--head", noted]) == 1
        assert "expected" in capsys.readouterr().err


def test_a_copy_says_what_it_does_not_know(
    journal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = tmp_path / "stick" / "evening.journal"
    alone.parent.mkdir()
    shutil.copy(journal, alone)
    assert journal_cli.main(["verify", str(alone)]) == 0
    said = capsys.readouterr().out
    assert "evening.journal.tail is not beside it" in said and "evening.journal-wal" in said
    with sqlite3.connect(journal) as db:
        db.executescript("DROP TRIGGER entries_remain; DELETE FROM entries WHERE seq > 9")
    assert journal_cli.main(["verify", str(journal)]) == 1
    assert "the end is missing" in capsys.readouterr().err


def test_what_is_wrong_is_one_line(
    journal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "note.txt").write_text("hello")
    (tmp_path / "broken.takhte").write_bytes(b'{"key":"x"}\n{}\n')
    for arguments in (
        ["verify", str(tmp_path / "absent")],
        ["show", str(tmp_path / "note.txt")],
        ["verify", str(tmp_path / "broken.takhte")],
        ["verify", str(tmp_path)],
    ):
        assert journal_cli.main(arguments) == 1
        said = capsys.readouterr().err.strip()
        assert said and "\n" not in said and "Traceback" not in said
    with pytest.raises(SystemExit):
        journal_cli.main(["export"])


def test_a_key_is_made_once(tmp_path: Path) -> None:
    first, again = table_key(tmp_path / "k" / "table.key"), table_key(tmp_path / "k" / "table.key")
    assert first.private_bytes_raw() == again.private_bytes_raw()
    assert [p.name for p in (tmp_path / "k").iterdir()] == ["table.key"]
    (tmp_path / "bad").write_text("no key")
    with pytest.raises(KeyFileError, match="expected an Ed25519 key"):
        table_key(tmp_path / "bad")
