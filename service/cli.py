"""The one command, `takhte`: each word runs a room's own `main` (E).

A room is imported when its word is given and not before, so `takhte doctor` works where the
camera's libraries do not, and `takhte --help` answers at once. A room's `main(arguments)` returns
the exit status: 0 done, 1 could not be done, 2 asked wrongly.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Final

from service.settings import SettingsError, version

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "run": (
        "service.appliance.run",
        "open the page and referee a table: a recorded game, or --camera and --board",
    ),
    "replay": (
        "service.table.replay",
        "play a recording through the house without a page and print the plays",
    ),
    "read": ("vision.read_command", "read one picture and print the position"),
    "capture": (
        "vision.capture",
        "give back pictures of your own board, cut to it and put right by you",
    ),
    "tune": (
        "vision.tune",
        "learn the colours of your own sets from an evening that was transcribed",
    ),
    "transcribe": ("service.film.transcribe", "read a match from a video and write .mat and JSON"),
    "simulate": (
        "service.simulate.__main__",
        "play whole matches without hardware and count the errors",
    ),
    "doctor": (
        "service.appliance.doctor",
        "say what is present and what is missing, each with its next step",
    ),
    "check": (
        "service.appliance.check",
        (
            "say what a file is and whether it is right: settings, event, rulesets, board, journal,"
            " recording"
        ),
    ),
    "settings": ("service.settings", "print every setting with its default and range"),
    "rulesets": ("rules.rulesets_command", "list the rulesets and what differs between them"),
    "convert": ("rules.notation.convert", "turn a match file or a position into another format"),
    "report": (
        "service.report.command",
        "what a finished match teaches: error rates, blunders, luck, dice, as a page",
    ),
    "players": (
        "service.web.player_command",
        "who plays here, with ratings; everything that is kept of one of them",
    ),
    "board": ("service.appliance.board", "the board alone: find, watch, test, calibrate"),
    "journal": ("service.record.command", "verify, show or export a journal"),
    "hall": (
        "service.hall.command",
        "follow many tables: the wall, rounds and results; rebuild or archive them",
    ),
    "relay": (
        "service.web.relay",
        "keep what guests may see of all tables as files that any web host can give out",
    ),
    "join": ("service.hall.join", "let this table join a hall, by the code that its desk shows"),
    "backup": ("service.appliance.backup", "save a table's files, or bring them back"),
    "forget": (
        "service.appliance.forget",
        "take a person's name out of everything that this machine keeps",
    ),
    "unit": ("service.appliance.systemd", "print a systemd unit with watchdog for this table"),
    "diagnose": (
        "service.appliance.diagnose",
        "collect what a helper needs to see into one file, without secrets",
    ),
}


def usage() -> str:
    """What `takhte --help` prints."""
    width = max(map(len, COMMANDS))
    rows = "\n".join(f"  {name:<{width}}  {text}" for name, (_, text) in COMMANDS.items())
    about = "A physical backgammon or nard board that referees itself."
    return f"usage: takhte COMMAND [...]\n\n{about}\n\n{rows}\n\n`takhte COMMAND --help` says more."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status.

    Errors a person can act on are one line on stderr.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in {"-h", "--help", "help"}:
        print(usage())
        return 0 if given else 2
    if given[0] in {"-V", "--version"}:
        print(f"takhte {version()}")
        return 0
    word, rest = given[0], given[1:]
    if word not in COMMANDS:
        print(f"takhte: no command {word!r}; commands are {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    room = importlib.import_module(COMMANDS[word][0])
    try:
        return int(room.main(rest) or 0)
    except SettingsError as e:
        print(f"takhte {word}: {e}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output left (`takhte journal show | head`): nobody is there to be told.
        sys.stderr.close()
        return 141


if __name__ == "__main__":
    raise SystemExit(main())
