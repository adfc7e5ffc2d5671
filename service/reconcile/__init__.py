"""Does it truly stand so? Two doubtful sensors in, one verdict a turn out. This is the room's face:
what it is asked with and what it answers; README.md says how the answer comes about.
"""

from __future__ import annotations

from service.reconcile.against_record import (
    as_if_recorded,
    astray_before_throw,
    has_moved,
    standing,
    stood_then,
    stood_when_begun,
)
from service.reconcile.answers import (
    AGREED_AT,
    Agreed,
    Ambiguous,
    Awaiting,
    Blind,
    Differs,
    DoesNotMatch,
    Expectation,
    Illegal,
    Matches,
    OtherRoll,
    Pending,
    PlacementSeen,
    Unseen,
    Verdict,
)
from service.reconcile.denial import Denial
from service.reconcile.evidence import Evidence, observe
from service.reconcile.fallen import as_explained, is_gone_still
from service.reconcile.hypotheses import no_play_share, prepare
from service.reconcile.lines_read import LinesRead
from service.reconcile.memory import (
    Earlier,
    is_one_gone,
    is_one_shifted,
    laid_beside,
    may_bear_off_unseen,
    misses_one,
    other_results,
)
from service.reconcile.played_already import played_already
from service.reconcile.presence import placement_seen
from service.reconcile.recall import Recollection, recall
from service.reconcile.recovery import Explanation, told_where_it_stands
from service.reconcile.rolls import (
    ALONE_S,
    OUTSIDE,
    WHOLE_FIELD,
    Area,
    NoDice,
    RollProblem,
    RollRead,
    RollSeen,
    RollUnread,
    right_half,
    roll_of_dice,
)
from service.reconcile.since_throw import misread_at_throw
from service.reconcile.standpoint import Standpoint
from service.reconcile.told import Recalled, TurnTold
from service.reconcile.tracks import ONE_THROW_S, Track
from service.reconcile.verdict import decide, roll_seen

__all__ = [
    "AGREED_AT",
    "ALONE_S",
    "ONE_THROW_S",
    "OUTSIDE",
    "WHOLE_FIELD",
    "Agreed",
    "Ambiguous",
    "Area",
    "Awaiting",
    "Blind",
    "Denial",
    "Differs",
    "DoesNotMatch",
    "Earlier",
    "Evidence",
    "Expectation",
    "Explanation",
    "Illegal",
    "LinesRead",
    "Matches",
    "NoDice",
    "OtherRoll",
    "Pending",
    "PlacementSeen",
    "Recalled",
    "Recollection",
    "RollProblem",
    "RollRead",
    "RollSeen",
    "RollUnread",
    "Standpoint",
    "Track",
    "TurnTold",
    "Unseen",
    "Verdict",
    "as_explained",
    "as_if_recorded",
    "astray_before_throw",
    "decide",
    "has_moved",
    "is_gone_still",
    "is_one_gone",
    "is_one_shifted",
    "laid_beside",
    "may_bear_off_unseen",
    "misread_at_throw",
    "misses_one",
    "no_play_share",
    "observe",
    "other_results",
    "placement_seen",
    "played_already",
    "prepare",
    "recall",
    "right_half",
    "roll_of_dice",
    "roll_seen",
    "standing",
    "stood_then",
    "stood_when_begun",
    "told_where_it_stands",
]
