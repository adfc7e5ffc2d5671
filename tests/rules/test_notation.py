"""Match files: read, written, read back, and replayed by gnubg action by action."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.game import Corrected, Played
from rules.match import MatchRules
from rules.notation.convert import READERS, WRITERS, convert, main, read_file, write_file
from rules.notation.errors import CannotCarryError, NotationError
from rules.notation.mat import read_mat
from rules.notation.record import MatchRecord
from rules.ruleset import catalogue, ruleset
from tests.rules.gnubg import expected, games_of, replayed
from tests.rules.making import hard_records, only_sgf, random_record, started

REAL = sorted(
    p
    for p in (Path(__file__).parent.parent / "data/matches").iterdir()
    if p.suffix in (".mat", ".sgf")
)


@pytest.fixture(scope="module")
def real() -> dict[str, MatchRecord]:
    return {path.name: read_file(path.read_bytes(), path.name) for path in REAL}


@pytest.fixture(scope="module")
def made() -> dict[str, MatchRecord]:
    found = {
        f"{name} {length}": random_record(length, MatchRules.of(ruleset(name), length))
        for name in ("backgammon", "nard")
        for length in (1, 5)
    }
    found["money"] = random_record(
        3, MatchRules.of(ruleset("backgammon"), 0, automatic_doubles=0), games=4
    )
    return found | hard_records()


def test_every_play_of_the_real_files_is_legal(real: dict[str, MatchRecord]) -> None:
    assert len(real) == len(REAL) > 5
    for name, record in real.items():
        assert not [
            a
            for a in record.actions
            if isinstance(a, Corrected) or (isinstance(a, Played) and a.stands)
        ], name
        assert record.final().score.white + record.final().score.black > 0


@pytest.mark.parametrize("ending", [".mat", ".sgf", ".json"])
def test_real_files_read_back_equal(ending: str, real: dict[str, MatchRecord]) -> None:
    for name, record in real.items():
        again = read_file(write_file(record, "x" + ending).encode(), "x" + ending)
        assert again.actions == record.actions, name
        assert again.final().score == record.final().score


def test_the_json_form_carries_everything(made: dict[str, MatchRecord]) -> None:
    narde = {name: random_record(7, MatchRules.of(ruleset(name), 3)) for name in catalogue()}
    for name, record in {**made, **only_sgf(), **narde}.items():
        again = read_file(write_file(record, "x.json").encode(), "x.json")
        assert again == record, name


def test_gnubg_replays_every_action(
    tmp_path: Path, real: dict[str, MatchRecord], made: dict[str, MatchRecord]
) -> None:
    cases = [
        (name, record, ending)
        for name, record in {**real, **made}.items()
        for ending in (".mat", ".sgf")
    ]
    cases += [(name, record, ".sgf") for name, record in only_sgf().items()]
    files = []
    for number, (_, record, ending) in enumerate(cases):
        files.append(tmp_path / f"{number}{ending}")
        files[-1].write_text(write_file(record, f"x{ending}"))
    for (name, record, ending), text in zip(cases, replayed(files, tmp_path), strict=True):
        theirs, ours = (
            games_of(text, record.start().game.placement),
            expected(record),
        )
        if name == "illegal, by no dice" and ending == ".mat":
            # Rows of the same side bring the checkers there; the board after them is the one that
            # stood.
            theirs = [
                [
                    done
                    for n, done in enumerate(game)
                    if n + 1 == len(game) or game[n + 1].side is not done.side
                ]
                for game in theirs
            ]
            assert [[d.placement for d in game] for game in theirs] == [
                [d.placement for d in game] for game in ours
            ]
            continue
        assert theirs == ours, (name, ending)


def test_other_games_are_refused_with_the_reason() -> None:
    for name in ("narde", "nard-bozorgmehr"):
        record = started(3, name).record()
        for ending in (".mat", ".sgf"):
            with pytest.raises(CannotCarryError, match="another game"):
                write_file(record, f"x{ending}")


def test_illegal_plays_that_stood_are_named_and_read_back() -> None:
    for name, record in hard_records().items():
        text = write_file(record, "x.mat")
        assert ("IllegalPlay" in text) == name.startswith("illegal"), name
        if name.startswith("illegal"):
            assert [a for a in read_mat(text).actions if isinstance(a, Played)] == [
                a for a in record.actions if isinstance(a, Played)
            ], name


MAT = " 3 point match\n\n Game 1\n Ann : 0                         Bob : 0\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1, column 1: a line such as"),
        ("Game 1\n", "point match"),
        (" 3 point match\n", "there is no game"),
        (" 3 point match\n Game 1\n  1) 31: 8/5 6/5\n", "line 3, column 1: the players"),
        (MAT + "  1) 37: 8/5 6/5\n", "line 5, column 6"),
        (MAT + "  1) 31: 8/5 6/x\n", r"line 5, column 14: a move such as 13/8.*6/x"),
        (MAT + "  1) 31: 8/5 7/6\n", "no checker stands"),
        (MAT + "  1) 31: 8/5 6/5   21: 13/11 6/5  61: 8/2\n", "a row has two cells"),
        (MAT + "  1) hello\n", "line 5, column 6: a cell such as"),
        (MAT + "hello\n", "line 5, column 1: a row such as"),
        (
            MAT + "  1) 31: 8/5 6/5                 Takes\n",
            "line 5, column 34: Taken comes in phase",
        ),
        (MAT + "  1) 31: 8/5 6/5                 Wins many\n", "how many points"),
        (MAT + "  1) 31: 99/5\n", "points are 1 to 24"),
        (MAT + "  1) 31: 8/5(9)\n", "1 to 4 times"),
        ('; [Variation "Narde"]\n' + MAT, "cannot be read from .mat"),
        (" 4000 point match\n Game 1\n A : 0   B : 0\n", "1 to 999"),
        ("x" * 5_000_001, "are no match"),
    ],
)
def test_broken_mat_files(text: str, says: str) -> None:
    with pytest.raises(NotationError, match=says):
        read_file(text.encode(), "x.mat")


def test_a_turn_that_was_not_recorded_is_remarked() -> None:
    record = read_mat(MAT + "  1) 31: 8/5 6/5\n" * 2)
    assert record.remarks == ("line 6: black had a turn before this that was not recorded",)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1, column 1: there is no game"),
        ("(;FF[4]GM[1])", "line 1, column 2: GM.1. is another game"),
        ("(;FF[4]GM[6]\n;W[31", "line 2, column 3: a value is never closed"),
        ("(;GM[6];W[99])", "a roll with moves"),
        ("(;GM[6];W[31hefe]\n;W[take])", "line 2, column 1: Taken comes in phase"),
        ("(" * 100, "variations lie in one another"),
        ("(;GM[6]", "the file ends inside a game"),
        ("(;GM[6]))", "line 1, column 9: a bracket closes"),
        ("(;GM[6]x y[])", "has no value"),
        ("(;GM[6]MI[length:many])", "was expected to hold a number"),
        ("(;GM[6]MI[length:7];AW[aa])", "a site a-z or a range"),
        ("(;GM[6]MI[length:7];W[31hefe];CV[3])", "no value of a cube"),
        ("(;GM[6]RU[Hypergammon-1])", "not played here"),
    ],
)
def test_broken_sgf_files(text: str, says: str) -> None:
    with pytest.raises(NotationError, match=says):
        read_file(text.encode(), "x.sgf")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1, column 1: not JSON"),
        ('{\n "a": }', "line 2, column 7: not JSON"),
        ("[" * 100_000, "not JSON"),
        ("{}", "not a match of ours"),
        ('{"format": "takhte-match", "version": 9}', "version 9"),
        ('{"format": "takhte-match", "version": 1}', "ruleset"),
    ],
)
def test_broken_json_files(text: str, says: str) -> None:
    with pytest.raises(NotationError, match=says):
        read_file(text.encode(), "x.json")


def test_only_the_main_line_of_sgf_is_read() -> None:
    text = "(;FF[4]GM[6]MI[length:3];W[31hefe](;B[21lnst];W[66])(;B[66agaglrlr](;W[11])))"
    record = read_file(text.encode(), "x.sgf")
    assert [str(m.game.roll) for m, a, _ in record.replay() if isinstance(a, Played)] == [
        "31",
        "21",
        "66",
    ]


def test_names_that_files_may_hold(tmp_path: Path) -> None:
    source, target = tmp_path / "a.mat", tmp_path / "b.json"
    source.write_bytes(
        b"\xef\xbb\xbf" + (MAT + "  1) 31: 8/5 6/5\n").replace("Ann", "مریم").encode()
    )
    assert convert(source, target).names == read_file(target.read_bytes(), "b.json").names
    source.write_bytes((MAT + "  1) 31: 8/5 6/5\n").replace("Ann", "Ann\u00e9e").encode("cp1252"))
    assert "Ann\u00e9e" in convert(source, target).names.values()
    with pytest.raises(NotationError, match="the formats are"):
        convert(source, tmp_path / "c.pdf")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "b.sgf"
    assert main([str(REAL[0]), str(target)]) == 0
    assert "actions, score" in capsys.readouterr().out
    assert (
        read_file(target.read_bytes(), "b.sgf").actions
        == read_file(REAL[0].read_bytes(), REAL[0].name).actions
    )
    xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:3:0:7:10"
    assert main([xgid, "gnubgid"]) == 0
    shown = capsys.readouterr().out.strip()
    assert shown.startswith("4HPwATDgc/ABMA:")
    for said, form, part in (
        (shown, "xgid", xgid.rsplit(":", 1)[0]),
        ("4HPwATDgc/ABMA", "board", "+13-14"),
        (xgid, "positionid", "4HPw"),
    ):
        assert main([said, form]) == 0
        assert part in capsys.readouterr().out
    for wrong in (
        ["4HPwATDgc/ABMA", "xgid"],
        ["4HPw", "board"],
        [str(tmp_path / "none.mat"), str(target)],
        [str(REAL[0]), "x.pdf"],
    ):
        assert main(wrong) == 1
        assert capsys.readouterr().err.count("\n") == 1


def test_a_refused_target_leaves_no_file(tmp_path: Path) -> None:
    source = tmp_path / "a.json"
    source.write_text(write_file(started(3, "narde").record(), "a.json"))
    with pytest.raises(CannotCarryError):
        convert(source, tmp_path / "b.mat")
    assert not (tmp_path / "b.mat").exists()


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_damaged_files_are_read_or_refused_with_a_place(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(REAL))
    text = path.read_text()[:3_000]
    ending = data.draw(st.sampled_from([path.suffix, ".mat", ".sgf", ".json"]))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        gone = data.draw(st.integers(0, 12))
        text = (
            text[:at]
            + data.draw(
                st.text(
                    st.sampled_from("0123456789:/()[];* WBabyz\n'\"{}-,é") | st.characters(),
                    max_size=6,
                )
            )
            + text[at + gone :]
        )
    try:
        record = read_file(text.encode("utf-8", "surrogatepass"), f"x{ending}")
    except NotationError:
        return
    for written in WRITERS:
        try:
            again = write_file(record, f"x{written}")
        except CannotCarryError:
            continue
        assert READERS[written](again).final().score == record.final().score
