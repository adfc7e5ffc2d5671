"""What is written of a film: `transcript.json`, `transcript.mat`, and what was seen; and what a
person gives back: times of presses, corrections.  (E)
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypedDict

from rules.board import Placement, Seating, Side
from rules.dice import Roll
from rules.game import Action, NextGame, Played, Rolled, Starts
from rules.match import MatchRules
from rules.notation.errors import NotationError
from rules.notation.mat import carried
from rules.notation.matwrite import write_mat
from rules.notation.record import MatchRecord
from rules.ruleset import Ruleset
from service.film.corrections import Correction
from service.film.errors import FilmError
from service.film.kept import KEPT, FilmRead, keep
from service.film.unread import Unread
from service.reconcile.reel import ReadTurn

SURE: Final = 0.9
"""A turn below this confidence is marked doubtful."""


@dataclass(frozen=True)
class Transcript:
    """What a film holds: turns with confidence, and how the board lay."""

    ruleset: Ruleset
    seating: Seating
    start: Placement
    turns: tuple[ReadTurn, ...]
    stills: int
    throws: int
    unread: tuple[Unread, ...] = ()
    """Where the board was not read for ten seconds or longer, and why."""
    read: FilmRead | None = None
    """What was seen, to be explained again with corrections."""


class PlayJson(TypedDict):
    """One play as written: `side` light or dark, `at` seconds of film, `after` 26 counts a side."""

    game: int
    side: str
    dice: list[int]
    play: str
    confidence: float
    doubtful: bool
    dice_seen: bool
    frame: int
    at: float
    after: dict[str, list[int]]


UnreadJson = TypedDict("UnreadJson", {"from": float, "to": float, "why": str})
"""A stretch of film, s, that was not read."""


class TranscriptJson(TypedDict):
    """`transcript.json`, with the plays in order."""

    schema: str
    source: str
    ruleset: str
    home: str
    plays: list[PlayJson]
    unread: list[UnreadJson]


def transcript_json(transcript: Transcript, source: str) -> TranscriptJson:
    """What is written of a film that came from `source`."""
    return {
        "schema": "takhte-transcript/1",
        "source": source,
        "ruleset": transcript.ruleset.name,
        "home": transcript.seating.home.value,
        "plays": [_play_json(read_turn, transcript.seating) for read_turn in transcript.turns],
        "unread": [
            {"from": round(u.began, 2), "to": round(u.ended, 2), "why": u.why}
            for u in transcript.unread
        ],
    }


def _play_json(found: ReadTurn, seating: Seating) -> PlayJson:
    """One turn as written."""
    turn = found.turn
    placement = turn.play.placement
    return {
        "game": turn.game,
        "side": seating.colour_of(turn.side).value,
        "dice": [turn.roll.high, turn.roll.low],
        "play": str(turn.play),
        "confidence": round(found.confidence, 4),
        "doubtful": found.confidence < SURE,
        "dice_seen": turn.throw is not None,
        "frame": turn.frame,
        "at": round(turn.at, 2),
        "after": {"white": list(placement.white), "black": list(placement.black)},
    }


def record(transcript: Transcript) -> MatchRecord:
    """The same as a match record: one money session; games that were given up are left open."""
    actions: list[Action] = []
    game = 0
    for found in transcript.turns:
        turn = found.turn
        if turn.game != game:
            if game:
                actions.append(NextGame())
            actions.append(Starts(turn.side))
            game = turn.game
        actions += [Rolled(turn.side, turn.roll), Played(turn.side, turn.play.placement)]
    doubtful = [str(n + 1) for n, found in enumerate(transcript.turns) if found.confidence < SURE]
    tags = [("Transcriber", "takhte")] + ([("Doubtful", " ".join(doubtful))] if doubtful else [])
    return MatchRecord(
        MatchRules.of(transcript.ruleset),
        {Side.WHITE: "light", Side.BLACK: "dark"},
        tuple(actions),
        tuple(tags),
    )


def write_transcript(transcript: Transcript, source: str, out: Path) -> list[Path]:
    """Write `transcript.json` and, where .mat can say it, `transcript.mat`.

    Returns what was written.
    """
    out.mkdir(parents=True, exist_ok=True)
    written = [out / "transcript.json"]
    written[0].write_text(
        json.dumps(transcript_json(transcript, source), indent=1, ensure_ascii=False) + "\n"
    )
    if transcript.read is not None:
        written.append(out / KEPT)
        keep(transcript.read, written[-1])
    if carried(transcript.ruleset):
        try:
            text = write_mat(record(transcript))
        except NotationError as error:
            print(f"takhte transcribe: no .mat: {error}", file=sys.stderr)
        else:
            written.append(out / "transcript.mat")
            written[-1].write_text(text)
    return written


def read_presses(path: Path) -> list[float]:
    """Times of the clock's presses, seconds: a JSON list of numbers or of `{"t": seconds}`, or one
    number a line.
    """
    text = path.read_text()
    try:
        data = json.loads(text)
    except ValueError:
        data = [line.split()[0] for line in text.splitlines() if line.strip()]
    rows = data.get("presses", ()) if isinstance(data, dict) else data
    try:
        return sorted(float(row["t"] if isinstance(row, dict) else row) for row in rows)
    except (TypeError, ValueError, KeyError):
        raise FilmError(
            f"expected times in seconds in {path.name}, one a line or as JSON"
        ) from None


def read_corrections(path: Path) -> list[Correction]:
    """What a person says: JSON rows as the transcript's plays are, of which `frame`, `after` and
    `dice` count; null dice where they are not known. Raises FilmError.
    """
    try:
        rows = json.loads(path.read_text())
        return [
            Correction(
                int(row["frame"]),
                Placement(tuple(row["after"]["white"]), tuple(row["after"]["black"])),
                Roll.of(*row["dice"]) if row.get("dice") else None,
            )
            for row in (rows["plays"] if isinstance(rows, dict) else rows)
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FilmError(
            f"expected rows as in transcript.json, with frame, dice and after, in {path.name}:"
            f" {error}"
        ) from None
