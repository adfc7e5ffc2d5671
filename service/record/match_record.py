"""From entries to match records: what was played, as `rules.notation` writes it to .mat, SGF and
JSON. Corrections are taken at their word.

The journal keeps what was believed when; a record says what is so now. Of a play that was corrected
the record has only the corrected form, and of a game that was taken back to an earlier play only
what was kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rules import game as do
from rules.apply import apply
from rules.board import Side
from rules.cube import Cube
from rules.dice import Roll
from rules.judge import rolls_explaining
from rules.match import Match
from rules.notation.record import MatchRecord
from rules.position import PositionError
from service.journal import entries as e
from service.journal.chain import Entry
from service.referee.event import event_of


def match_records(
    entries: Iterable[Entry], names: tuple[str, str] = ("White", "Black")
) -> tuple[MatchRecord, ...]:
    """One record for each match of a journal; `names` stand where nobody was named."""
    return tuple(writer.record() for writer in _writers(entries, names))


def played_records(entries: Iterable[Entry]) -> tuple[MatchRecord, ...]:
    """The records that are worth a file: of matches with a play, a finished game or a winner. One
    that was set up and then set up otherwise, or has not begun, has none.
    """
    return tuple(writer.record() for writer in _writers(entries) if writer.begun)


@dataclass(frozen=True)
class MarkedRecord:
    """A record with the number of the entry that each action came from."""

    record: MatchRecord
    marks: tuple[int, ...]


def marked_records(entries: Iterable[Entry]) -> tuple[MarkedRecord, ...]:
    """One record for each match of a journal, each action with its entry."""
    return tuple(MarkedRecord(w.record(), tuple(w.marks)) for w in _writers(entries))


def _writers(
    entries: Iterable[Entry], names: tuple[str, str] = ("White", "Black")
) -> list[_Writer]:
    """What `match_records` and `played_records` are made from: a match each."""
    every = tuple(entries)
    corrections = {x.body.about: x.body for x in every if isinstance(x.body, e.PlayCorrected)}
    writers: list[_Writer] = []
    for entry in every:
        if isinstance(entry.body, e.MatchSet):
            writers.append(_Writer.of(entry.body, names))
        elif writers:
            writers[-1].take(entry, corrections)
    return writers


@dataclass
class _Writer:
    """A match being written: actions so far and the match that they make."""

    start: Match
    match: Match
    names: dict[Side, str]
    tags: tuple[tuple[str, str], ...]
    actions: list[do.Action] = field(default_factory=list)
    played: dict[int, int] = field(default_factory=dict)
    """Number of a `played` entry -> how many actions there were after it."""
    before: dict[int, int] = field(default_factory=dict)
    """Number of a `played` entry -> how many actions there were before it."""
    remarks: list[str] = field(default_factory=list)
    games: int = 0
    entry: int = 0
    """Number of the entry that is being written."""
    marks: list[int] = field(default_factory=list)
    """The entry that each action came from."""

    @classmethod
    def of(cls, body: e.MatchSet, names: tuple[str, str]) -> _Writer:
        event = event_of(body)
        called = {Side.WHITE: body.white or names[0], Side.BLACK: body.black or names[1]}
        match = Match.start(event.match_rules(), called)
        tags = (("Event", event.name),) if event.name else ()
        writer = cls(match, match, called, tags)
        if any(body.score):
            writer.act(do.Corrected(score=body.score, reason="the score at the start"))
        return writer

    @property
    def begun(self) -> bool:
        """Whether anything of it was played or awarded."""
        return bool(self.played or self.match.results or self.match.is_over)

    def record(self) -> MatchRecord:
        rules = self.start.rules
        return MatchRecord(rules, self.names, tuple(self.actions), self.tags, tuple(self.remarks))

    def act(self, action: do.Action) -> bool:
        """Do it; what `rules.match` refuses is remarked and left out.

        Returns whether it was done.
        """
        try:
            self.match = apply(self.match, action)
        except do.ActionError as error:
            self.remarks.append(f"{type(action).__name__}: {error}")
            return False
        self.actions.append(action)
        self.marks.append(self.entry)
        return True

    def take(self, entry: Entry, corrections: Mapping[int, e.PlayCorrected]) -> None:
        body, self.entry = entry.body, entry.seq
        if isinstance(body, e.PlayEntered):
            self.play(entry.seq, body, corrections.get(entry.seq))
        elif isinstance(body, e.TurnReopened):
            if body.about in self.before:
                self.rewind(self.before[body.about])
        elif isinstance(body, e.PlayCorrected):
            if body.rewinds and body.about in self.played:
                self.rewind(self.played[body.about])
        else:
            _write(self, body)

    def play(self, seq: int, body: e.PlayEntered, right: e.PlayCorrected | None) -> None:
        side, after = body.side, right.placement if right else body.placement
        thrown = right.roll if right else body.roll
        stands = bool(right.infraction if right else body.infraction)
        game = self.match.game
        self.before[seq] = len(self.actions)
        if (
            game.phase is do.GamePhase.TO_ROLL
            and game.side is side
            and thrown is None
            and after == game.placement
            and game.closed_out
        ):
            self.act(do.Passed(side))
        else:
            self.dice(side, thrown or self.some_roll(body))
            if self.match.game.phase is not do.GamePhase.ROLLED or not self._played(
                do.Played(side, after, stands)
            ):
                self.act(
                    do.Corrected(
                        after=after, side=side.other, undo_roll=True, reason="the play as recorded"
                    )
                )
        self.played[seq] = len(self.actions)

    def _played(self, action: do.Played) -> bool:
        """A play that is legal no more, since one before it was corrected, stands all the same."""
        kept = len(self.remarks)
        if self.act(action):
            return True
        del self.remarks[kept:]
        return self.act(replace(action, stands=True))

    def dice(self, side: Side, thrown: Roll) -> None:
        """Bring the match to this side's roll, however much of it the journal said before."""
        game = self.match.game
        if game.phase is do.GamePhase.OPENING:
            self.act(do.Starts(side, thrown))
        elif game.phase is do.GamePhase.TO_ROLL and game.side is side:
            self.act(do.Rolled(side, thrown))
        elif game.phase in (do.GamePhase.TO_ROLL, do.GamePhase.ROLLED) and (
            game.side is not side or game.roll != thrown
        ):
            self.act(do.Corrected(side=side, roll=thrown, reason="the roll as recorded"))

    def some_roll(self, body: e.PlayEntered) -> Roll:
        """A roll that explains a play whose dice nobody knows; formats want one."""
        game = self.match.game
        self.remarks.append(
            f"{body.side.value} {body.notation}: the dice were not read; a roll that explains the"
            " play stands for them"
        )
        try:
            found = rolls_explaining(game.position, body.placement)
        except (PositionError, do.ActionError):
            found = ()
        return found[0][0] if found else Roll(2, 1)

    def doubled_before(self, side: Side) -> None:
        """A double of this side's last turn that was taken, and is told only now, comes before the
        roll of that turn.
        """
        at = _last_turn(self.actions, side)
        if at is None:
            return
        told, kept = self.entry, list(zip(self.actions, self.marks, strict=True))
        self.rewind(at)
        self.entry = told
        if self.act(do.Offered(side)) and self.act(do.Taken(side.other)):
            for counts in (self.before, self.played):
                counts.update({seq: n + 2 for seq, n in counts.items() if n > at})
        for action, self.entry in kept[at:]:
            self.act(action)
        self.entry = told

    def rewind(self, count: int) -> None:
        """Only the first so many actions were so."""
        kept = list(zip(self.actions, self.marks, strict=True))[:count]
        self.match, self.actions, self.marks = self.start, [], []
        for action, self.entry in kept:
            self.act(action)


def _last_turn(actions: Sequence[do.Action], side: Side) -> int | None:
    """Where this side's last turn of the game begins that it may have doubled before, None where
    none is written.
    """
    for n, action in reversed(list(enumerate(actions))):
        if isinstance(action, do.Rolled | do.Passed) and action.side is side:
            return n
        if isinstance(action, do.NextGame):
            break
    return None


def _cube_lies(w: _Writer, b: e.CubeTaken) -> None:
    """The cube is as it is told now, where no turn was found that it was doubled before."""
    cube = w.match.game.cube
    if (cube.value, cube.owner) != (b.value, b.side):
        now = replace(cube, value=b.value, owner=b.side, turned=True)
        w.act(do.Corrected(cube=now, reason="the cube as it lies"))


def _game_started(w: _Writer, b: e.GameStarted) -> None:
    if w.games and w.match.game.phase is do.GamePhase.OVER:
        w.act(do.NextGame())
    w.games += 1
    if b.starter is not None and w.match.game.phase is do.GamePhase.OPENING:
        w.act(do.Starts(b.starter))


def _position_set(w: _Writer, b: e.PositionSet) -> None:
    turned = b.cube_owner is not None
    cube = (
        Cube(b.cube_value, b.cube_owner, w.match.rules.highest_cube, turned=turned)
        if b.cube_value
        else None
    )
    w.act(
        do.Corrected(
            b.placement, b.on_roll, undo_roll=True, cube=cube, reason=b.reason or "set by hand"
        )
    )


def _opening(w: _Writer, b: e.OpeningThrown) -> None:
    w.act(do.OpeningDice(b.white, b.black))


def _rolled(w: _Writer, b: e.RollEntered) -> None:
    w.dice(b.side, b.roll)


def _withdrawn(w: _Writer, b: e.RollWithdrawn) -> None:
    if w.match.game.phase is do.GamePhase.ROLLED and b.side is w.match.game.side:
        w.act(do.Corrected(undo_roll=True, reason=b.reason))


def _answering(w: _Writer) -> Side:
    game = w.match.game
    side = game.side or Side.WHITE
    return side.other if game.phase is do.GamePhase.OFFERED else side


def _resigned(w: _Writer, b: e.Resigned) -> None:
    if b.answer == "offered":
        w.act(do.ResignOffered(b.side, b.level))
    else:
        w.act(
            do.ResignAccepted(b.side.other)
            if b.answer == "accepted"
            else do.ResignRefused(b.side.other)
        )


def _game_ended(w: _Writer, b: e.GameEnded) -> None:
    if w.match.game.phase is not do.GamePhase.OVER:
        w.act(do.GameAwarded(b.winner, b.points, b.reason))


def _scored(w: _Writer, score: tuple[int, int], reason: str) -> None:
    for side, points in zip(Side, score, strict=True):
        gap = points - w.match.score.of(side)
        if gap:
            w.act(do.PointsAdjusted(side, gap, None, reason))


def _penalised(w: _Writer, b: e.Penalised) -> None:
    if b.score is not None and b.penalty == "points":
        _scored(w, b.score, b.reason)


def _match_ended(w: _Writer, b: e.MatchEnded) -> None:
    if b.winner is not None and not w.match.is_over:
        w.act(do.MatchAwarded(b.winner, b.reason))


def _amended(w: _Writer, b: e.MatchAmended) -> None:
    match b.what, b.value:
        case "white" | "black", name:
            w.names[Side(b.what)] = str(name or "") or w.names[Side(b.what)]
        case "length", length:
            points = length if isinstance(length, int) else 0
            w.act(do.Corrected(length=points, reason=b.reason))
        case "score", (int(white), int(black)):
            w.act(do.Corrected(score=(white, black), reason=b.reason))
        case "crawford", bool(played):
            w.act(do.Corrected(crawford_played=played, reason=b.reason))


def _write(w: _Writer, body: e.Body) -> None:
    """Write an entry that is no play; what a record does not hold is passed over."""
    match body:
        case e.GameStarted():
            _game_started(w, body)
        case e.PositionSet():
            _position_set(w, body)
        case e.OpeningThrown():
            _opening(w, body)
        case e.RollEntered():
            _rolled(w, body)
        case e.RollWithdrawn():
            _withdrawn(w, body)
        case e.CubeOffered(side=side, source=e.SEEN_LATER):
            w.doubled_before(side)
        case e.CubeTaken(source=e.SEEN_LATER):
            _cube_lies(w, body)
        case e.CubeOffered():
            w.act(do.Offered(body.side))
        case e.CubeTaken():
            w.act(do.Taken(_answering(w)))
        case e.CubeWithdrawn():
            w.act(do.Corrected(undo_roll=True, reason=body.reason))
        case e.CubeDropped():
            w.act(do.Dropped(body.side))
        case e.CubeBeavered():
            w.act(do.Beavered(body.side))
        case e.Resigned():
            _resigned(w, body)
        case e.GameEnded():
            _game_ended(w, body)
        case e.Penalised():
            _penalised(w, body)
        case e.MatchEnded():
            _match_ended(w, body)
        case e.MatchAmended():
            _amended(w, body)
