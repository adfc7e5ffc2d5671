"""What was declared for the match, read back from the state."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final

from rules.axes import RulesetError
from rules.board import Seating
from rules.event import EventError, EventFile
from rules.event_keys import GONE, KEYS, load_event
from rules.ruleset import load_rulesets
from rules.text_limits import too_much
from service.journal import entries as e
from service.journal.codec import Json
from service.journal.entries import EventKeys
from service.referee.state import ChosenEvent, MatchState, State

SETTINGS: Final = "settings"
"""Who says what the machine's settings say."""
OF_PRESET: Final = tuple(f"clock.{key}" for key in ("mode", "per", "bank", "delay", "ladder"))
"""What a clock's preset brings, unless the event says otherwise."""


def event_of(body: e.MatchSet) -> EventFile:
    """The event that a match was set with: its keys by section (`{"play": {"monitor": "arbiter"}}`)
    or dotted, then the match's own words.

    Raises EventError or RulesetError naming the key.
    """
    own = load_rulesets(body.rules_text, "the match's own rulesets") if body.rules_text else None
    # Each key of an event file is parsed to the type of its own field.
    chosen: dict[str, Any] = {}
    for key, value in event_keys(body.event).items():
        if key in GONE:
            continue
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


def event_written(text: str, source: str, own: str = "", own_source: str = "") -> dict[str, Json]:
    """The keys, by section, of an event file that is right; `own` is the club's own rulesets file
    that it may name. Raises EventError or RulesetError naming the file and line.
    """
    if why := too_much(own):
        raise RulesetError(f"{own_source}: this is no file of rulesets: {why}")
    load_event(text, source, load_rulesets(own, own_source) if own else None)
    return tomllib.loads(text)


def over_chosen(chosen: ChosenEvent, body: e.MatchSet, said: Collection[str]) -> e.MatchSet:
    """The match with what it does not say itself taken from the event that was chosen; `said`
    names what it does say.

    A ruleset chosen otherwise leaves the event's options behind, another preset its bank and
    ladder: they were made for what they stand beside.
    """
    keys, own = event_keys(chosen.event), event_keys(body.event)
    if chosen == ChosenEvent():
        return replace(body, event=body.event if None not in own.values() else _said(own))
    if own.get("clock.preset", keys.get("clock.preset")) != keys.get("clock.preset"):
        keys = {key: value for key, value in keys.items() if key not in OF_PRESET}
    whole = {**keys, **own}
    named = str(whole.pop("match.ruleset", "backgammon"))
    options, length = whole.pop("match.options", None), whole.pop("match.length", 7)
    ruleset = body.ruleset if "ruleset" in said else named
    if "options" not in said and ruleset == named and isinstance(options, Mapping):
        body = replace(body, options=options)
    if "length" not in said and isinstance(length, int):
        body = replace(body, length=length or None)
    return replace(
        body,
        ruleset=ruleset,
        event=_said(whole),
        rules_text=body.rules_text or chosen.rules_text,
    )


def with_clock(body: e.MatchSet, chosen: EventKeys) -> e.MatchSet:
    """The setting with another clock: `clock` is ours, external or none; the other keys are the
    event's own under [clock], and what they do not name of bank, delay and ladder is the preset's.
    """
    named = {f"clock.{key}": value for key, value in chosen.items() if key != "clock"}
    kept = {
        k: v for k, v in event_keys(body.event).items() if k not in {"clock.preset", *OF_PRESET}
    }
    return replace(body, clock=str(chosen.get("clock", body.clock)), event={**kept, **named})


def keeps_whole_pictures(match: MatchState) -> bool:
    """Whether evidence may show more than the board: the event does not crop, and both players by
    name have consented.
    """
    event = match.event
    agreed = all(name and name in event.consent for name in match.names)
    return not event.crop_to_board and agreed


def seating_of(state: State) -> Seating:
    """Which side has which checkers and which corner."""
    given = state.match.setting.seating if state.match.setting else {}
    return _seating(tuple((key, str(value)) for key, value in given.items()))


@functools.lru_cache(maxsize=64)
def _seating(given: tuple[tuple[str, str], ...]) -> Seating:
    """The seating of a match, asked for at every look at the dice."""
    return Seating.from_json(dict(given))


def event_keys(event: EventKeys) -> dict[str, Json]:
    """An event's keys by their dotted names, however it was written: by section or dotted."""
    groups = {k: v for k, v in event.items() if isinstance(v, Mapping) and k not in KEYS}
    found = {key: value for key, value in event.items() if key not in groups}
    for key, group in groups.items():
        found |= {f"{key}.{name}": value for name, value in group.items()}
    return found


def _said(keys: EventKeys) -> dict[str, Json]:
    """What is chosen, by section; null is usual practice, and says nothing."""
    return by_section({key: value for key, value in keys.items() if value is not None})


def by_section(keys: EventKeys) -> dict[str, Json]:
    """Dotted keys as an event file writes them: a table a section, in the order of the keys."""
    found = {key: value for key, value in keys.items() if "." not in key}
    for section in {key.partition(".")[0] for key in keys if "." in key}:
        start = f"{section}."
        inside = sorted(key for key in keys if key.startswith(start))
        found[section] = {key.removeprefix(start): keys[key] for key in inside}
    return dict(sorted(found.items()))


def _plain(value: object) -> object:
    """Frozen JSON as TOML would have given it: lists are lists."""
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    return {k: _plain(v) for k, v in value.items()} if isinstance(value, Mapping) else value
