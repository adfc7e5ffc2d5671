"""An event file as it was chosen on a page: its keys, or why it is none."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

from rules.text_limits import too_much
from service.journal.codec import Json
from service.web.authority import problem


def with_event_file(args: Mapping[str, Json]) -> dict[str, Json]:
    """`event_text`, an event file as it was chosen on the page, becomes `base`: this match and
    later ones are played by it. Raises 422.
    """
    out = dict(args)
    text = out.pop("event_text", None)
    return out if text is None else out | {"base": event_of_text(str(text))}


def event_of_text(text: str) -> dict[str, Json]:
    """The keys of an event file's text, by section. Raises 422: before it is parsed where it is
    longer or deeper than an event can be.
    """
    why = too_much(text)
    try:
        if not why:
            return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        why = str(error)
    raise problem(
        422,
        "event_file",
        "an event file in TOML",
        why,
        "see docs/event-file.md; `takhte check FILE` checks one",
    )
