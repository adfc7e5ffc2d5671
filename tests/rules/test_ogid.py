"""OGIDs beside another program's, and XGIDs as people paste them."""

from __future__ import annotations

from pathlib import Path

import pytest
from gvformat import board_to_ogid, parse_ogid

from rules.board import Side
from rules.game import GamePhase
from rules.match import Match, MatchRules
from rules.notation.convert import main, read_id, write_id
from rules.notation.errors import CannotCarryError, NotationError
from rules.notation.ogid import read_ogid, write_ogid
from rules.position import Position
from rules.ruleset import ruleset
from tests.rules.making import random_record, started

XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"


def moments() -> list[Match]:
    record = random_record(11, MatchRules.of(ruleset("backgammon"), 5))
    return [after for _, _, after in record.replay() if after.game.side is not None]


def test_every_moment_of_a_match_reads_as_another_program_writes_it() -> None:
    phases = set()
    for match in moments():
        game = match.game
        if game.phase is GamePhase.OVER or game.side is None:
            continue
        phases.add(game.phase)
        side = game.side.other if game.phase is GamePhase.OFFERED else game.side
        view = game.position.view if side is game.side else game.position.turned().view
        said = board_to_ogid(
            [view[26], *view[:24], view[24]],
            mover_is_white=side is Side.WHITE,
            cube_value=game.cube.value,
            cube_owner="centered" if game.cube.owner is None else game.cube.owner.value,
            cube_action="O" if game.phase is GamePhase.OFFERED else "N",
            dice=(game.roll.high, game.roll.low) if game.roll else None,
            game_state="D" if game.phase is GamePhase.OFFERED else "",
            score_white=match.score.white,
            score_black=match.score.black,
            match_length=match.rules.length,
            crawford=game.crawford,
            post_crawford=match.is_post_crawford,
        )
        assert write_ogid(match) == said
        again = read_ogid(said)
        assert write_ogid(again) == said
        assert (again.game.placement, again.game.side) == (game.placement, game.side)
        assert again.is_crawford == match.is_crawford
        assert parse_ogid(said).mover_is_white == (side is Side.WHITE)
    assert phases == {GamePhase.TO_ROLL, GamePhase.ROLLED, GamePhase.OFFERED}


@pytest.mark.parametrize(
    "wrong",
    [
        "11ccccchhhjjjjj:66666888dddddoo",
        "11ccccchhhjjjjj:66666888dddddoo:N0N::B::0:0:7:0:12",
        "1" * 16 + "::N0N",
        "p:0:N0N",
        "11:1:N0N",
        "11:2:N99N",
    ],
)
def test_what_is_no_ogid_is_refused(wrong: str) -> None:
    with pytest.raises(NotationError):
        read_ogid(wrong)


def test_boards_that_an_ogid_cannot_hold() -> None:
    with pytest.raises(CannotCarryError, match="opposite ways"):
        write_ogid(started(3, "narde").match)


@pytest.mark.parametrize(
    "text",
    [
        XGID,
        f"{XGID}\n\nX:Ann   O:Bob\nScore is X:0 O:0 7 pt.(s) match.\n +13-14-15-16-17-18-+\n"
        "    1. XG Roller++  8/5 6/5                      eq:+0.159\n",
        "> XGID=-b----E-C---eE---c-e\n----B-:0:0:1:31:0:0:0:7:10\n1. 8/5 6/5",
        "xgid=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10 and then?",
    ],
)
def test_an_xgid_is_found_where_people_paste_it(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = read_id(text)
    assert isinstance(found, Match) and str(found.game.roll) == "31"
    assert write_id(found, "xgid") == XGID
    assert write_id(found, "ogid") == "11ccccchhhjjjjj:66666888dddddoo:N0N:13:B::0:0:7:0"
    (tmp_path / "position.txt").write_text(text)
    assert main([str(tmp_path / "position.txt"), "ogid"]) == 0
    assert capsys.readouterr().out.startswith("11ccccchhhjjjjj:")


SHOWN = (
    " GNU Backgammon  Position ID: {}\n                 Match ID   : {}\n"
    " +13-14-15-16-17-18------19-20-21-22-23-24-+     O: gnubg\n"
)


@pytest.mark.parametrize(
    "form", [SHOWN, " Position-ID: {}    Match-ID: {}\n", "PositionID: {} MatchID: {}\n"]
)
def test_a_board_as_gnubg_shows_it_is_told_by_the_ids_beside_it(form: str) -> None:
    for match in moments()[::7]:
        board, _, said = write_id(match, "gnubgid").partition(":")
        assert read_id(form.format(board, said)) == read_id(f"{board}:{said}")
        alone = read_id(f"Position ID: {board}\nand no more")
        assert isinstance(alone, Position) and write_id(alone, "positionid") == board


def test_a_text_without_an_xgid_says_what_was_expected() -> None:
    with pytest.raises(NotationError, match="an XGID such as"):
        read_id("XGID=nothing\nof the kind")
