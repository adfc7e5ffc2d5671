"""Every kind of journal entry, as a frozen value with its docstring: docs/entries.md is compared
with this file by a test.

An entry says what was decided, by whom, from what evidence and how sure. Entries append; a later
entry amends an earlier one by its number and never replaces it. `evidence` is the small JSON value
that reconcile made: sources, doubtful sites, runners-up. Times inside a body are table time:
seconds that run only while the table runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.journal.entries_play import (
    BoardDiffered,
    CubeBeavered,
    CubeDropped,
    CubeOffered,
    CubeTaken,
    DiceCalled,
    GameEnded,
    GameReopened,
    GameStarted,
    HandedBack,
    IllegalCorrected,
    IllegalNoticed,
    IllegalStood,
    Neshast,
    OpeningThrown,
    PlayCorrected,
    PlayEntered,
    PositionSet,
    Recovered,
    Resigned,
    RollEntered,
    RollWithdrawn,
    SetUpVerified,
    TurnPressed,
    TurnReopened,
)
from service.journal.entries_table import (
    Adjourned,
    AlertAcknowledged,
    AlertRaised,
    AppealClosed,
    Appealed,
    ClockAdjusted,
    ClockStarted,
    ClockStopped,
    DirectorCalled,
    EventChosen,
    Flagged,
    Frozen,
    MatchAmended,
    MatchEnded,
    MatchSet,
    Noted,
    Penalised,
    Restarted,
    Resumed,
    Ruled,
    SourceBack,
    SourceLost,
    TableOpened,
    Unfrozen,
)
from service.journal.entry import (
    RULERS,
    TABLE,
    Body,
    DiceOrigin,
    Facts,
    Grounds,
    Role,
    Standing,
    Who,
)

KINDS: Final[Mapping[str, type[Body]]] = {
    c.kind: c
    for c in tuple(globals().values())
    if isinstance(c, type) and issubclass(c, Body) and c.kind
}
"""Every kind of entry by its name in the journal."""

__all__ = [
    "KINDS",
    "RULERS",
    "TABLE",
    "Adjourned",
    "AlertAcknowledged",
    "AlertRaised",
    "AppealClosed",
    "Appealed",
    "BoardDiffered",
    "Body",
    "ClockAdjusted",
    "ClockStarted",
    "ClockStopped",
    "CubeBeavered",
    "CubeDropped",
    "CubeOffered",
    "CubeTaken",
    "DiceCalled",
    "DiceOrigin",
    "DirectorCalled",
    "EventChosen",
    "Facts",
    "Flagged",
    "Frozen",
    "GameEnded",
    "GameReopened",
    "GameStarted",
    "Grounds",
    "HandedBack",
    "IllegalCorrected",
    "IllegalNoticed",
    "IllegalStood",
    "MatchAmended",
    "MatchEnded",
    "MatchSet",
    "Neshast",
    "Noted",
    "OpeningThrown",
    "Penalised",
    "PlayCorrected",
    "PlayEntered",
    "PositionSet",
    "Recovered",
    "Resigned",
    "Restarted",
    "Resumed",
    "Role",
    "RollEntered",
    "RollWithdrawn",
    "Ruled",
    "SetUpVerified",
    "SourceBack",
    "SourceLost",
    "Standing",
    "TableOpened",
    "TurnPressed",
    "TurnReopened",
    "Unfrozen",
    "Who",
]
