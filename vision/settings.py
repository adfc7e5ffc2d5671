"""Every threshold of the room with unit, range and why; those of finding a board stand in
`finding_settings`. Other files hold none.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vision.finding_settings import CalibrateSettings, GeometrySettings


@dataclass(frozen=True, slots=True)
class SteadySettings:
    """Still or not. Lengths in point widths, areas in their squares, brightness 0-255, times in
    seconds.
    """

    thumb_width: int = 320
    """Frames are compared shrunk to about this width: sixteen pixels of a 1280 wide frame average
    their noise away, a die is still 4x4.
    """
    level: float = 11.0
    """Least difference of brightness that counts as a change; sensor noise of a shrunk frame stays
    under 3.
    """
    slope: float = 0.07
    """Added to `level` as a share of the brightness itself: photon noise and flicker grow with it.
    """
    still_for: float = 0.2
    """Nothing may have moved in the field for so long. Two frames of a slow webcam."""
    frozen_after: float = 2.0
    """A picture identical to the bit for so long is no picture of now; a live sensor's noise never
    repeats.
    """
    frozen_frames: int = 4
    dark: float = 16.0
    """Mean of the field's brightest channel below this: checkers cannot be told from points."""
    glaring: float = 0.5
    """Share of the field's pixels that are white in every channel.

    Boards of white leather stay under 0.3.
    """
    relit: float = 0.45
    """Share of the picture that changed at once, shape unmoved: a lamp was switched.

    A hand with its sleeve covers at most a third.
    """
    relit_gain: float = 0.16
    """Change of overall brightness (share) at one go that no slow drift makes."""
    bumped: float = 0.12
    """Shift of the board's corners that spoils the map: an eighth of a point, about 7 pixels of a
    1280 wide frame.
    """
    hand_field: float = 0.06
    """A hand covers at least this area of the field or its rails …"""
    hand_outside: float = 0.25
    """… and this area beyond them, in one piece: checkers and dice stay within the rails, hands
    come from without.
    """
    hand_alone: float = 6.0
    """A changed area of the field this large is no checker: a whole point holds 5."""
    hand_cover: float = 0.3
    """So much of a piece must be seen to be covered for it to be a hand or a thing: one cell of the
    checker network's map holds 0.25."""
    begun_cover: float = 0.75
    """So much cover in the very first picture is a hand: three cells, since two are seen now and
    then where nothing is."""
    settle: float = 0.4
    """What covers nothing and comes from nowhere (a disc in a tray, a shadow) stays when it has not
    stirred for so long …"""
    settle_arm: float = 1.0
    """… what reaches to the picture's edge or covers something, so long …"""
    lost_for: float = 0.5
    """Corners that are not to be seen, and where nothing has moved for so long, are elsewhere."""
    look_every: float = 0.5
    """The corners are looked for so often where nothing changed."""
    drifted: float = 0.035
    """Shift of the corners at which the map follows without a word: half a shrunk pixel."""
    moved: float = 0.03
    """Area of the field that differs from the frame before: a third of a small die."""
    ghost_after: float = 3.0
    """… and an arm that covers the board so long: it rests there, and only what it hides is unsaid.
    """


@dataclass(frozen=True, slots=True)
class DiceSettings:
    """Dice. Lengths in point widths unless said otherwise, times in seconds."""

    edge: float = 0.36
    """Edge of a die: sets sold with boards measure 0.25 to 0.5 of a point."""
    margin: float = 3.4
    """How far around the field dice are looked for: rails, trays and a hand's breadth of table."""
    unit: float = 24.0
    """Pixels of a point in the finder's picture, as in its training: a die is 6 to 12 pixels, two
    to four cells.
    """
    largest: float = 820.0
    """Longest side of the finder's picture, pixels: bounds time for maps that make no sense."""
    candidate: float = 0.17
    """Finder's score from which a place is shown to the reader.

    Of the dice of held-out scenes 97 % score more.
    """
    candidates: int = 12
    """Most places shown to the reader: two pairs, a cube, and what is mistaken for them."""
    twins: int = 5
    """So many of the likeliest dice are looked beside for another that touches them …"""
    twin_of: float = 0.25
    """… if they score so much …"""
    twin: float = 0.08
    """… and the place beside them this: of dice alone five in six stay below, of those that touch
    another four in five are above.
    """
    higher: tuple[float, ...] = (0.35, 0.7)
    """From a low camera each place is looked at so many edges higher too …"""
    better: float = 0.15
    """… which counts where a die that shows one face is so much likelier there (0-1)."""
    above: float = 0.35
    """Of two places no farther apart than so many edges across (the fronts of rendered dice were
    marked within 0.17, dice that touch 0.5 and more) …"""
    apart: float = 0.95
    """… and so many upwards, one is the other's front."""
    beside: float = 0.55
    """A front or side is so many edges across from the top at the most: six that were marked as a
    die of their own were within 0.46."""
    asked: float = 0.03
    """So likely a die or a cube to finder and reader, its upper face is looked at by itself."""
    found: float = 0.4
    """A die is reported from this certainty on; each reading carries its own.

    Two of 288 so reported on held-out scenes were none.
    """
    found_alone: float = 0.7
    """The same where no board is, and far off one: what lies about there is taken for dice more
    often."""
    far_off: float = 1.0
    """Point widths off the field from which on a die lies far off: beyond rail and tray's wall."""
    largest_alone: float = 1300.0
    """Longest side of the finder's picture where no board says how large dice are, pixels."""
    readable: float = 10.0
    """Edge in pixels of the picture below which a face counts as unknown."""
    place_blur: float = 0.06
    """How sharply the bar and the rails are known for a die whose height is not."""
    usual: tuple[float, float, float, float] = (1.1, 0.9, 0.75, 0.7)
    """Flat, cocked, on a checker, rolling: weights beside the shares of the training scenes, where
    four dice in ten are odd on purpose. Half way (root) to play's would be 1.2, 0.65, 0.56, 0.7; a
    little less: a cocked die that is missed is worse than one that is asked about."""
    roll_time: float = 0.35
    """How long dice roll once they are seen."""
    still: float = 0.2
    """Edges by which a die at rest may seem to move."""


@dataclass(frozen=True, slots=True)
class CubeSettings:
    """The doubling cube. Lengths in point widths."""

    asked: float = 0.1
    """Places that finder and reader take for a cube so surely are shown to the cube's own network:
    a cube that lies askew is one to them at 0.4. Other places are in one painted scene of four."""
    found: float = 0.5
    """A cube is reported from this certainty on."""
    owned: float = 2.4
    """Distance from the middle line at which a cube is as likely a player's as nobody's: half way
    between the places where it is put.
    """
    owned_blur: float = 0.35
    beside_bar: float = 0.35
    """So far from the bar's edge it is as likely beside the bar as on it: half its own edge."""
    field_blur: float = 0.1
    """Of where the field's edges are to it: a cube's place is read to a tenth."""


@dataclass(frozen=True, slots=True)
class CheckerSettings:
    """When the checker reader may speak, and what it believes of boards as a whole."""

    covered: float = 0.5
    """Probability 0-1 of a hand or thing over a point from which on the point counts as not seen.
    """
    confident: float = 0.6
    """`takhte read` says null for a point below this probability: better no claim than a coin's."""
    confident_way: float = 0.89
    """The same while it is not certain which way round the board lies, or where: that doubt is
    shared by all points, so a wrong one is 24 wrong.
    """
    low: float = 0.8
    """Slant (1 at 45 degrees) from which on a wall may hide the foot of a point: there a point that
    looks empty is so much less surely empty as the network says that it is covered."""
    pile: float = 0.05
    """Probability of four checkers or more on a point from which on it may be looked at more
    finely.
    """
    counted: float = 0.98
    """Share of the certainty a pile can have (1 less the doubt about piles) from which on one count
    needs no finer look, which costs 1.2 ms a pile. Of the 137 such piles of held-out boards one was
    wrong; the finer look made three of them wrong."""
    any_total: float = 0.03
    """How likely a set shows one given number below fifteen, beside all fifteen: bearing off, small
    games, empty boards.
    """
    listed: float = 1e-4
    """Outcomes of a site less likely than this are left to the reading's floor."""
    doubt: float = 2e-4
    """Share of every reading that is spread over everything: the network's unknown unknowns."""


@dataclass(frozen=True, slots=True)
class SetSettings:
    """How a board's two sets are told apart by colour (`sets`). Fitted on 205 rendered boards that
    teach, a fifth with sets equally light: points named wrongly 109 -> 77 of 1,804.
    """

    apart: float = 20.0
    fewest: int = 3
    """Difference of lightness, hundredths of the picture's white, from which on the network's own
    names hold; points with checkers, below which there is nothing to lay together."""
    spread: tuple[float, float, float] = (3.0, 2.45, 2.45)
    usual: float = 12.0
    """How far colours of one set lie apart (L, a, b) before any is seen; so many points that is."""
    rounds: int = 8
    network: float = 0.6
    network_most: float = 4.0
    """Share of what the network says of one point's set (log odds), and the most of it."""
    colour_most: float = 6.0
    """Log odds that a point's colour may speak with: a shadow or a glint is no other set."""
    tints: tuple[float, float, float] = (0.35, 0.15, 0.18)
    dark: float = 50.0
    relit: tuple[float, float, float] = (0.5, 0.12, 0.12)
    steady: float = 2.0
    """How far log light, red and blue of a set lie from those learned, below which brightness they
    lie farther; how far another light shifts all, and what it costs that one is there, nats."""
    lighter: float = 0.083
    votes: float = 0.057
    """Log odds a hundredth of lightness, and a point's log odds, that a set is the light one."""


@dataclass(frozen=True, slots=True)
class TraySettings:
    """When borne-off checkers may be spoken of, and how much they may say."""

    covered: float = 0.06
    """Share (0-1) of a place under a hand or thing above which it counts as not seen: two cells of
    thirty.
    """
    seen: float = 0.8
    """Probability 0-1 that a place can be judged below which it counts as not seen: a tray half out
    of the picture is not an empty one.
    """
    sure_way: float = 0.95
    """Probability of the orientation below which the places on both sides must be in view, since
    nobody knows which are used.
    """
    confident: float = 0.85
    """`takhte read` says null below this probability of both numbers: more than of a point, since
    one checker is easily missed.
    """
    fifteen: float = 0.85
    """How likely a set that is not all on the board has the rest beside it (0-1); else small games,
    checkers in a hand or in a box.
    """
    fifteen_hidden: float = 0.3
    """The same while some point is hidden: what it holds is not known."""
    none_off: float = 0.75
    """Share of boards at rest on which a set has nothing borne off: most of a game, and every game
    that is not played to its end.
    """
    observed: bool = False
    """Whether Observations hold OFF. `takhte read` does not ask this."""
    elsewhere: float = 0.4
    """Likelihood (0-1) of seeing fewer checkers in the trays than are off: people keep them in the
    hand, or put them away late.
    """
    floor: float = 0.135
    """Least likelihood beside the best of any number off, 0-1: two nats, a third of what one point
    may say against a play.
    """


@dataclass(frozen=True, slots=True)
class Thresholds:
    """All settings of the room; frozen, so that a reading can be repeated."""

    geometry: GeometrySettings = field(default_factory=GeometrySettings)
    steady: SteadySettings = field(default_factory=SteadySettings)
    dice: DiceSettings = field(default_factory=DiceSettings)
    cube: CubeSettings = field(default_factory=CubeSettings)
    checkers: CheckerSettings = field(default_factory=CheckerSettings)
    sets: SetSettings = field(default_factory=SetSettings)
    trays: TraySettings = field(default_factory=TraySettings)
    calibrate: CalibrateSettings = field(default_factory=CalibrateSettings)


DEFAULT = Thresholds()
