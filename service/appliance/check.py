"""`takhte check FILE`: which of the project's files this is, and whether it is right.

A file is known by what it holds, never by its name: docs/files.md lists the kinds. Everything wrong
is one line, with its line in the file where that can be told.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from firmware_bridge import calibration
from firmware_bridge.board_spec import load_board
from firmware_bridge.errors import BridgeError
from rules import event_keys
from rules.axes import AXES, RulesetError
from rules.event import EventError
from rules.ruleset import load_rulesets
from service import settings
from service.journal.chain import JournalError
from service.journal.codec import Json
from service.journal.store import Reader, StoreError
from service.recording.format import Recording, RecordingError

LARGEST: Final = 2_000_000
SQLITE: Final = b"SQLite format 3\x00"


class Wrong(Exception):  # noqa: N818 - a finding, not an error of ours
    """What is wrong with the file, in one line."""


def recognise_file(path: Path) -> tuple[str, str]:
    """(kind, what was found in it) of a file or folder that is right. Raises Wrong."""
    try:
        if path.is_dir():
            return "recording", _recording(path)
        with path.open("rb") as file:
            head = file.read(LARGEST + 1)
    except OSError as e:
        raise Wrong(f"{path}: cannot be read ({e.strerror})") from None
    if head.startswith(SQLITE):
        return "journal", _journal(path)
    if len(head) > LARGEST:
        raise Wrong(
            f"{path}: {path.stat().st_size} bytes; no file of this project but a journal or a video"
            " is so large"
        )
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError:
        raise Wrong(
            f"{path}: neither text nor a journal: not a file of this project; docs/files.md lists"
            " them"
        ) from None
    if text.lstrip().startswith("{"):
        return _json(path, text)
    return _toml(path, text)


def _recording(path: Path) -> str:
    try:
        found = Recording(path)
    except RecordingError as e:
        raise Wrong(str(e)) from None
    pictures = sum(1 for _ in found.pictures())
    if found.problem:
        raise Wrong(found.problem)
    return (
        f"{found.length:.0f} s, {pictures} pictures, {len(found.items)} lines;"
        f" {found.header.about or 'no description'}"
    )


def _journal(path: Path) -> str:
    try:
        with Reader(path) as reader:
            entries = reader.read()
            if reader.broken:
                raise Wrong(f"{path}: {reader.broken}")
    except (JournalError, StoreError) as e:
        raise Wrong(str(e)) from None
    return f"{len(entries)} entries, the chain of hashes is whole"


def _json(path: Path, text: str) -> tuple[str, str]:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise Wrong(f"{path}: not JSON: {e}") from None
    if "zeros" in given and "gains" in given:
        try:
            found = calibration.from_json(text)
        except BridgeError as e:
            raise Wrong(f"{path}: {e}") from None
        return "calibration", f"of board {found.uid}, made by: {found.made}"
    if given.get("format") == "takhte-recording":
        return "recording", _recording(path.parent)
    raise Wrong(
        f"{path}: JSON, but neither a calibration nor the header of a recording; docs/files.md"
        " lists the kinds"
    )


def _toml(path: Path, text: str) -> tuple[str, str]:
    try:
        given = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as e:
        raise Wrong(f"{path}: not TOML: {e}") from None
    kind = likeliest(given)
    try:
        return kind, _READERS[kind](text, str(path))
    except (settings.SettingsError, EventError, RulesetError, BridgeError) as e:
        raise Wrong(f"this looks like {_ARTICLES[kind]}; {e}") from None


def likeliest(given: Mapping[str, Json]) -> str:
    """The kind of a TOML file by its sections: board, settings, event or rulesets."""
    names = set(given)
    if len(names & {"field", "multiplexers", "magnet", "sensor"}) >= 2:
        return "board"
    if any(
        isinstance(value, dict) and ({"inherits", *AXES} & set(value)) for value in given.values()
    ):
        return "rulesets"
    keys = {
        f"{name}.{key}" for name, value in given.items() if isinstance(value, dict) for key in value
    }
    of_settings = {
        f"{name}.{row.name}"
        for name, part in settings.sections()
        for row in dataclasses.fields(part)
    }
    # `[event] name =` is how one would guess that an event file begins: it is read as one, and told
    # where its keys stand.
    known = {key.rpartition(".")[2] for key in event_keys.KEYS}
    guessed = given.get("event")
    if isinstance(guessed, dict) and known & set(guessed):
        return "event"
    as_settings = (len(keys & of_settings), len(names & {name for name, _ in settings.sections()}))
    as_event = (len((keys | names) & set(event_keys.KEYS)), len(names & set(event_keys.SECTIONS)))
    return "event" if as_event > as_settings else "settings"


def _settings(text: str, source: str) -> str:
    settings.parse_settings(text, source)
    return "every key is known and in range"


def _event(text: str, source: str) -> str:
    event = event_keys.load_event(text, source)
    idle = [f"{key} does nothing: {why}" for key, why in event.without_effect()]
    return "; ".join(["every key is known and in range", *idle])


def _rulesets(text: str, source: str) -> str:
    return ", ".join(load_rulesets(text, source))


def _board(text: str, source: str) -> str:
    board = load_board(text, source)
    return f"{board.name}: {len(board.sensors.places)} sensors, {board.leds.count} lights"


_READERS: Final[dict[str, Callable[[str, str], str]]] = {
    "settings": _settings,
    "event": _event,
    "rulesets": _rulesets,
    "board": _board,
}
_ARTICLES: Final = {
    "settings": "a settings file",
    "event": "an event file",
    "rulesets": "a file of rulesets",
    "board": "a board file",
}


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="takhte check", description="Say what a file is and whether it is right."
    )
    parser.add_argument(
        "file",
        type=Path,
        nargs="+",
        help="settings, event, rulesets, board, calibration, journal or recording",
    )
    status = 0
    for path in parser.parse_args(words).file:
        try:
            kind, found = recognise_file(path)
        except Wrong as e:
            print(f"WRONG  {e}")
            status = 1
        else:
            print(f"right  {path}: {kind}; {found}")
    return status
