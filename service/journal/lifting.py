"""Older bodies, lifted to what this version says when a journal is read; the journal stays as is.

Version 1 kept the sentence of an infraction in every language that there was; version 2 keeps the
code and the facts that the sentence names. Facts are got back from the kept English sentence by the
words that its code had then. A sentence that fits none of them is kept as it was, under the fact
`said`.
"""

from __future__ import annotations

import functools
import re
import string
from collections.abc import Callable, Mapping
from typing import Final

from service.journal.codec import CodecError, Json
from service.journal.entry import Facts
from service.journal.kept_words import WORDS_OF_VERSION_1

Fields = dict[str, Json]
SAID: Final = "said"
"""The fact that holds the sentences, by language, of an entry that has no facts to say again."""
_AS_TEXT: Final = ("roll", "whose")
"""Facts that are text; the others are numbers."""
INFRINGED: Final = ("illegal", "cannot_stand")
"""Matters of alerts whose code is an infraction's."""


def facts_of(code: str, why: Mapping[str, str]) -> Facts:
    """The facts that kept sentences name, got back by the words for the code; or the sentences
    themselves under `said`. Empty where there are no sentences.
    """
    if not why:
        return {}
    said = why.get("en")
    known = code in WORDS_OF_VERSION_1 and isinstance(said, str)
    found = _pattern(code).fullmatch(str(said)) if known else None
    if found is None:
        return {SAID: why}
    return {k: v if k in _AS_TEXT else int(v) for k, v in found.groupdict().items()}


@functools.cache
def _pattern(code: str) -> re.Pattern[str]:
    """The words of version 1 for a code with a group for each fact; a fact named again must be the
    same.
    """
    found, seen = "", set[str]()
    for text, name, _, _ in string.Formatter().parse(WORDS_OF_VERSION_1[code]):
        found += re.escape(text)
        if name is not None:
            kind = r"[\w']+" if name in _AS_TEXT else r"[0-9]+"
            found += f"(?P={name})" if name in seen else f"(?P<{name}>{kind})"
            seen.add(name)
    return re.compile(found)


def _sentences(value: object, where: str) -> Mapping[str, str]:
    """Sentences by language, as they were kept; only that they stand by language is checked."""
    if not isinstance(value, Mapping):
        raise CodecError(f"{where}: expected a mapping, got {str(value)[:80]!r}")
    return value


def _illegal_noticed(fields: Fields) -> Fields:
    kept = {k: v for k, v in fields.items() if k != "why"}
    why = _sentences(fields.get("why"), "illegal_noticed.why")
    return kept | {"facts": facts_of(str(fields.get("code")), why)}


def _alert_raised(fields: Fields) -> Fields:
    kept = {k: v for k, v in fields.items() if k != "why"}
    why, matter = _sentences(fields.get("why", {}), "alert_raised.why"), fields.get("matter")
    if matter == "source_lost" and set(why) == {"en"}:
        return kept | {"facts": {"reason": why["en"]}}
    code = str(fields.get("code")) if matter in INFRINGED else ""
    return kept | {"facts": facts_of(code, why)}


def _played(fields: Fields) -> Fields:
    evidence = fields.get("evidence")
    if not isinstance(evidence, Mapping) or "why" not in evidence:
        return fields
    kept = {k: v for k, v in evidence.items() if k != "why"}
    why = _sentences(evidence["why"], "played.evidence.why")
    facts = facts_of(str(fields.get("infraction")), why)
    return fields | {"evidence": kept | {"facts": facts}}


UPCASTS: Final[Mapping[tuple[str, int], Callable[[Fields], Fields]]] = {
    ("illegal_noticed", 1): _illegal_noticed,
    ("alert_raised", 1): _alert_raised,
    ("played", 1): _played,
}
"""(kind, old version) -> lifts the fields of that version to the next."""
