"""Every setting of a machine: its default, unit, range and help, a dataclass a section.

Reading, checking, `takhte settings` and `docs/settings.md` are folds of this table
(`service.settings`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from rules.words import language_codes

T = TypeVar("T")


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
        " phone (one that is let in on the page), or none",
    )
    orientation: int = setting(
        -1,
        "which way up the camera sees the board: 0, or 180 when South is at the top; -1 finds it",
        "degrees",
        -1,
        180,
    )
    tuned: str = setting(
        "",
        "what `takhte tune --out FILE` learned of this table: the colours of its sets, and how"
        " sure to be of them; empty means nothing",
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
    drive: str = setting(
        "",
        "folder where this machine mounts the drive of an RP2040 that waits for its firmware"
        " (hardware/pico.md); empty means where desktops do, and /mnt",
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
    begins: bool = setting(
        False,
        "on a new journal this match begins by itself, for a table without a page; else nothing"
        " begins before somebody presses Begin",
    )


@dataclass(frozen=True, slots=True)
class PageSettings:
    """The page and its feeds."""

    host: str = setting("127.0.0.1", "address to serve on; 0.0.0.0 lets the local network in")
    port: int = setting(8000, "port of the page", "", 1, 65535)
    console_port: int = setting(
        8007,
        "port of this machine's own screen, on the loopback alone: whoever asks there is the"
        " console and needs no password, so let no proxy or tunnel lead to it; 0 = nobody is",
        "",
        0,
        65535,
    )
    https: str = setting(
        "own",
        "how phones reach the page behind TLS, without which no browser lends its camera: own (a"
        " certificate made at the first start), two files CERTIFICATE,KEY, or off",
    )
    https_port: int = setting(8443, "port of the page behind TLS", "", 1, 65535)
    hosts: str = setting(
        "",
        "names by which this machine's pages are called, besides addresses, localhost and *.local,"
        " with commas between",
    )
    proxies: str = setting(
        "",
        "addresses of reverse proxies whose X-Forwarded-For and -Proto are believed, with commas"
        " between; a proxy on this machine is 127.0.0.1",
    )
    connections: int = setting(
        512,
        "connections that one address may have; a whole club may stand behind one router",
        "",
        16,
        5000,
    )
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
    pins: str = setting(
        "",
        "GPIO numbers other than the wiring page's, as `south=17 lamp_south=none"
        " display_south=2/3`",
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
    console_port: int = setting(
        8017, "port of the hall's own screen, as page.console_port", "", 0, 65535
    )
    https: str = setting("own", "how the hall's pages are served behind TLS, as page.https")
    https_port: int = setting(8453, "port of the hall's pages behind TLS", "", 1, 65535)
    hosts: str = setting("", "names of the hall's pages, as page.hosts")
    proxies: str = setting("", "as page.proxies")
    connections: int = setting(512, "as page.connections", "", 16, 5000)
    nats_port: int = setting(4222, "port at which tables publish", "", 1, 65535)
    encrypted: bool = setting(True, "the line between tables and hall is encrypted")
    stream_gb: float = setting(
        8,
        "the most that the stream of entries may take on the disk; beyond it tables wait",
        "GB",
        1,
        10_000,
    )
    branches: str = setting(
        "",
        "other halls whose tables this one shows, as NAME=KEY, with commas between; KEY is what"
        " `takhte hall key` prints there",
    )
    leaf_port: int = setting(7422, "port at which the servers of these halls dial in", "", 1, 65535)
    leaf_address: str = setting(
        "", "HOST:PORT by which they reach this one from outside; empty: its own address and port"
    )
    main: str = setting(
        "", "the hall that shows this one's tables: the line that `takhte hall invite` prints there"
    )
    event: str = setting(
        "", "event file of the hall's rounds: every table plays them by it; empty: by its own"
    )
    rulesets: str = setting("", "file with the hall's own rulesets; empty means none")
    slow_after: float = setting(
        180, "a turn longer than this is told on the wall as slow play", "s", 10, 36_000
    )


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
