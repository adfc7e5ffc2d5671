"""Reading .mat, the text format of match files that every program exchanges. It has no
specification; gnubg's reader is the common one.

A file is tags, a length, and games; a game is numbered rows of two cells, left player and right
player, each from its own point numbers. The left player becomes White. A row may leave a cell
blank: that side had no turn (closed out, or the other side's first).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from rules.board import Placement, Side
from rules.cube import Cube
from rules.dice import Roll
from rules.game import Corrected, GamePhase
from rules.notation.errors import LONGEST, LONGEST_LINE, NotationError, another_match
from rules.notation.mathead import (
    CUT,
    LENGTH_ROW,
    LONGEST_HEAD,
    NO_LENGTH,
    TAG,
    VARIATIONS,
    Names,
    bridged_plays,
    read_names,
    read_names_alone,
    rules_of_tags,
    whole_names,
)
from rules.notation.matwords import (
    CELL,
    DROP,
    GAME_ROW,
    GIVEN_UP,
    GIVEN_UP_BY,
    NARROWEST,
    NO_PLAY_KNOWN,
    OFFER,
    OUTCOME,
    POINTS,
    ROW,
    SET_UP,
    TAKE,
    TOLD,
    UNKNOWN_ROLL,
    WON,
)
from rules.notation.plays import read_play
from rules.notation.record import MatchRecord
from rules.notation.replay import Replay
from rules.notation.told_boards import board_after_illegal, board_set_up, without_boards
from rules.position import Position
from rules.ruleset import catalogue


def read_mat(text: str, *, until_trouble: bool = False) -> MatchRecord:
    """The match of a .mat file.

    Raises NotationError with line and column; with `until_trouble` only where no game begins, else
    what stands before the trouble is kept and the last remark says what it was and where.
    """
    if len(text) > LONGEST:
        raise NotationError(f"{len(text)} characters are no match; {LONGEST} at most")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff").split("\n")
    tags: list[tuple[str, str]] = []
    length: int | None = None
    read = head = named = 0
    for read, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        head += 1
        if len(line) > LONGEST_LINE or len(tags) > 200 or head > LONGEST_HEAD:
            raise NotationError("this is no head of a match file", read, 1)
        if match := TAG.fullmatch(line):
            tags.append((match[1], match[2]))
        elif match := LENGTH_ROW.match(line):
            length = int(match[1] or 0)
            break
        elif GAME_ROW.fullmatch(line.strip()):
            named = 0
            break
        elif ROW.match(line) and named:
            break
        elif not _is_no_row(line):
            named = read
    else:
        raise NotationError(NO_LENGTH, 1, 1)
    if _starts_as("nackgammon", lines[read:]):
        tags.append(("Variation", VARIATIONS["nackgammon"]))
    reader = _Reader(length, tuple(tags))
    if length is None:
        # The row of the game, or of the names of JellyFish's single games, is the reader's.
        read = (named or read) - 1
        reader.awaiting_names = named > 0
    try:
        return reader.read(lines, read)
    except NotationError as error:
        if length is None and reader.replay is None:
            raise NotationError(NO_LENGTH, 1, 1) from None
        if not until_trouble or reader.replay is None:
            raise
        return reader.replay.salvaged(error)


class _Reader:
    def __init__(self, length: int | None, tags: tuple[tuple[str, str], ...]) -> None:
        self.length_said = length is not None
        # As the rows have it, gammons too: nobody knows whether this was a game of a match.
        told = tags if self.length_said else (("Jacoby", "Off"), *tags)
        self.rules, self.tags = rules_of_tags(length or 0, told), tags
        self.awaiting_names = False
        self.replay: Replay | None = None
        self.bridged = bridged_plays(tags)
        self.cut = {
            int(said[1])
            for key, value in tags
            if key == CUT and (said := re.match(r"Game (\d{1,4})\b", value))
        }
        self.bridge: list[tuple[int, int]] = []
        self.rows_left = 0
        """Rows still to come that belong to a play that was illegal and stood."""
        self.row = 0
        self.lost: tuple[Side | None, int] | None = None
        """A loss that a row told, the loser where the row says it, before any row that tells the
        win: (loser, points), 0 points where they are not said.
        """
        self.name_column = 30
        """Column (from 0) of the right player's name in the row above the game."""
        self.seconds: Counter[int] = Counter()
        """Columns of rows' second cells: some writers pad the row of names further than these."""
        self.board: tuple[Placement, Cube] | None = None
        """Set up by hand, until a cell says whose turn it is."""

    def read(self, lines: list[str], start: int) -> MatchRecord:
        for number, row in enumerate(lines[start:], start=start + 1):
            # Whose cell it is shows by its column, as an editor shows it.
            line = row.expandtabs() if "\t" in row[:LONGEST_LINE] else row
            if len(line) > LONGEST_LINE:
                raise NotationError(
                    f"a row has at most {LONGEST_LINE} characters, this one {len(line)}",
                    number,
                    LONGEST_LINE,
                )
            if _is_no_row(line):
                if self.replay is not None and SET_UP.match(line):
                    self._set_up(self.replay, line, number)
                continue
            if self.replay is not None:
                self.replay.at(number, 1)
            if self.replay is not None and LENGTH_ROW.match(line):
                self.replay.remark(another_match(1))
                break
            if GAME_ROW.fullmatch(line.strip()):
                self._settle_loss()
                self.awaiting_names = True
            elif self.awaiting_names and not ROW.match(line) and (names := self._names(line)):
                self._game(names, number)
                self.awaiting_names = False
            elif self.replay is None or self.awaiting_names:
                raise NotationError(
                    "the players and their score, ` Name : 0   Name : 0`, were expected", number, 1
                )
            elif (told := ROW.match(line)) or CELL.search(line):
                self.row = int(line[: told.end() - 1]) if told else 0
                for side, cell, column in self._cells(line, told.end() if told else 0, number):
                    self._cell(side, cell, number, column)
            else:
                raise NotationError(
                    f"a row such as `  1) 31: 8/5 6/5` was expected, got {line.strip()[:40]!r}",
                    number,
                    1,
                )
        if self.replay is None:
            raise NotationError("there is no game", len(lines), 1)
        self._settle_loss()
        # A roll with which the file ends was not played yet.
        self.replay.idle = False
        awarded = dict(self.tags).get("MatchAwarded")
        for side in Side:
            if (
                awarded
                and not self.replay.match.is_over
                and self.replay.match.names[side].startswith(awarded)
            ):
                self.replay.awarded(side)
        return self.replay.record()

    def _names(self, line: str) -> Names | None:
        names = read_names(line)
        if names is None and not self.length_said and self.replay is None:
            return read_names_alone(line)
        return names

    def _game(self, names: Names, line: int) -> None:
        if self.replay is None:
            said = {key.lower(): value for key, value in self.tags}
            # Rows cut long names short; the tags have them whole.
            left, right = whole_names(names, said.get("player 1", ""), said.get("player 2", ""))
            called = {Side.WHITE: left or "Player 1", Side.BLACK: right or "Player 2"}
            self.replay = Replay(self.rules, called, self.tags)
            self.replay.at(line, 1)
            if not self.length_said:
                self.replay.remark("how long the match is, is not said; read as a money session")
        else:
            self._unfinished(names.one, names.two)
            self.replay.next_game()
        self.replay.cut = self.replay.match.game.number in self.cut
        self.name_column = names.column
        self.replay.score(names.one, names.two)

    def _unfinished(self, white: int, black: int) -> None:
        """A game without a result: the next score says it."""
        replay = self.replay
        assert replay is not None
        if replay.match.game.phase is not GamePhase.OVER:
            gain = {
                Side.WHITE: white - replay.match.score.white,
                Side.BLACK: black - replay.match.score.black,
            }
            winner = max(Side, key=lambda side: gain[side])
            replay.remark(
                f"the game before has no result; the score gives {winner.value} {gain[winner]}"
            )
            replay.won(winner, max(0, gain[winner]))

    def _set_up(self, replay: Replay, line: str, number: int) -> None:
        game = replay.match.game
        self.board = board_set_up(line, game.cube, game.ruleset.checkers)
        if self.board is None:
            replay.left_out("a board set up by hand", number)

    def _put_up(self, replay: Replay, side: Side | None) -> None:
        """The board that was set up, now that it is known whose turn it is."""
        if self.board is not None:
            (placement, cube), self.board = self.board, None
            if placement != replay.match.game.placement:
                replay.board(placement, side)
            if cube != replay.match.game.cube:
                replay.act(Corrected(cube=cube, reason="the cube as recorded"))

    @property
    def split(self) -> int:
        """Column (from 0) where the right player's cells begin, or a little before."""
        split = max(20, self.name_column - 5)
        if not self.seconds:
            return split
        usual = min(self.seconds, key=lambda column: (-self.seconds[column], column))
        return min(split, max(NARROWEST, usual - 5))

    def _cells(self, line: str, start: int, number: int) -> Iterator[tuple[Side, str, int]]:
        found = list(CELL.finditer(without_boards(line), start))
        if not found:
            if line[start:].strip():
                column = len(line) - len(line[start:].lstrip()) + 1
                raise NotationError(
                    "a cell such as `31: 8/5 6/5` or `Doubles => 2` was expected, got"
                    f" {line[start:].strip()[:40]!r}",
                    number,
                    column,
                )
            return
        if line[start : found[0].start()].strip():
            raise NotationError(
                f"nobody knows what {line[start : found[0].start()].strip()[:40]!r} is",
                number,
                start + 1,
            )
        if start and len(found) > 1 and found[1].start() >= NARROWEST:
            self.seconds[found[1].start()] += 1
        cells = 0
        right = False
        for index, cell in enumerate(found):
            end = found[index + 1].start() if index + 1 < len(found) else len(line)
            said = line[cell.start() : end].rstrip()
            ended = said.lower().startswith(OUTCOME)
            if not ended:
                cells += 1
                if cells > 2:
                    raise NotationError("a row has two cells", number, cell.start() + 1)
            # Giving up may stand in the cell before it, as in `62: Concedes`.
            beside = index > 0 and not said.lower().startswith(GIVEN_UP)
            # The left player's stands next to the row's number.
            far = start > 0 and not ended and cell.start() - start > NARROWEST
            right = right or beside or far or cell.start() >= self.split
            yield Side.BLACK if right else Side.WHITE, said, cell.start() + 1

    def _cell(self, side: Side, cell: str, line: int, column: int) -> None:
        replay = self.replay
        assert replay is not None
        replay.at(line, column)
        word = cell.split(maxsplit=1)[0].lower()
        if self.board is not None:
            self._put_up(replay, side if cell[0].isdigit() or word.startswith(OFFER) else None)
        if cell[0].isdigit():
            self._turn(side, cell, line, column)
        elif word.startswith(OFFER):
            replay.offer(side)
        elif word.startswith(TAKE):
            replay.take(side)
        elif word.startswith(DROP):
            replay.drop(side)
        elif word == "illegal":
            after = board_after_illegal(cell, replay.match.names, _checkers(replay))
            if after is None:
                replay.left_out(f"an illegal play of {side.value} told by a board alone", line)
            else:
                replay.board(after, side.other)
        else:
            self._outcome(side, word, cell, line, column)

    def _outcome(self, side: Side, word: str, cell: str, line: int, column: int) -> None:
        """A win is taken as it is said. A loss waits for the win that follows it: a row without a
        number tells it in the left column whoever lost.
        """
        replay = self.replay
        assert replay is not None
        points = POINTS.search(cell)
        if word.startswith(GIVEN_UP):
            # `Resigned` and `Resign gammon` stand in the winner's column as well.
            sure = word in GIVEN_UP_BY
            self.lost = (side if sure else None, int(points[1]) if points else 0)
            return
        if word.startswith("los"):
            self.lost = (side if self.row else None, int(points[1]) if points else 0)
            return
        self.lost = None
        if points is None and not WON.fullmatch(cell):
            raise NotationError(f"how many points? got {cell[:40]!r}", line, column)
        match = "match" in cell.lower()
        replay.won(side, int(points[1]) if points else replay.least(side, match=match))

    def _settle_loss(self) -> None:
        """A loss that no row of a win followed: who was to play when it was told has lost."""
        replay, lost, self.lost = self.replay, self.lost, None
        if replay is None or lost is None or replay.match.game.phase is GamePhase.OVER:
            return
        loser = lost[0] or replay.match.game.side
        if loser is not None:
            replay.won(loser.other, lost[1] or replay.match.game.cube.value)

    def _turn(self, side: Side, cell: str, line: int, column: int) -> None:
        replay = self.replay
        assert replay is not None
        dice, _, moves = cell.partition(":")
        if dice.strip() == UNKNOWN_ROLL or "?" in dice:
            replay.remark("a turn with an unknown roll was left out")
            return
        try:
            roll = Roll.of(int(dice[0]), int(dice[1]))
        except ValueError as error:
            raise NotationError(str(error), line, column) from None
        if NO_PLAY_KNOWN.fullmatch(moves):
            after = board_after_illegal(moves, replay.match.names, _checkers(replay))
            game = replay.match.game
            if after == game.placement and game.phase is GamePhase.OPENING:
                # DailyGammon says so where a game starts, and invents the roll.
                return
            replay.roll(side, roll)
            if after is None:
                replay.unknown = True
            else:
                replay.stood(side, after)
            return
        pairs = read_play(moves, line, column + len(dice) + 1)
        if self.rows_left:
            self.bridge += pairs
            self.rows_left -= 1
            if not self.rows_left:
                replay.play(side, self.bridge)
            return
        replay.roll(side, roll)
        name = replay.match.names[side]
        rows = [
            k
            for (game, row, who), k in self.bridged.items()
            if (game, row) == (replay.match.game.number, self.row) and name.startswith(who)
        ]
        if rows:
            self.rows_left, self.bridge = rows[0], pairs
        else:
            replay.play(side, pairs)


def _starts_as(name: str, lines: list[str]) -> bool:
    """Whether the first row of the first game tells that ruleset's start instead of a play."""
    first = next((line for line in lines if ROW.match(line[:LONGEST_LINE])), "")[:LONGEST_LINE]
    told = TOLD.search(first)
    if told is None:
        return False
    start = Position.start(catalogue()[name], Side.WHITE)
    nobody = dict.fromkeys(Side, "")
    checkers = start.ruleset.checkers
    return board_after_illegal(first[told.start() :], nobody, checkers) == start.placement


def _is_no_row(line: str) -> bool:
    """Whether this is no row of the match: blank, or somebody's remark; a name may begin with # as
    well.
    """
    said = line.lstrip()
    return not said or said[0] == ";" or (said[0] == "#" and read_names(line) is None)


def _checkers(replay: Replay) -> int:
    return replay.match.rules.ruleset.checkers
