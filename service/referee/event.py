"""What was declared for the match, read back from the state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from rules.board import Seating
from rules.event import EventError, EventFile
from rules.event_keys import KEYS
from rules.ruleset import load_rulesets
from service.journal import entries as e
from service.journal.codec import Json
from service.referee.state import State


def event_of(body: e.MatchSet) -> EventFile:
    """The event that a match was set with: its keys by section (`{"play": {"monitor": "arbiter"}}`)
    or dotted, then the match's own words.

    Raises EventError or RulesetError naming the key.
    """
    own = load_rulesets(body.rules_text, "the match's own rulesets") if body.rules_text else None
    # Each key of an event file is parsed to the type of its own field.
    chosen: dict[str, Any] = {}
    for key, value in _dotted(body.event).items():
        if key not in KEYS:
            raise EventError(f"{key} is no key of an event; see docs/event-file.md")
        try:
            chosen[KEYS[key].field] = KEYS[key].parse(_plain(value))
        except EventError as error:
            raise EventError(f"{key} {error}") from None
    chosen |= {
        "ruleset": body.ruleset,
        "options": tuple(body.options.items()),
        "length": body.length or 0,
        "rulesets": own,
    }
    return EventFile(**chosen)


def with_clock(body: e.MatchSet, chosen: Mapping[str, Json]) -> e.MatchSet:
    """The setting with another clock: `clock` is ours, external or none; the other keys are the
    event's own under [clock], and what they do not name of bank, delay and ladder is the preset's.
    """
    named = {f"clock.{key}": value for key, value in chosen.items() if key != "clock"}
    kept = {k: v for k, v in _dotted(body.event).items() if k not in _OF_PRESET}
    return replace(body, clock=str(chosen.get("clock", body.clock)), event={**kept, **named})


_OF_PRESET: Final = tuple(
    f"clock.{key}" for key in ("preset", "mode", "per", "bank", "delay", "ladder")
)


def seating_of(state: State) -> Seating:
    """Which side has which checkers and which corner."""
    given = state.match.setting.seating if state.match.setting else {}
    return Seating.from_json({key: str(value) for key, value in given.items()})


def _dotted(event: Mapping[str, Json]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for key, value in event.items():
        if isinstance(value, Mapping):
            found |= {f"{key}.{name}": inner for name, inner in value.items()}
        else:
            found[key] = value
    return found


def _plain(value: object) -> object:
    """Frozen JSON as TOML would have given it: lists are lists."""
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    return {k: _plain(v) for k, v in value.items()} if isinstance(value, Mapping) else value
