"""Settings of this machine: one TOML file, every setting in one table with default, unit, range and
help.

The table is the dataclasses below: loading, checking, `takhte settings` and `docs/settings.md` are
folds of them. What the match is played by (rules, clock, conduct) is the event file's; which file
is which stands in `docs/files.md`.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

import platformdirs

from rules.words import language_codes

T = TypeVar("T")


RECORDED: Final = "recorded"
"""Camera or board of a recording: no setting, but what the command line means when it names a
recording and neither.
"""


class SettingsError(ValueError):
    """A settings file that cannot be used: what was expected, what came, what to do next; one line,
    with the file and its line.
    """


def version() -> str:
    """Of the program, as installed."""
    try:
        return metadata.version("takhte")
    except metadata.PackageNotFoundError:
        return "0 (not installed)"


def setting(
    default: T,
    text: str,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
) -> T:
    """One row of the table. `low` and `high` are inclusive; `choices` lists the words allowed."""
    return field(
        default=default,
        metadata={"text": text, "unit": unit, "low": low, "high": high, "choices": choices},
    )


@dataclass(frozen=True, slots=True)
class TableSettings:
    """This table."""

    name: str = setting(
        "t1", "short name of the table: letters, digits, - and _; part of its addresses and files"
    )
    data: str = setting(
        "", "folder of the journal, evidence and keys; empty means the user's data folder"
    )
    journal: str = setting("", "journal file; empty means NAME.journal in the data folder")


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """The camera over the board."""

    source: str = setting(
        "none",
        "number of a camera (0), a video file, a folder of pictures, an http:// or rtsp:// address,"
        " or none",
    )
    orientation: int = setting(
        -1,
        "which way up the camera sees the board: 0, or 180 when South is at the top; -1 finds it",
        "degrees",
        -1,
        180,
    )
    stale_after: float = setting(
        2.0, "a picture older than this counts as a lost camera", "s", 0.2, 60
    )
    period: float = setting(0.1, "look at a picture at most this often", "s", 0.02, 5)


@dataclass(frozen=True, slots=True)
class BoardSettings:
    """The board's electronics."""

    address: str = setting(
        "none",
        "auto (search by USB id), a port such as /dev/ttyACM0, socket://host:port, simulated, pi,"
        " or none; docs/boards.md says what each is",
    )
    map: str = setting(
        "", "board file with dimensions, wiring and calibration; empty means the reference board"
    )


@dataclass(frozen=True, slots=True)
class SeatingSettings:
    """Who sits where."""

    white: str = setting("light", "which checkers are White's", choices=("light", "dark"))
    home: str = setting(
        "south-east",
        "corner of White's 1-point, seen with the camera upright",
        choices=("south-east", "south-west", "north-west", "north-east"),
    )


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """What is played when nothing else was set up."""

    ruleset: str = setting("backgammon", "name of a ruleset: `takhte rulesets` lists them")
    length: int = setting(7, "points of the match; 0 means a money session", "points", 0, 99)
    event: str = setting(
        "", "event file: rules, clock, conduct, who may be told; empty means its defaults"
    )
    rulesets: str = setting("", "file with the club's own rulesets; empty means none")


@dataclass(frozen=True, slots=True)
class PageSettings:
    """The page and its feeds."""

    host: str = setting("127.0.0.1", "address to serve on; 0.0.0.0 lets the local network in")
    port: int = setting(8000, "port of the page", "", 1, 65535)
    language: str = setting(
        "",
        "language of the page; empty follows the visitor's browser",
        choices=("", *language_codes()),
    )
    mdns: bool = setting(
        True,
        "announce the page as NAME.local on the local network, unless it serves this machine alone",
    )


@dataclass(frozen=True, slots=True)
class BroadcastSettings:
    """The camera's picture on the air."""

    picture: bool = setting(
        False,
        "share the camera's picture, cropped to the board and delayed; true only when the players"
        " and the club have agreed",
    )
    picture_rate: float = setting(10, "pictures a second at most", "a second", 0.2, 30)
    picture_megabytes: int = setting(
        256,
        "memory for pictures that wait for their delay; a delay too long for it lowers the rate",
        "MB",
        16,
        8192,
    )


@dataclass(frozen=True, slots=True)
class EvidenceSettings:
    """Pictures kept beside the journal."""

    keep_hours: float = setting(
        72, "pictures older than this are deleted; 0 keeps none", "h", 0, 8760
    )
    quality: int = setting(85, "JPEG quality of a kept picture", "", 30, 100)


@dataclass(frozen=True, slots=True)
class RecordingSettings:
    """Raw recording of everything the table takes in."""

    folder: str = setting(
        "",
        "record every run into a new folder under this one; empty records only when --record asks",
    )
    quality: int = setting(
        92, "JPEG quality of recorded pictures; what is recorded is what is read", "", 50, 100
    )
    limit_gb: float = setting(
        20, "stop recording (never the match) at this size", "GB", 0.01, 10_000
    )


@dataclass(frozen=True, slots=True)
class PanelSettings:
    """A clock panel on the Pi's own pins, beside or instead of the board's; with `board.address =
    "pi"` it is there by itself."""

    gpio: str = setting(
        "none", "none, pi (real pins) or mock (for trying it out)", choices=("none", "pi", "mock")
    )


@dataclass(frozen=True, slots=True)
class LogSettings:
    """Logs of the processes."""

    folder: str = setting(
        "", "folder of the logs; empty means the terminal or the system's journal only"
    )
    megabytes: float = setting(5, "size at which a log is turned over", "MB", 0.1, 1000)
    files: int = setting(3, "older logs kept", "files", 1, 100)


@dataclass(frozen=True, slots=True)
class HallSettings:
    """A hall of many tables, on a machine of its own or on one of theirs (`takhte hall`). A table
    needs none of these: it joins by a code."""

    name: str = setting(
        "hall", "the hall's name; it stands behind the names of officials who rule from afar"
    )
    data: str = setting("", "the hall's folder; empty means `hall` in the data folder")
    host: str = setting(
        "127.0.0.1",
        "address to serve on; 0.0.0.0 lets the local network in, tables and pages alike",
    )
    port: int = setting(8010, "port of the hall's pages", "", 1, 65535)
    nats_port: int = setting(4222, "port at which tables publish", "", 1, 65535)
    stream_gb: float = setting(
        8,
        "the most that the stream of entries may take on the disk; beyond it tables wait",
        "GB",
        1,
        10_000,
    )
    slow_after: float = setting(
        180, "a turn longer than this is told on the wall as slow play", "s", 10, 36_000
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """All of them. `source` is the file they came from, empty for defaults."""

    table: TableSettings = TableSettings()
    camera: CameraSettings = CameraSettings()
    board: BoardSettings = BoardSettings()
    seating: SeatingSettings = SeatingSettings()
    match: MatchSettings = MatchSettings()
    page: PageSettings = PageSettings()
    broadcast: BroadcastSettings = BroadcastSettings()
    evidence: EvidenceSettings = EvidenceSettings()
    recording: RecordingSettings = RecordingSettings()
    panel: PanelSettings = PanelSettings()
    log: LogSettings = LogSettings()
    hall: HallSettings = HallSettings()
    source: str = ""

    @property
    def data(self) -> Path:
        """Folder of this machine's tables; not made here."""
        return (
            Path(self.table.data).expanduser()
            if self.table.data
            else Path(platformdirs.user_data_dir("takhte"))
        )

    @property
    def journal(self) -> Path:
        """The match's journal: the one that is named, else the table's own in the data folder."""
        return (
            Path(self.table.journal).expanduser()
            if self.table.journal
            else self.data / f"{self.table.name}.journal"
        )

    def with_values(
        self,
        *,
        table_name: str | None = None,
        table_journal: str | None = None,
        table_data: str | None = None,
        camera_source: str | None = None,
        board_address: str | None = None,
        page_host: str | None = None,
        page_port: int | None = None,
        panel_gpio: str | None = None,
        hall_data: str | None = None,
        hall_host: str | None = None,
        hall_port: int | None = None,
        hall_nats_port: int | None = None,
    ) -> Settings:
        """A copy with what the command line or a page says in its place; None changes nothing.

        Raises SettingsError for a value that its setting cannot have.
        """
        table = dataclasses.replace(
            self.table,
            name=_given(table_name, self.table.name),
            journal=_given(table_journal, self.table.journal),
            data=_given(table_data, self.table.data),
        )
        page = dataclasses.replace(
            self.page,
            host=_given(page_host, self.page.host),
            port=_given(page_port, self.page.port),
        )
        hall = dataclasses.replace(
            self.hall,
            data=_given(hall_data, self.hall.data),
            host=_given(hall_host, self.hall.host),
            port=_given(hall_port, self.hall.port),
            nats_port=_given(hall_nats_port, self.hall.nats_port),
        )
        source = _given(camera_source, self.camera.source)
        address = _given(board_address, self.board.address)
        out = dataclasses.replace(
            self,
            table=table,
            camera=dataclasses.replace(self.camera, source=source),
            board=dataclasses.replace(self.board, address=address),
            page=page,
            panel=dataclasses.replace(self.panel, gpio=_given(panel_gpio, self.panel.gpio)),
            hall=hall,
        )
        for name, _ in sections():
            before, part = getattr(self, name), getattr(out, name)
            for row in dataclasses.fields(part):
                value = getattr(part, row.name)
                if value != getattr(before, row.name):
                    checked_value(name, row, value, "command line")
        return out


Section: TypeAlias = (
    TableSettings
    | CameraSettings
    | BoardSettings
    | SeatingSettings
    | MatchSettings
    | PageSettings
    | BroadcastSettings
    | EvidenceSettings
    | RecordingSettings
    | PanelSettings
    | LogSettings
    | HallSettings
)


def _given(value: T | None, otherwise: T) -> T:
    return otherwise if value is None else value


def sections() -> Iterator[tuple[str, Section]]:
    """(name, default section) of the whole table, in file order."""
    every = Settings()
    for part in dataclasses.fields(Settings):
        if part.name != "source":
            yield part.name, getattr(every, part.name)


def checked_value(
    section: str, row: dataclasses.Field[object], value: object, where: str
) -> object:
    """The value as the type of the default, inside its range; raises SettingsError."""
    about, name = row.metadata, f"{section}.{row.name}"
    kind: type[object] = type(row.default)
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "text in quotes"}
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not kind or (isinstance(value, float) and not math.isfinite(value)):
        raise SettingsError(f"{where}: {name} is {words[kind]}, got {value!r}")
    if about["choices"] and value not in about["choices"]:
        raise SettingsError(
            f"{where}: {name} is one of {', '.join(map(repr, about['choices']))}, got {value!r}"
        )
    low, high = about["low"], about["high"]
    if isinstance(value, int | float) and (
        (low is not None and value < low) or (high is not None and value > high)
    ):
        raise SettingsError(
            f"{where}: {name} is from {low:g} to {high:g} {about['unit']}".rstrip()
            + f", got {value:g}"
        )
    if name == "table.name" and not re.fullmatch(r"[A-Za-z0-9_-]{1,32}", str(value)):
        raise SettingsError(
            f"{where}: table.name is 1 to 32 letters, digits, - or _, got {value!r}"
        )
    return value
