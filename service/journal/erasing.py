"""A person's name taken out of a journal that stays provable (E).

The texts that hold the name are changed and keep their hashes, and one more entry, signed with the
table's key, holds the digests of the changed ones (`service.journal.erasures`): links, noted heads
and signatures over heads go on to hold, and a reader can tell exactly which entries no longer prove
their own words. Who entered a play, a roll, a result, a penalty or a time stays: such an entry can
lose nothing. The file is written anew, so that no page of it keeps what was there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.journal import entries_hall
from service.journal.chain import JournalError, parse_entry, seal_entry
from service.journal.codec import canonical
from service.journal.entries import Role, Who
from service.journal.erasures import ERASING, may_lose_a_name, statement, text_digest
from service.journal.keys import key_path, table_key
from service.journal.sqlite_file import Row, beside, lock_journal, sync_folder, write_anew
from service.journal.store import Reader, Store, missing_end
from service.journal.tail import tail_path

IsName = Callable[[str], bool]
IN_ITS_PLACE: Final = "—"
"""What stands in a longer text where the name was; a name alone leaves nothing."""
_NAMED: Final = frozenset(
    {"name", "white", "black", "value", "before", "first", "second", "groups"}
)
"""Keys under which whole names stand, of players and of whoever spoke."""
_HALLS: Final = frozenset(
    cls.kind
    for cls in (
        entries_hall.PlayerEntered,
        entries_hall.PlayerAmended,
        entries_hall.PlayerStruck,
        entries_hall.PlayerLeft,
        entries_hall.PlayerReturned,
        entries_hall.StageDrawn,
        entries_hall.RoundPaired,
    )
)
"""Kinds of a hall's entries, which know players by their names: one without is told from others by
what stands in its place.
"""


@dataclass(frozen=True, slots=True)
class Erased:
    """What became of a journal: numbers of the entries that lost the name, of those that still hold
    it, and the pictures kept of matches in which the person played.
    """

    entries: tuple[int, ...]
    left: tuple[int, ...]
    pictures: tuple[str, ...]


def spellings(texts: Iterable[bytes], is_name: IsName) -> frozenset[str]:
    """Every spelling of the name that these entries have."""
    return frozenset(word for text in texts for word in _strings(json.loads(text)) if is_name(word))


def _strings(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def without_name(text: bytes, spelled: Iterable[str], is_name: IsName, number: int = 0) -> bytes:
    """The entry's text without the name: fields that hold nothing else are empty, in other texts a
    dash stands in its place. Where the name is also a word of the record's own, such as `white`,
    names alone are taken out. In a hall's entries `number`, of the entry that says so, stands for
    the player.
    """
    words = "|".join(re.escape(word) for word in sorted(spelled, key=len, reverse=True))
    pattern = re.compile(rf"(?<!\w)(?:{words})(?!\w)")
    data = json.loads(text)
    halls = data["kind"] in _HALLS
    stands = {
        word: f"{IN_ITS_PLACE} {number}" + (f".{i}" if i else "")
        for i, word in enumerate(sorted(spelled) if halls else ())
    }
    for everywhere in (True, False):
        changed = canonical(_without(data, pattern if everywhere else None, is_name, stands))
        try:
            parse_entry(changed, "")
        except JournalError:
            continue
        return changed
    return text


def _without(
    value: object,
    pattern: re.Pattern[str] | None,
    is_name: IsName,
    stands: Mapping[str, str],
    key: str = "",
) -> object:
    match value:
        case str() if is_name(value) and (pattern or key in _NAMED):
            return stands.get(value, "")
        case str() if pattern:
            return pattern.sub(IN_ITS_PLACE, value)
        case dict():
            return {k: _without(v, pattern, is_name, stands, k) for k, v in value.items()}
        case list():
            return [_without(each, pattern, is_name, stands, key) for each in value]
    return value


def who_holds(
    rows: Iterable[Row], spelled: Iterable[str], is_name: IsName
) -> tuple[list[int], list[int]]:
    """Numbers of the entries that hold the name: of those that can lose it, and of those that
    cannot.
    """
    words = tuple(canonical(word)[1:-1] for word in spelled)
    can: list[int] = []
    cannot: list[int] = []
    for seq, text, _ in rows:
        if any(word in text for word in words) and without_name(text, spelled, is_name) != text:
            (can if may_lose_a_name(text) else cannot).append(seq)
    return can, cannot


def erased_rows(
    rows: Sequence[Row], is_name: IsName, wall: float, key: Ed25519PrivateKey
) -> tuple[list[Row], Erased]:
    """The journal's rows without the name and with the entry that says so; the same rows where it
    does not occur. Pure.
    """
    spelled = spellings((text for _, text, _ in rows), is_name)
    if not spelled:
        return list(rows), Erased((), (), ())
    found: list[Row] = []
    digests: dict[str, str] = {}
    left: list[int] = []
    for seq, text, sealed in rows:
        # What says that names were erased holds none.
        changed = text if ERASING in text else without_name(text, spelled, is_name, len(rows) + 1)
        if changed == text:
            found.append((seq, text, sealed))
        elif may_lose_a_name(text):
            found.append((seq, changed, sealed))
            digests[str(seq)] = text_digest(changed)
        else:
            found.append((seq, text, sealed))
            left.append(seq)
    erased = Erased(tuple(map(int, digests)), tuple(left), tuple(_pictures(rows, is_name)))
    if digests:
        number, at, head = len(rows) + 1, json.loads(rows[-1][1])["at"], rows[-1][2]
        body = statement(number, digests, key)
        entry, text = seal_entry(head, number, at, wall, Who("", Role.CONSOLE), body)
        found.append((entry.seq, text, entry.hash))
    return found, erased


def _pictures(rows: Iterable[Row], is_name: IsName) -> Iterable[str]:
    """Pictures kept of the matches in which somebody of the name plays."""
    names = {"white": "", "black": ""}
    waiting: list[str] = []
    for _, text, _ in rows:
        data = json.loads(text)
        body = data["body"]
        if data["kind"] == "match_set":
            if any(map(is_name, names.values())):
                yield from waiting
            names, waiting = {side: body.get(side, "") for side in names}, []
        if data["kind"] == "match_amended" and body.get("what") in names:
            # Whoever was named at any time of the match played it.
            names[f"{body['what']} {data['seq']}"] = str(body.get("value"))
        waiting += body.get("pictures", [])
    if any(map(is_name, names.values())):
        yield from waiting


def erase_name(path: Path, is_name: IsName, wall: float) -> Erased:
    """Take a person's name out of a journal that no table writes. Raises InUseError where one does,
    JournalError where it is damaged, StoreError, KeyFileError.
    """
    with lock_journal(path):
        if (missing := missing_end(path)) is not None:
            raise missing
        with Reader(path) as reader:
            rows = [(e.seq, e.text, e.hash) for e in reader.read()]
            if reader.broken is not None:
                raise reader.broken
            beat = reader.heartbeat()
        changed, erased = erased_rows(rows, is_name, wall, table_key(key_path(path)))
        if not erased.entries:
            return erased
        fresh = beside(path, ".new")
        write_anew(fresh, changed, beat)
        for suffix in ("-wal", "-shm"):
            beside(path, suffix).unlink(missing_ok=True)
        fresh.replace(path)
        tail_path(path).unlink(missing_ok=True)
        sync_folder(path.parent)
    # Opened once as its table would, which checks it whole and keeps its end a second time.
    Store.open(path).close()
    return erased
