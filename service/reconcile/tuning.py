"""Every number that reconcile weighs with: unit, range and why. The soak (`takhte simulate`) is
what they are chosen by.

All `*_nats` are natural logarithms of odds: 6.9 nats are 1,000 to 1. None of them makes a sensor
sharper than it says it is; they only limit how much it may decide.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from rules.observation import Source
from service.reconcile.rates import RATES


@dataclass(frozen=True, slots=True)
class Reach:
    """How far the word of one source may carry."""

    one_site_nats: float
    """At most so much against a hypothesis from one site of one source, however often it repeats
    itself (3-12): a reader that is wrong about a checker in this light is wrong about it in every
    frame, so frames are one witness."""
    tall_nats: float
    """At most so much for one height of a pile of five or more against another (1-5): sensors
    cannot count a second layer, and a camera from above little better. Four and less were never
    read as five and more, nor the other way about, so those weigh as any site."""
    bar_nats: float
    """The same for one count on the bar against another of the same sides (1-7): a ring of checkers
    feels much like one more or less, yet whose they are was never read wrong. To a camera the bar
    is a site like any other."""
    max_age_s: float = 4.0
    """Silent for so long it says nothing any more, s (1-10): scans come as a keyframe each second,
    frames ten times as often. A cost that a person chose."""


CAMERA_SITE_NATS: Final = 6.5
"""Measured: the logarithm of how many sites were read with one error at most, 650 by cameras …"""
BOARD_SITE_NATS: Final = 7.0
"""… and 993 by boards. Measured as well (`tests/service/reconcile/test_measured.py`)."""
REACHES: Final[Mapping[Source, Reach]] = {
    Source.CAMERA: Reach(CAMERA_SITE_NATS, tall_nats=3.0, bar_nats=CAMERA_SITE_NATS),
    Source.SENSORS: Reach(BOARD_SITE_NATS, tall_nats=4.0, bar_nats=2.0),
}
"""Of every measured source. What piles (1-5) and the bar (1-7) may say, nats, is a cost that a
person chose."""
UNMEASURED: Final = Reach(
    min(reach.one_site_nats for reach in REACHES.values()),
    min(reach.tall_nats for reach in REACHES.values()),
    min(reach.bar_nats for reach in REACHES.values()),
)
"""Of a source that nobody has measured yet: the least that any measured one has."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """How far evidence carries. Frozen: a table has one for its life, a replay needs the same."""

    reaches: Mapping[Source, Reach] = field(default_factory=lambda: REACHES)
    """Of every measured source."""
    misread_nats: float = 1.5
    """At most so much against a height while the pile is read as it was when its height was settled
    and was another, and against whatever may stand where something covers a point (0-3): what
    cannot count cannot say that one went. A cost that a person chose."""
    neighbour_nats: float = 1.0
    """What a second wrong site costs beside a wrong one (0-7): a smear, a shadow or a leaning stack
    moves two points at once. A cost that a person chose."""
    one_source_nats: float = 15.0
    """At most so much from one source altogether (8-30): a map off by one point is wrong everywhere
    at once. A play against which more is said at the sites it changes is not agreed, though nothing
    explains it better. A cost that a person chose."""
    full_readings: int = 3
    """So many readings tell all that readings tell (1-5): a site weighs in full after them (one
    alone weighs 60 %, more never weigh more), nothing but a legal play is said before each source
    has read so often at rest, and a die that was looked for so often is gone. A cost that a person
    chose."""
    window_frames: int = 8
    """Readings that the mean of a site, or of a die, runs over (3-20); older ones fade. A cost that
    a person chose."""
    conflict_nats: float = 3.0
    """A reading that puts its own best so far above the mean's best, and the mean the other way
    about, starts a site's window anew, and is another throw of a die (1-6). Of several sites a
    third each is enough where all together come to half as much again: whoever plays changes two at
    least, and a camera that looks along the table is sure of none of them. A cost that a person
    chose."""
    latency_s: float = 0.15
    """Two sources may time the same movement so far apart, s (0.05-0.5). A cost that a person
    chose."""
    settle_s: float = 0.25
    """A site counts as at rest when its window is so old, a die and the whole board when they have
    lain still for so long, s (0.1-1): picochess's quarter second for a piece set down. A cost that
    a person chose."""
    accuse_settle_s: float = 0.8
    """The same before anything but a legal play of this turn is said, or it is asked what the last
    turns were, s (0.5-3): hands correct what they did wrong. A cost that a person chose."""
    die_floor: float = 0.005
    """P(a still, flat die is read as some other given face, frame after frame): 0.0005-0.02.
    Measured: none of 82 dice was read as another, of which there are five; 3 may have been by
    chance (95 %), and photographs are read worse than rendered pictures."""
    leaning_floor: float = 0.05
    """The same of a die that looks as if it leaned (0.01-0.2): players who play it have read it,
    but it may have been thrown again. A cost that a person chose."""
    other_roll: float = RATES["other_roll"].share
    """Prior of the roll not being the one read, beside the dice evidence itself: a die nudged
    between reading and play. Fitted."""
    roll_read: float = 0.8
    """P at which a roll is announced, or a die called leaning or misplaced, and certainty of two
    dice beside which what may be none is no third (0.5-0.999); the play then speaks for or against
    a roll, and people are asked where it speaks against dice that are read so still. A cost that a
    person chose. Measured: of 1,000 flat dice on painted boards two seemed so odd
    (`tests.bench painted_dice first=1360`, and `first=1390 boards=20 oblique=1`), of 13 leaning
    ones on pictures 11 did."""
    roll_flat: float = 0.55
    """P(flat) that each die of an announced roll needs (0.5-0.95): leaning dice were measured at
    0.62 at most, flat ones at 0.94 in the middle. A cost that a person chose."""
    die_alone_s: float = 2.5
    """A die that has lain alone for so long was thrown with another that nobody finds, s (1-10). A
    cost that a person chose."""
    agree: float = 0.995
    """Posterior at which a play is agreed, and at which dice too faint to be announced still settle
    a roll that the play alone leaves open (0.9-0.9999). A cost that a person chose."""
    infer: float = 0.99
    """Posterior at which an unread or misread roll is inferred from the play, and against every
    legal play, priors included, at which an illegal one is named (0.9-0.9999). A cost that a person
    chose."""
    differs_nats: float = 4.0
    """Nats against the expected counts of one site at which it is said to differ (2-8); no play is
    agreed while a source that read a site rightly when it was settled says so much against the
    play's leaving it alone: a checker taken from a tall pile shows nowhere else. A cost that a
    person chose."""
    accuse_source_nats: float = 2.5
    """What each source that sees the place must say for it by itself (1-6): one alone never accuses
    against the silence of the other. A cost that a person chose."""
    patience_s: float = 6.0
    """After so long without a verdict people are asked even while hands are seen, s (2-20). A cost
    that a person chose."""
    ask_s: float = 1.4
    """After so long at rest people are asked (0.8-6): what stands still tells nothing more by being
    looked at longer. A cost that a person chose."""

    @property
    def accuse_nats(self) -> float:
        """The lead that an illegal explanation needs over every legal one, nats."""
        return math.log(self.infer / (1 - self.infer))

    def reach(self, source: Source) -> Reach:
        """How far the word of this source carries."""
        return self.reaches.get(source, UNMEASURED)


DEFAULT = Tuning()
