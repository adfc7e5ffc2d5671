"""Rulesets as data: the catalogue, a club's file and what is refused in it, and the page that
documents them.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import rulesets_command
from rules.axes import AXES, SHORT, Bearoff, HeadFirstTurn, RulesetError, Win
from rules.infraction import Broken
from rules.ruleset import Ruleset, catalogue, load_rulesets, ruleset, varied

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/rulesets.md").read_text()


def test_the_catalogue() -> None:
    assert set(catalogue()) == {
        "backgammon",
        "nackgammon",
        "nard",
        "nard-himly",
        "nard-bozorgmehr",
        "narde",
    }
    for name, rules in catalogue().items():
        assert (rules.name, rules.checkers) == (name, 15)
        assert rules.titled("en") != rules.titled("fa") != name
    assert [n for n, r in catalogue().items() if r.has_cube] == ["backgammon", "nackgammon"]
    assert dict(catalogue()["nackgammon"].start)[23] == 2


def test_a_clubs_file() -> None:
    own = '[backgammon]\ninherits = "backgammon"\nbearoff = "exact"\n'
    found = load_rulesets(
        '[long]\ninherits = "narde"\nhead.first_turn = "33_44_66"\nprime = "off"\n' + own,
        "club.toml",
    )
    assert (found["long"].head_first_turn, found["long"].prime_length) == (
        HeadFirstTurn.BIG_DOUBLES,
        0,
    )
    assert found["backgammon"].bearoff is Bearoff.EXACT
    assert ruleset("backgammon").bearoff is Bearoff.STANDARD
    hyper = load_rulesets(
        "[hyper]\ninherits = 'backgammon'\nstart = {24 = 1, 23 = 1, 22 = 1}\n", "club.toml"
    )["hyper"]
    assert hyper.checkers == 3
    alone = load_rulesets("[alone]\nstart = {24 = 15}\n", "club.toml")["alone"]
    assert alone.wins == ((Win.SINGLE, 1),)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[a]\ninherits = "nard"\nbearing = 1\n', r"club.toml: \[a\], line 3: bearing is no axis"),
        ('[a]\ninherits = "chess"\n', r"\[a\], line 2: there is no ruleset 'chess'"),
        (
            '[a]\ninherits = "b"\n\n[b]\ninherits = "a"\n',
            r"\[b\], line 5: inheritance goes in a circle: a -> b -> a",
        ),
        ('[a]\ninherits = "a"\n', r"\[a\], line 2: inheritance goes in a circle: a -> a"),
        ("[a]\ninherits = 7\n", r"\[a\], line 2: inherits is the name"),
        ("[a]\ndoubles = 4\n", r"\[a\], line 1: start is missing"),
        (
            "[a]\nstart = {24 = 2, 1 = 2}\n",
            r"\[a\], line 2: start is impossible: both sides would stand on point 1",
        ),
        ("[a]\nfacing = 'rotate'\nstart = {24 = 2, 12 = 2}\n", r"line 3: start is impossible"),
        ("[a]\nstart = {25 = 2}\n", r"\[a\], line 2: start names point 25; points are 1 to 24"),
        ("[a]\nstart = {24 = 99}\n", "start has 1 to 30 checkers on a point; got 99 on 24"),
        ("[a]\nstart = {24 = 20, 23 = 20}\n", "needs 1 to 30 checkers"),
        ("[a]\nstart = {}\n", "needs 1 to 30 checkers"),
        ("[a]\nstart = 'elsewhere'\n", "none of the starts named here"),
        (
            '[a]\ninherits = "nard"\n\ndoubles = 3\n',
            r"\[a\], line 4: doubles is one of 2, 4; got 3",
        ),
        (
            '[a]\ninherits = "nard"\nhead = {limit = 99}\n',
            r"\[a\], line 3: head.limit is a whole number",
        ),
        ('[a]\ninherits = "nard"\nhead = {reach = 9}\n', r"\[a\], line 3: head.reach is no axis"),
        (
            '[a]\ninherits = "nard"\n[a.head]\nlimit = 99\n',
            r"\[a\], line 4: head.limit is a whole number",
        ),
        (
            '[a]\ninherits = "nard"\nhead = 1\nhigher_die = "maybe"\n',
            r"line 4: higher_die is true or false",
        ),
        (
            '[a]\ninherits = "nard"\nentry = "shut"\n',
            "entry is one of open, empty, no_stack; got 'shut'",
        ),
        ('[a]\ninherits = "nard"\nwins = {gammon = 2}\n', "line 3: wins needs `single`"),
        (
            '[a]\ninherits = "nard"\nwins = {single = 1, mars = 2}\n',
            "wins is one of single, gammon",
        ),
        ('[a]\ninherits = "nard"\naziz = 6\n', "aziz is one of 4, 5, off"),
        ('[a]\ninherits = "nard"\ncube = 63\n', "cube is a power of two"),
        ('inherits = "nard"\n', "line 1: inherits is outside any section"),
        ("[a\n", "club.toml: not TOML: .*line 1"),
        ("[a]\nx = 1\nx = 2\n", "not TOML"),
        ("a = " + "[" * 5_000, "not TOML"),
        ("#" * 300_000, "no ruleset file"),
        ("".join(f"[s{n}]\n" for n in range(300)), "200 at most"),
        (f'["{"x" * 70}"]\ninherits = "nard"\n', "60 letters"),
    ],
)
def test_what_is_refused_and_where(text: str, says: str) -> None:
    with pytest.raises(RulesetError, match=says):
        load_rulesets(text, "club.toml")


@given(st.text(alphabet=st.sampled_from("[]={}\"'\n.abeinhrtsd 0123456789_-#"), max_size=120))
def test_any_text_is_read_or_refused_clearly(text: str) -> None:
    try:
        found = load_rulesets(text, "club.toml")
    except RulesetError as error:
        assert str(error).startswith("club.toml: ")
    else:
        assert all(isinstance(rules, Ruleset) for rules in found.values())


@given(
    st.dictionaries(
        st.sampled_from([*AXES, "speed"]),
        st.none()
        | st.booleans()
        | st.integers()
        | st.text(max_size=5)
        | st.lists(st.integers())
        | st.dictionaries(st.text(max_size=3), st.integers()),
        max_size=4,
    )
)
def test_any_options_are_a_ruleset_or_refused(options: dict[str, Any]) -> None:
    try:
        found = ruleset("narde", options)
    except RulesetError:
        return
    assert found.checkers > 0
    hash(found)


@pytest.mark.parametrize(
    ("options", "field", "value"),
    [
        ({"doubles": "2"}, "doubles", 2),
        ({"higher_die": "false"}, "higher_die", False),
        ({"prime": "off"}, "prime_length", 0),
        ({"prime": {"length": 5, "checked": "end_of_turn"}}, "prime_length", 5),
        ({"head": {"limit": "off"}}, "head_limit", 0),
        ({"aziz": "4"}, "aziz", 4),
        ({"cube": "off"}, "cube_limit", 0),
        ({"cube": {"limit": 128}}, "cube_limit", 128),
    ],
)
def test_options_as_words(options: dict[str, Any], field: str, value: object) -> None:
    assert getattr(ruleset("narde", options), field) == value


def test_a_named_start() -> None:
    origin = ruleset("nard-himly", {"start": "literal_origin"})
    assert dict(origin.start) == {19: 5, 17: 3, 12: 5, 1: 2}
    assert ruleset("nard-himly", {"literal_origin": True}) == origin
    with pytest.raises(RulesetError, match="literal_origin is no axis"):
        ruleset("nard", {"literal_origin": True})


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert rulesets_command.main([]) == 0
    listed = capsys.readouterr().out
    assert all(
        name in listed and rules.titled("fa") in listed for name, rules in catalogue().items()
    )
    club = tmp_path / "club.toml"
    for name, rules in catalogue().items():
        assert rulesets_command.main([name]) == 0
        club.write_text(f"[{name}-again]\n{capsys.readouterr().out}", encoding="utf-8")
        again = load_rulesets(club.read_text(encoding="utf-8"), "club.toml")[f"{name}-again"]
        assert replace(again, name=name) == rules
    assert rulesets_command.main(["--file", str(club)]) == 0
    assert "narde-again" in capsys.readouterr().out
    assert rulesets_command.main(["chess"]) == 1
    assert rulesets_command.main(["--file", str(tmp_path / "none.toml")]) == 1
    club.write_text("[a]\nspeed = 1\n")
    assert rulesets_command.main(["--file", str(club)]) == 1
    assert "line 2" in capsys.readouterr().err


def test_one_thing_cannot_be_said_twice() -> None:
    with pytest.raises(RulesetError, match="say the same thing"):
        ruleset("narde", {"prime": "off", "prime.length": 6})


def test_the_page_names_every_ruleset_axis_value_result_and_infraction() -> None:
    for name in catalogue():
        assert f"| `{name}` |" in PAGE
    for axis in AXES:
        if axis in ("head", "prime", "cube"):
            assert f"(`{axis}` for short)" in PAGE
            continue
        row = next((line for line in PAGE.splitlines() if line.startswith(f"| `{axis}` |")), None)
        assert row is not None, axis
    for result in Win:
        assert f"| `{result.value}` |" in PAGE
    for code in Broken:
        assert f"| `{code.value}` |" in PAGE
    for example in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL):
        assert load_rulesets(example, "page")


def test_no_code_asks_for_a_rulesets_name() -> None:
    """Data chooses among rules; a name compared in code would be a rule of one ruleset's own."""
    for path in (ROOT / "rules").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            asked = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
            asked += [node.value] if isinstance(node, ast.MatchValue) else []
            said = {
                c.value
                for part in asked
                for c in getattr(part, "elts", [part])
                if isinstance(c, ast.Constant)
            }
            assert not said & set(catalogue()), f"{path}: {said}"


ASKS_OF_A_MOVE: dict[str, object] = {
    "entry": "no_stack",
    "contact": "turn_end",
    "head.limit": 1,
    "prime.length": 6,
}
"""Axes that ask more of a single move than landing, bar first and bearing off, each with a value
that does."""
ASKS_ELSEWHERE: dict[str, object] = {
    "title": {"en": "x"},
    "start": {24: 2},
    "starts": {"far": {24: 2}},
    "facing": "rotate",
    "landing": "claim",
    "doubles": 2,
    "higher_die": False,
    "bearoff": "exact",
    "mandatory_hit": True,
    "head.first_turn": "none",
    "prime.needs_opponent_ahead": 2,
    "prime.checked": "end_of_turn",
    "first_move_triple": "avoid",
    "opening": "roll_again",
    "shish_besh": "starts",
    "next_start": "winner",
    "wins": {"single": 1},
    "aziz": 4,
    "last_roll": "draw",
    "stakes": "flat",
    "cube.limit": 2,
}
"""The other axes, each with a value that no built-in backgammon has."""


def test_every_axis_was_asked_whether_a_move_stays_plain() -> None:
    """A new axis must be put into one of the two tables, and `is_plain` must agree."""
    assert {*ASKS_OF_A_MOVE, *ASKS_ELSEWHERE} == set(AXES) - SHORT
    plain = catalogue()["backgammon"]
    assert plain.is_plain
    for axis, value in {**ASKS_OF_A_MOVE, **ASKS_ELSEWHERE}.items():
        changed = varied(plain, {axis: value})
        assert getattr(changed, AXES[axis].field) != getattr(plain, AXES[axis].field), axis
        assert changed.is_plain == (axis in ASKS_ELSEWHERE), axis


def test_shish_besh_brings_two_dice_each() -> None:
    found = ruleset("nard", {"shish_besh": "starts"})
    assert found.opening.value == "two_dice_each"
    with pytest.raises(RulesetError, match="two_dice_each"):
        ruleset("nard", {"shish_besh": "starts", "opening": "play_the_dice"})
