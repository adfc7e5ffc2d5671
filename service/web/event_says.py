"""What the event in force at a table says of who may see and do what; pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rules.event import Phones
from rules.event_keys import default
from service.journal.entry import Role
from service.referee.event import event_keys
from service.show.document import TableDocument
from service.web.policy import Visitor


def event_word(document: TableDocument | None, key: str) -> object:
    """What the event of the match at a table says of a key, else the key's default."""
    keys = event_keys(document["match"]["event"]) if document is not None else {}
    return keys.get(key, default(key))


def as_the_event_lets(
    visitor: Visitor,
    documents: Mapping[str, TableDocument | None],
    table: str | None = None,
) -> Visitor:
    """The visitor as the event lets him be: with phones face down, a device of one side's own is
    nobody's, wherever that holds. The tablet and the clock that both sides share, the camera, and
    staff stay who they are.
    """
    if visitor.role is not Role.PLAYER or visitor.side is None:
        return visitor
    names = {table} if table is not None else visitor.tables or documents.keys()
    down = any(phones_face_down(documents.get(name)) for name in names)
    return replace(visitor, role=Role.GUEST, side=None) if down else visitor


def phones_face_down(document: TableDocument | None) -> bool:
    """Whether the match that is set has phones face down; before one is, there is nothing to see
    and nothing to say.
    """
    if document is None or document["match"]["ruleset"] is None:
        return False
    return event_word(document, "privacy.phones") == Phones.FACE_DOWN.value
