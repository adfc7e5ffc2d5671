"""What the referee may be told, and what it asks of the world.

Frozen values; `now` comes beside them as table time in seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from rules.board import Placement, Side
from rules.observation import CubeOwner
from service.journal.codec import Json
from service.journal.entries import TABLE, Body, Who
from service.reconcile import Agreed, PlacementSeen, RollSeen, Verdict
from service.referee.state import State


@dataclass(frozen=True, slots=True)
class Tick:
    """Time passes: flags, slow turns and appeal windows are looked at.

    Ten times a second keeps a flag within 0.1 s.
    """


@dataclass(frozen=True, slots=True)
class Press:
    """A clock button, with its own time stamp in table time.

    `source`: button (the board's), page, phone, dice_lifted, next_roll. `unseen`: no picture came
    for a while, so what was thrown or moved before it was perhaps not seen.
    """

    side: Side
    at: float
    source: str = "button"
    unseen: bool = False


Args: TypeAlias = Mapping[str, Json]
"""What somebody said, by name: an order's arguments, or who gives it."""


@dataclass(frozen=True, slots=True)
class Order:
    """A person's command: see `service.referee.order_table` for names and arguments.

    The board's own buttons arrive as orders too.
    """

    name: str
    args: Args = field(default_factory=dict)
    by: Who = field(default_factory=Who)


@dataclass(frozen=True, slots=True)
class SourceChanged:
    """A sensor (camera or board) was lost or came back."""

    source: str
    ok: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """What reconcile makes of the board. `stood`: what is otherwise than recorded was read so when
    the turn began already, and nobody has touched it since.
    """

    verdict: Verdict
    stood: bool = False


@dataclass(frozen=True, slots=True)
class RollWatched:
    """The dice of the turn in progress.

    `again`: those that were announced are lifted, and these were thrown after them. `elsewhere`:
    they lie where they do not count by the event, and are being played all the same. `others`: all
    lie in the other side's half, where that counts. `lying`: where they lie, east and north, and
    `thrown_at` when the first of those was seen; None while none do. `thrown_over_at`: when the
    opponent's dice came to lie there, None while none do. `stirred_at`: when hands were last seen
    over the board.
    """

    seen: RollSeen
    again: bool = False
    elsewhere: bool = False
    others: bool = False
    lying: tuple[tuple[float, float], ...] = ()
    thrown_over_at: float | None = None
    stirred_at: float = 0.0
    thrown_at: float | None = None


@dataclass(frozen=True, slots=True)
class NextRollWatched:
    """Dice thrown after this turn's roll, in the opponent's half: the next turn has begun, rightly
    or not. `thrown_at`: when the first of them was seen, table time."""

    seen: RollSeen
    thrown_at: float | None = None


UNREAD: Final = "unread"
"""Each side's dice lie there as they should, and their faces are not sure."""


@dataclass(frozen=True, slots=True)
class OpeningWatched:
    """The dice of the opening throw, as they lie in each side's own half: faces of White's and
    Black's, with the probability that all are right."""

    white: tuple[int, ...]
    black: tuple[int, ...]
    p: float
    problem: str = ""
    """Dice that are no opening throw: cocked, on_checker, on_bar, off_board, wrong_half; or that
    could not be read (`UNREAD`). Then no faces count.
    """
    likely: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()
    """What dice that could not be read may show, White's and Black's, likeliest first."""


@dataclass(frozen=True, slots=True)
class OpeningPlayed:
    """The first play of the game stands on the board, though no opening throw was seen; None while
    none does.
    """

    play: Agreed | None
    untouched: bool = True
    """Whether the checkers stand as at the start, so that a play which stood there was taken back.
    """
    thrown_at: float | None = None
    """When dice that lie there were thrown after the play stood, s: the other side's, who takes it
    for made.
    """
    began: Side | None = None
    """Who played first, as the turns tell that were seen since, where several were."""


@dataclass(frozen=True, slots=True)
class PlayedOver:
    """The opponent's play stands there, made over a whole play that nobody pressed for; None while
    none does. `moved`: some checker of the opponent's stands elsewhere, whichever play that is of.
    """

    play: Agreed | None
    moved: bool = False


@dataclass(frozen=True, slots=True)
class PlayedOn:
    """The play that stands there, made from a board that differed from the record; None while none
    does. `hidden`: nobody can tell just now. `astray`: what stands there is no beginning of one
    either. `thrown_at`: when dice last came to lie there; `lifted`: the dice of the play lie there
    no more.
    """

    play: Agreed | None
    hidden: bool = False
    astray: bool = False
    thrown_at: float | None = None
    lifted: bool = False
    stands: Placement | None = None
    """What stands there, whatever the record says; None where that is not sure."""
    thrower: Side | None = None
    """In whose half the dice lie that were thrown last, where halves are kept."""
    since: float | None = None
    """Since when it has stood there, where turns passed before anybody looked."""


@dataclass(frozen=True, slots=True)
class StandingWatched:
    """What stands there by what is read alone, whatever the record says; None where that is not
    sure. `made`: the play of the side whose turn it was not, with dice that were read, that leaves
    it so from the record; `certain` unless the side on roll may have had no play meanwhile;
    `over_at`: when its dice were taken up, or thrown over, with what it left standing. `unplayed`:
    whatever the side on roll has thrown, it has played nothing of it.
    """

    stands: Placement | None
    made: Agreed | None = None
    certain: bool = True
    over_at: float | None = None
    unplayed: bool = False


@dataclass(frozen=True, slots=True)
class RecordDenied:
    """What stands on the board as it was read turn after turn, where the record has it otherwise:
    one of them is wrong. `sure`: the record is.
    """

    placement: Placement
    sure: bool = False


@dataclass(frozen=True, slots=True)
class LinesWrong:
    """From the line whose entry is numbered `first` to the `last` one the board was read as it is
    `right`, and not as it was `recorded` until the record was put right.
    """

    first: int
    last: int
    recorded: Placement
    right: Placement


@dataclass(frozen=True, slots=True)
class PlacementWatched:
    """Whether the placement that is waited for stands on the board: the start in set-up, the
    record's while it differs.
    """

    seen: PlacementSeen


@dataclass(frozen=True, slots=True)
class SetUpWatched:
    """Whether the start stands on the board in the middle of a game; the side of which nothing was
    left before that, while what the other has still stood.
    """

    stands: bool
    cleared: Side | None = None


CUBE_SETTLE_S: Final = 1.0
"""The cube lies in a new way for so long before that is told, s."""


@dataclass(frozen=True, slots=True)
class CubeWatched:
    """The cube as it lies by now: face up (None where that is not read for sure), where, since
    when (None: it lay so already when the camera began to look, or the game began), how it lay
    before, where it lay last before it came onto the field, what it showed there (`left_value`),
    and where it seems to lie now that it lies so no more. `found`: when the camera found it so in
    the middle of a game, having begun to look only then. `before_since`: since when it lay as
    before, None as for `since`.
    """

    value: int | None
    place: CubeOwner
    since: float | None
    before: tuple[int | None, CubeOwner] | None = None
    left: CubeOwner | None = None
    coming: CubeOwner | None = None
    found: float | None = None
    before_since: float | None = None
    left_value: int | None = None

    @property
    def owner(self) -> Side | None:
        """Whose side it lies at, None for the middle and the field."""
        return {CubeOwner.WHITE: Side.WHITE, CubeOwner.BLACK: Side.BLACK}.get(self.place)


Input: TypeAlias = (
    Tick
    | Press
    | Order
    | SourceChanged
    | Judged
    | RollWatched
    | NextRollWatched
    | OpeningWatched
    | OpeningPlayed
    | PlayedOver
    | PlayedOn
    | RecordDenied
    | LinesWrong
    | StandingWatched
    | PlacementWatched
    | SetUpWatched
    | CubeWatched
)


@dataclass(frozen=True, slots=True)
class KeepPicture:
    """Keep the picture of this moment as evidence, under the id that an entry names."""

    picture: str


@dataclass(frozen=True, slots=True)
class Sound:
    """Let the board be heard: `ask` (something is waited for), `error`, `flag`, `done`."""

    what: str


Command: TypeAlias = KeepPicture | Sound


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one input led to.

    `entries` must be durable, by `by`, before `commands` are carried out or the state is shown.
    """

    state: State
    entries: tuple[Body, ...] = ()
    commands: tuple[Command, ...] = ()
    by: Who = TABLE
