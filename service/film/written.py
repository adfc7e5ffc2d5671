"""What is written of a film: `transcript.json`, `transcript.mat`, and what was seen; and what a
person gives back: times of presses, corrections.  (E)
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypedDict

from rules.apply import apply
from rules.board import Colour, Placement, Seating, Side
from rules.dice import Roll
from rules.game import Action, ActionError, NextGame, Played, Rolled, Starts
from rules.match import Match, MatchRules
from rules.notation.errors import NotationError
from rules.notation.mathead import variation
from rules.notation.matwrite import write_mat
from rules.notation.record import MatchRecord
from rules.ruleset import Ruleset
from service.film.corrections import Correction
from service.film.errors import FilmError
from service.film.games import CubeRead, GameRead, GameSaid, cube_actions, given_up
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
    games: tuple[GameRead, ...] = ()
    """Each game's cube, end and score."""

    @property
    def rules(self) -> MatchRules:
        """What was agreed, as far as it was said."""
        return MatchRules.of(self.ruleset, 0 if self.read is None else self.read.length)


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


class CubeActJson(TypedDict):
    """One thing done with the cube: `action` double, take or drop, by `side`, after so many of the
    game's plays; `value` of the cube then.
    """

    game: int
    after_plays: int
    side: str
    action: str
    value: int
    confidence: float
    doubtful: bool
    frame: int
    at: float


class GameJson(TypedDict):
    """How one game ended: `how` played, dropped, resigned, or open where the film ends before;
    `score` after it, light and dark.
    """

    game: int
    winner: str | None
    points: int
    how: str
    confidence: float
    doubtful: bool
    score: list[int]


UnreadJson = TypedDict("UnreadJson", {"from": float, "to": float, "why": str})
"""A stretch of film, s, that was not read."""


class TranscriptJson(TypedDict):
    """`transcript.json`, with the plays in order."""

    schema: str
    source: str
    ruleset: str
    home: str
    length: int
    plays: list[PlayJson]
    cube: list[CubeActJson]
    games: list[GameJson]
    unread: list[UnreadJson]


def transcript_json(transcript: Transcript, source: str) -> TranscriptJson:
    """What is written of a film that came from `source`."""
    seating = transcript.seating
    return {
        "schema": "takhte-transcript/1",
        "source": source,
        "ruleset": transcript.ruleset.name,
        "home": transcript.seating.home.value,
        "length": transcript.rules.length,
        "plays": [_play_json(read_turn, seating) for read_turn in transcript.turns],
        "cube": [_cube_json(act, seating) for game in transcript.games for act in game.cube],
        "games": [_game_json(game, seating) for game in transcript.games],
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


def _cube_json(act: CubeRead, seating: Seating) -> CubeActJson:
    """One thing done with the cube as written."""
    return {
        "game": act.game,
        "after_plays": act.after,
        "side": seating.colour_of(act.side).value,
        "action": act.act.value,
        "value": act.value,
        "confidence": round(act.confidence, 4),
        "doubtful": act.confidence < SURE,
        "frame": act.frame,
        "at": round(act.at, 2),
    }


def _game_json(game: GameRead, seating: Seating) -> GameJson:
    """One game's end as written."""
    white, black = game.score
    return {
        "game": game.number,
        "winner": None if game.winner is None else seating.colour_of(game.winner).value,
        "points": game.points,
        "how": game.how,
        "confidence": round(game.confidence, 4),
        "doubtful": game.confidence < SURE,
        "score": [white, black] if seating.white is Colour.LIGHT else [black, white],
    }


def told_game(game: GameRead, seating: Seating) -> str:
    """One line of a game's cube and end."""
    row = _game_json(game, seating)
    cube = ", ".join(
        f"{seating.colour_of(act.side).value} {act.act.value}s {act.value}" for act in game.cube
    )
    won = f"{row['winner']} wins {game.points}" if game.winner else "nobody has won"
    light, dark = row["score"]
    doubt = ", doubtful" if row["doubtful"] else ""
    return f"game {game.number}: {cube or 'no cube'}; {won} ({game.how}{doubt}), {light}-{dark}"


def record(transcript: Transcript) -> MatchRecord:
    """The same as a match record."""
    games = {game.number: game for game in transcript.games}
    taken = _Taken(Match.start(transcript.rules, {}))
    number = made = 0
    for found in transcript.turns:
        turn = found.turn
        if turn.game != number:
            if number:
                taken.end(games.get(number), made)
            taken.do(Starts(turn.side))
            number, made = turn.game, 0
        elif number in games:
            taken.do(*cube_actions(games[number], made))
        taken.do(Rolled(turn.side, turn.roll), Played(turn.side, turn.play.placement))
        made += 1
    if number in games:
        taken.do(*cube_actions(games[number], made))
        taken.do(*given_up(games[number], taken.match))
    doubtful = [str(n + 1) for n, found in enumerate(transcript.turns) if found.confidence < SURE]
    ends = [str(game.number) for game in transcript.games if game.confidence < SURE]
    tags = [("Transcriber", "takhte")]
    tags += [("Doubtful", " ".join(doubtful))] if doubtful else []
    tags += [("Doubtful games", " ".join(ends))] if ends else []
    return MatchRecord(
        transcript.rules,
        {Side.WHITE: "light", Side.BLACK: "dark"},
        tuple(taken.actions),
        tuple(tags),
    )


class _Taken:
    """Actions taken up one by one, and the match as they leave it as long as they can be done."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.actions: list[Action] = []

    def do(self, *actions: Action) -> None:
        """Take these up; what cannot be done is for the file's writer to say."""
        for action in actions:
            self.actions.append(action)
            try:
                self.match = apply(self.match, action)
            except ActionError:
                continue

    def end(self, game: GameRead | None, made: int) -> None:
        """The game ends and the next is set up."""
        if game is not None:
            self.do(*cube_actions(game, made))
            self.do(*given_up(game, self.match))
        self.do(NextGame())


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
    if variation(transcript.ruleset) is not None:
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


def read_ends(path: Path) -> dict[int, GameSaid]:
    """Who a person says won each game: the `games` of a transcript, of which `game`, `winner`
    (light or dark) and `points` count. Raises FilmError.
    """
    try:
        data = json.loads(path.read_text())
        rows = data.get("games", ()) if isinstance(data, dict) else ()
        home = Seating().colour_of(Side.WHITE).value
        return {
            int(row["game"]): GameSaid(
                Side.WHITE if row["winner"] == home else Side.BLACK, int(row["points"])
            )
            for row in rows
            if row["winner"] is not None
        }
    except (ValueError, KeyError, TypeError) as error:
        raise FilmError(
            f"expected games as in transcript.json, with game, winner and points, in {path.name}:"
            f" {error}"
        ) from None
