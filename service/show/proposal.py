"""What the next match at a table would be played by: what a page proposes before anybody presses
Begin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypedDict

from service.journal.codec import Json
from service.referee.event import event_keys
from service.referee.state import State

OF_MATCH: Final = ("match.ruleset", "match.options", "match.length")
"""What a machine's settings say of a match without any event file."""


class ProposalDocument(TypedDict):
    """`keys` are the event's by dotted name, `match.ruleset` and the like among them; `lasting`
    whether they hold for a match that does not say them, since an event was chosen, or are the last
    match's; `clock` is ours, external, none, or empty where the event alone says it; `buttons`
    whether anything at the table can press a clock of ours.
    """

    keys: dict[str, Json]
    lasting: bool
    rules_text: str
    clock: str
    seating: Mapping[str, Json]
    buttons: bool


def proposal_document(state: State, seating: Mapping[str, Json], buttons: bool) -> ProposalDocument:
    """The event that was chosen; where none has a word of its own, as the last match was played:
    a club plays the same way every week. `seating` is the table's own, until somebody sat
    otherwise.
    """
    keys, setting = event_keys(state.chosen.event), state.match.setting
    rules_text, clock = state.chosen.rules_text, ""
    lasting = setting is None or not all(key in OF_MATCH for key in keys)
    if setting is not None and not lasting:
        keys = event_keys(setting.event) | {
            "match.ruleset": setting.ruleset,
            "match.options": setting.options,
            "match.length": setting.length or 0,
        }
        rules_text, clock = setting.rules_text, setting.clock
    return {
        "keys": keys,
        "lasting": lasting,
        "rules_text": rules_text,
        "clock": clock,
        "seating": seating if setting is None else setting.seating,
        "buttons": buttons,
    }
