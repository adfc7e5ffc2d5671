"""The rates that the referee weighs with are those that were counted."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from service.reconcile.rates import RATES
from service.simulate.rates import (
    EVENINGS,
    TABLE,
    command_of,
    kept,
    main,
    of_evenings,
    of_matches,
    rates_as_toml,
    records_in,
)

MATCHES = Path(__file__).parents[2] / "data" / "matches"


def test_the_table_is_what_the_evenings_and_the_matches_were_counted_to_be() -> None:
    figures, text = json.loads(EVENINGS.read_text("utf-8")), TABLE.read_text("utf-8")
    rows = {
        **of_evenings(figures["turns"], figures["habits"], figures["setting"]["players"]),
        **kept(text),
    }
    made = rates_as_toml(rows, command_of(figures["setting"]))
    assert text == made, "run `python -m service.simulate.rates`"
    assert {name: (row["often"], row["of"]) for name, row in tomllib.loads(text).items()} == {
        name: (rate.often, rate.of) for name, rate in RATES.items()
    }


def test_the_command_writes_the_same_table_again(tmp_path: Path) -> None:
    again = tmp_path / "rates.toml"
    again.write_bytes(TABLE.read_bytes())
    assert main(["-o", str(again)]) == 0
    assert again.read_bytes() == TABLE.read_bytes()


def test_the_matches_kept_here_say_much_the_same() -> None:
    """Eight of some seventy: a rate within a factor of two of the table's."""
    found = of_matches(list(records_in(MATCHES)))
    assert found["new_game"].of > 500
    for name, row in found.items():
        assert 0.5 < row.often / row.of / RATES[name].share < 2, name
