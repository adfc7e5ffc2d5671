"""The event file: defaults, what is refused and where, clock presets, and its page of
documentation.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.axes import Bearoff
from rules.clock import BankPer, DelayMode
from rules.conduct import Penalty, Step
from rules.event import Clocking, EventError, EventFile, clock_plans
from rules.event_keys import KEYS, default, load_event
from rules.match import Score

PAGE = Path(__file__).parents[2] / "docs/event-file.md"


def test_an_empty_file_is_all_defaults() -> None:
    assert load_event("", "event.toml") == EventFile()


def test_what_a_file_says() -> None:
    event = load_event(
        'name = "جام تهران"\n[match]\nruleset = "nard"\nlength = 5\noptions = {bearoff ='
        ' "exact"}\n[clock]\npreset = "iran"\n',
        "e",
    )
    assert event.rules().bearoff is Bearoff.EXACT
    assert event.match_rules().length == 5
    control = event.time_control()
    assert control is not None
    assert (control.bank, control.delay, control.per) == (600, 5, BankPer.GAME)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[match]\nlenght = 7\n", "line 2: match.lenght is no key"),
        ("[matches]\nlength = 7\n", r"\[matches\], line 1"),
        ("speed = 1\n", "line 1: speed is no key"),
        ("[match]\n\nlength = 'x'\n", "line 3: match.length is a whole number from 0 to 999"),
        ("[match]\nruleset = 'chess'\n", "line 2: match.ruleset: there is no ruleset 'chess'"),
        ("[match]\noptions = {bearing = 1}\n", "bearing is no axis"),
        ("[clock]\npreset = 'blitz'\n", "line 2: clock.preset is one of none, external, us-delay"),
        (
            "[match]\nlength = 0\n[clock]\npreset = 'us-delay'\n",
            "line 4: a money session must name its bank",
        ),
        ("[clock]\nladder = [0]\n", "line 2: clock.ladder has rungs"),
        ("[play]\nmonitor = 'loud'\n", "board, arbiter, silent, teaching"),
        ("[play]\nslow_turn_s = nan\n", "slow_turn_s is a number"),
        ("[match]\nlength = true\n", "whole number"),
        ("[match\n", "not TOML: .*line 1"),
        ("[match]\nlength = 7\nlength = 9\n", "not TOML"),
        ("a = " + "[" * 5000, "not TOML"),
        ("#" * 300_000, "no event file"),
    ],
)
def test_what_is_refused_and_where(text: str, says: str) -> None:
    with pytest.raises(EventError, match=says):
        load_event(text, "event.toml")


def test_a_name_is_spelt_as_its_language_spells_it() -> None:
    name = "جام بین\u200cالمللی نوروز"
    assert load_event(f'name = "{name}"\n', "event.toml").name == name


@given(st.text(max_size=200))
def test_any_text_is_an_event_or_a_clear_error(text: str) -> None:
    try:
        load_event(text, "event.toml")
    except EventError as error:
        assert str(error).startswith("event.toml: ")


@pytest.mark.parametrize(
    ("preset", "length", "score", "bank", "delay", "mode", "first"),
    [
        ("us-delay", 7, None, 840, 12, DelayMode.SIMPLE, Step(Penalty.MATCH)),
        ("us-delay-doubles", 7, None, 1050, 18, DelayMode.SIMPLE, Step(Penalty.MATCH)),
        ("us-2013", 7, Score(2, 1), 660, 12, DelayMode.SIMPLE, Step(Penalty.MATCH)),
        ("us-2013-doubles", 7, Score(2, 1), 825, 18, DelayMode.SIMPLE, Step(Penalty.MATCH)),
        ("seed-delay", 0, None, 720, 2, DelayMode.SIMPLE, Step(Penalty.POINTS, 2)),
        ("seed-fischer", 7, None, 480, 8, DelayMode.FISCHER, Step(Penalty.DIRECTOR)),
        ("iran", 7, None, 600, 5, DelayMode.SIMPLE, Step(Penalty.POINTS, 1)),
    ],
)
def test_the_presets(
    preset: str,
    length: int,
    score: Score | None,
    bank: float,
    delay: float,
    mode: DelayMode,
    first: Step,
) -> None:
    plan = clock_plans()[preset]
    control = plan.control(length, score)
    assert (control.bank, control.delay, control.mode, plan.ladder[0]) == (bank, delay, mode, first)


def test_a_money_session_has_no_clock_unless_it_names_one() -> None:
    assert load_event("[match]\nlength = 0\n", "e").clocking is Clocking.NONE
    named = load_event(
        "[match]\nlength = 0\n[clock]\npreset = 'us-delay'\nbank = 900\n", "e"
    ).time_control()
    assert named is not None
    assert named.bank == 900
    assert load_event("[clock]\npreset = 'external'\n", "e").clocking is Clocking.EXTERNAL


@pytest.mark.parametrize("key", KEYS)
def test_every_key_and_its_default_is_in_its_page(key: str) -> None:
    page = PAGE.read_text()
    said = default(key)
    words = {
        "None": "usual practice",
        "True": "`true`",
        "False": "`false`",
        "": "empty",
        "[]": "none",
    }
    written = words.get(str(said)) or (f"`{said:g}`" if isinstance(said, float) else f"`{said}`")
    section, _, name = key.rpartition(".")
    part = page.split(f"## [{section}]")[1].split("\n## ")[0] if section else page
    row = next((line for line in part.splitlines() if line.startswith(f"| `{name}` ")), None)
    assert row is not None, key
    assert f"| {written} |" in row, (row, written)


IDLE = [
    ('ruleset = "narde"\ncrawford = true\njacoby = false\ncube_limit = 8', 3, "without a cube"),
    ('ruleset = "nard"\nbeavers = true\nautomatic_doubles = 2', 2, "without a cube"),
    ("crawford = true\nlength = 0", 1, "no Crawford game"),
    ("length = 1\ncube_limit = 2", 1, "no double"),
    ("crawford = false\nlength = 5", 0, ""),
    ('ruleset = "narde"', 0, ""),
]


@pytest.mark.parametrize(("match", "count", "why"), IDLE)
def test_keys_that_do_nothing_are_named(match: str, count: int, why: str) -> None:
    event = load_event(f'[clock]\npreset = "none"\n[match]\n{match}\n', "event.toml")
    idle = event.without_effect()
    assert len(idle) == count and all(why in reason for _, reason in idle)
    assert all(f"match.{key.split('.')[1]}" in KEYS for key, _ in idle)
