"""Tournaments that others have published come out as they were published."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from service.tournament.field import Ending, Entrant, Field, Meeting
from service.tournament.round_robin import round_robin
from service.tournament.standings import TieBreak, standings

PUBLISHED = tomllib.loads((Path(__file__).parent / "published.toml").read_text())
ENDINGS = {"+": Ending.FIRST, "=": Ending.DRAWN, "-": Ending.SECOND, ".": Ending.NEITHER}


def charted(rows: list[str]) -> Field:
    """A field from a wall chart; each meeting stands in two rows, which must agree."""
    meetings: list[Meeting] = []
    seen: dict[tuple[int, str, str], str] = {}
    for line, row in enumerate(rows, 1):
        for number, cell in enumerate(row.split(), 1):
            sign, other = cell[0], cell[1:]
            if other in ("", "B"):
                meetings.append(Meeting(number, str(line), None, ENDINGS[sign]))
                continue
            back = seen.pop((number, other, str(line)), None)
            if back is None:
                seen[number, str(line), other] = sign
                meetings.append(Meeting(number, str(line), other, ENDINGS[sign]))
            else:
                assert sign + back in ("+-", "-+", "=="), (number, line, other)
    assert not seen
    return Field(tuple(Entrant(str(n)) for n in range(1, len(rows) + 1)), tuple(meetings))


@pytest.mark.parametrize("chart", PUBLISHED["chart"], ids=lambda c: c["name"])
def test_a_published_chart(chart: dict) -> None:
    field = charted(chart["players"])
    breaks = [TieBreak(name) for name in chart["breaks"]]
    lines = {line.name: line for line in standings(field, breaks=breaks)}
    assert [lines[str(n)].points for n in range(1, len(lines) + 1)] == chart["points"]
    for i, (name, wanted) in enumerate(chart["breaks"].items()):
        assert [lines[str(n)].breaks[i] for n in range(1, len(wanted) + 1)] == wanted, name


def test_the_published_champion() -> None:
    """By the club's own order of tie-breaks the third decides, as the club wrote."""
    chart = PUBLISHED["chart"][0]
    breaks = [TieBreak.DIRECT, TieBreak.RUNNING, TieBreak.OPPONENTS]
    first, second, *_ = standings(charted(chart["players"]), breaks=breaks)
    assert (first.name, second.name) == ("1", "2")
    assert first.breaks[:2] == second.breaks[:2]


@pytest.mark.parametrize("many", PUBLISHED["berger"])
def test_berger_tables(many: str) -> None:
    names = [str(n) for n in range(1, int(many) + 1)]
    rows = [
        " ".join(f"{m.first}-{m.second}" for m in round_robin(names) if m.round == number)
        for number in range(1, len(names))
    ]
    assert rows == PUBLISHED["berger"][many]
