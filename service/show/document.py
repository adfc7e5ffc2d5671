"""The state document `takhte-state/1`: everything that a page may know of one table, as plain JSON.

Its JSON schema (`service/web/static/schema/state-1.json`) and the page's own types are made from
here by `python scripts/state_types.py`; a test compares them.

A `TableDocument` is what the table knows and may not leave the web process; a `StateDocument` is
what one kind of viewer may see of it, and only `service.web.view.visible` makes one. New keys may
be added within version 1; none is renamed or changes its meaning. Classes stand bottom up:
`NotRequired` is only understood when it is no string.
"""

from collections.abc import Mapping
from typing import Annotated, Final, NotRequired, TypedDict, TypeGuard

from rules.axes import Facing
from rules.board import Colour, Corner
from rules.observation import DieStatus
from service.journal.codec import Json
from service.journal.entries import DiceOrigin, Standing
from service.referee.clock_document import ClockDocument, Known, Limits, SideWord, Words
from service.referee.state import Phase
from service.show.note import NoteDocument
from service.show.scene_document import SceneDocument

SCHEMA: Final = "takhte-state/1"


RollPair = Annotated[list[int], Limits(1, 6, items=2)]
Counts = Annotated[list[int], Limits(items=26)]


class OpeningDocument(TypedDict):
    """The faces of White's opening dice and of Black's."""

    white: list[int]
    black: list[int]


class PromptArgs(TypedDict, total=False):
    """What the words of a prompt need to know."""

    thrown: list[int]
    roll: RollPair
    read: RollPair
    """The roll that was read, where the checkers say another (`roll`)."""
    level: int
    value: int
    code: str
    each: int
    """Dice that each side throws in the opening."""
    shish_besh: bool
    """The first 6-5 of the opening starts."""
    likely: list[OpeningDocument]
    """What opening dice that were not read may show, likeliest first."""


class PromptDocument(TypedDict):
    """What the table waits for; `service.show.prompt.CODES` lists the codes."""

    code: str
    side: SideWord | None
    """Whose move it is; null for both, or nobody in particular."""
    args: PromptArgs


class PlayerDocument(TypedDict):
    name: str
    score: int
    colour: Annotated[str, Colour]
    illegal: NotRequired[int]
    """Illegal plays so far; not told to those who may not know."""


class PlayersDocument(TypedDict):
    white: PlayerDocument
    black: PlayerDocument


class ResignationDocument(TypedDict):
    """How many times the cube one may resign, and what such a game is called."""

    level: int
    result: str


class MatchDocument(TypedDict):
    """The match; game 0 is no game yet."""

    length: int | None
    """Points; null is a money session."""
    ruleset: str | None
    title: dict[str, str]
    """Words by language."""
    options: Annotated[dict[str, Json], Known((("beavers", bool),))]
    game: int
    crawford: bool
    players: PlayersDocument
    event: Annotated[dict[str, Json], Known((("name", str), ("beavers", bool)))]
    result: str | None
    beavers: bool
    """Whether beavers were agreed."""
    nard: bool
    """Whether it is played without a cube, in nard's words: mars, super-mars, neshast."""
    resignations: list[ResignationDocument]
    """What one may resign in this game, lowest first."""


class SeatingDocument(TypedDict):
    """Which checkers are White's, and the corner of White's own 1-point."""

    white: Annotated[str, Colour]
    home: Annotated[str, Corner]


class PlacementDocument(TypedDict):
    """Checkers by site in White's numbering: borne off, points 1 to 24, bar."""

    white: Counts
    black: Counts


class BoardDocument(PlacementDocument):
    """What stands on the board by the record, and how it lies before the camera."""

    seating: SeatingDocument
    facing: Annotated[str, Facing]
    checkers: int
    """How many each side has."""


class DieDocument(TypedDict):
    """A die as it lies, for drawing; which roll it is part of was decided elsewhere."""

    where: Annotated[list[float], Limits(items=2)]
    """East and north across the board, 0 to 1 each."""
    value: Annotated[int, Limits(1, 6)]
    status: Annotated[str, DieStatus]
    old: bool
    """It lay there before this turn began: the last roller's."""


class DiceDocument(TypedDict):
    roll: RollPair | None
    origin: Annotated[str, DiceOrigin] | None
    problem: str | None
    opening: list[int]
    """What was thrown for the start and did not decide it."""
    no_play: bool
    """No die can be played."""
    seen: list[DieDocument]


class CubeDocument(TypedDict):
    in_use: bool
    value: int
    owner: Annotated[str, Words(("white", "black", "centre"))]
    offered_by: SideWord | None
    offered_value: int | None


class PlayDocument(TypedDict):
    """One line of the play list."""

    game: int
    number: int
    side: SideWord
    roll: RollPair | None
    origin: Annotated[str, DiceOrigin] | None
    text: str
    """Standard notation, the mover's own points."""
    seq: int
    """Its entry in the journal."""
    probability: NotRequired[float | None]
    """Staff only."""
    infraction: str | None
    standing: Annotated[str, Standing] | None
    by_hand: bool
    amended: int | None
    """The entry that corrected it."""
    pictures: NotRequired[list[str]]
    """Staff only."""


class ScoreDocument(TypedDict):
    white: int
    black: int


class GameDocument(TypedDict):
    """A game that ended."""

    game: int
    winner: SideWord
    points: int
    reason: str
    result: str
    score: ScoreDocument
    seq: int
    head: NotRequired[str]
    """Of that entry's hash, to be noted: it stands for the record up to it (`verify --head`)."""


class AlertDocument(TypedDict):
    """Something that a person should look at, until somebody acknowledges it by name."""

    id: str
    kind: str
    side: SideWord | None
    code: str
    facts: dict[str, Json]
    """What the words of `code` need to know."""
    why: dict[str, str]
    """Words by language, said when the document was made."""
    told: str
    seq: int
    acknowledged_by: str | None
    earlier: NotRequired[bool]
    """It was raised before this match was set: another match's matter."""
    settled: NotRequired[bool]
    """What it called for was done, as an appeal that was decided: it calls nobody any more."""


class RulingDocument(TypedDict):
    """A ruling whose appeal window is open."""

    seq: int
    text: str
    until: float | None
    appealed: bool


class SourceDocument(TypedDict):
    """Camera or board: ok, lost, waiting or absent, and why."""

    state: str
    reason: str


class IllegalDocument(TypedDict):
    """An illegal play that may still be put right."""

    seq: int
    side: SideWord
    code: str
    facts: dict[str, Json]
    """What the words of `code` need to know."""
    why: dict[str, str]
    """Words by language, said when the document was made."""
    told: str
    roll: RollPair | None
    placement: PlacementDocument
    pictures: NotRequired[list[str]]
    """Staff only."""
    nearest: list[str]
    """The nearest legal plays, where players may have a hint."""


class DifferenceDocument(TypedDict):
    """Board and record differ, and where."""

    seq: int
    reason: str
    sites: list[int]
    options: list[str]


class EarlyDocument(TypedDict):
    side: SideWord
    choices: list[str]
    """Of stand, redo and pause."""


class ResigningDocument(TypedDict):
    side: SideWord
    level: int


class OptionDocument(TypedDict):
    """One of several plays that the board may show."""

    text: str
    roll: RollPair | None
    p: float
    placement: PlacementDocument


class AnswerDocument(TypedDict):
    """One answer to a question: the play, and the roll that it was made with."""

    text: str
    roll: RollPair | None


class QuestionDocument(TypedDict):
    """What the table asks of a turn that was ended. `choose_explanation` takes the index of an
    answer, `not_so` says that the board is otherwise."""

    code: Annotated[str, Words(("choose_play", "other_roll"))]
    read: RollPair | None
    """The roll that was read; with `other_roll` no answer has it."""
    told: str
    answers: list[AnswerDocument]


class BeliefDocument(TypedDict, total=False):
    """What reconcile makes of the board now; empty in a document of the past."""

    verdict: Annotated[
        str,
        Words(("pending", "agreed", "ambiguous", "other_roll", "illegal", "blind", "differs")),
    ]
    probability: float | None
    differs: list[int]
    options: list[OptionDocument]


class FilmDocument(TypedDict):
    """A recording that is played in the world's place."""

    state: Annotated[str, Words(("playing", "paused", "over"))]
    position: float
    """Seconds of it that were played when this was said."""
    length: float
    speed: float
    """Seconds of table time in a second of the world's, while it plays."""
    again: bool
    """Whether it may be played from its start."""
    about: str
    """What it is and where it is from, as whoever made it wrote it; "" where nobody did."""


class TableDocument(TypedDict):
    """Everything that the table's own process says."""

    schema: Annotated[str, Words((SCHEMA,))]
    table: str
    seq: Annotated[int, Limits(0)]
    """Number of the journal's last entry; grows."""
    at: float
    """Table time when this was said."""
    phase: Annotated[str, Phase]
    waits_for: PromptDocument
    match: MatchDocument
    board: BoardDocument
    on_roll: SideWord | None
    dice: DiceDocument
    cube: CubeDocument
    clock: ClockDocument
    plays: list[PlayDocument]
    """The live feed holds the last game's only; GET .../state all."""
    games: list[GameDocument]
    alerts: list[AlertDocument]
    rulings: list[RulingDocument]
    sources: dict[str, SourceDocument]
    film: NotRequired[FilmDocument]
    """There where the table plays a recording: its clocks stand while that does."""
    illegal: IllegalDocument | None
    differs: DifferenceDocument | None
    question: QuestionDocument | None
    premature: RollPair | None
    """A roll thrown too early, until the interrupted side chooses."""
    early: EarlyDocument | None
    """Who threw it, and what the interrupted side may choose."""
    resigning: ResigningDocument | None
    scene: SceneDocument | None
    belief: NotRequired[BeliefDocument]
    """Staff only."""
    note: NotRequired[NoteDocument]
    """On the overlay alone, as late as all that it shows."""
    trouble: NotRequired[list[str]]
    """What is wrong with the table itself, a line each; staff only."""


class StateDocument(TableDocument):
    """What one table shows now. New keys may be added within version 1; none is renamed or changes
    its meaning. Times are table time: seconds that run only while the table runs.
    """

    view: Annotated[str, Words(("public", "clock", "player", "staff"))]
    delay_s: float
    """How far behind the table this is."""
    held_s: NotRequired[Annotated[int, Limits(1)]]
    """There while a raised delay holds the feed: an empty table for so long; keep what you show."""
    connected: bool
    """Whether the table's own process answers."""


def is_table_document(data: object) -> TypeGuard[TableDocument]:
    """Whether this is a document of this version, as far as its keys say."""
    return (
        isinstance(data, Mapping)
        and data.get("schema") == SCHEMA
        and TableDocument.__required_keys__ <= data.keys()
    )
