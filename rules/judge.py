"""The judge: what happened, if the board truly stands so?

`judge()` finds the play, or names the rule that the change of the board breaks. A legal result is
looked up among `plays()`, the only place where the rules of moving are written. For anything else
the questions go from what no turn can do (a checker missing, the opponent's moved) to what this
turn may not. Two ways of asking:

1. *Forgive one rule*: the same search under the ruleset with one axis relaxed; if the board is then
   explained, that rule was broken.
2. *Trace the checkers*: which moves by these dice, over anything that stands in the way, turn the
   mover's checkers into what is
   there; then look at what those moves ran into.

Of several explanations the one that breaks least is named, since players are to be told what they
did and not accused of more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from rules.axes import HOME, Bearoff, Contact, EntryRule, FirstMoveTriple, Landing
from rules.board import BAR, OFF, Placement
from rules.dice import ROLLS, Roll
from rules.infraction import WHOSE, Broken, Infraction
from rules.one_die import head_allowance
from rules.play import Play, Plays, plays
from rules.position import OFF_AT, Position, View, movers_counts, view_of
from rules.race import pips

NEAREST = 3
"""Legal plays that an infraction names."""
LIKELIER_FIRST: Final = tuple(sorted(ROLLS, key=lambda r: -r.weight))
Counts = tuple[int, ...]
Turn = tuple[Roll, Play]


def judge(position: Position, roll: Roll | None, after: Placement) -> Play | Infraction:
    """The play that turned `position` into `after`, or the infraction. `after` may be impossible.

    With an unknown roll any roll will do; when several explain the change, the play of the first of
    `rolls_explaining` is given.
    """
    if roll is None:
        explained = rolls_explaining(position, after)
        return explained[0][1] if explained else _diagnosed(position, None, after)
    legal = plays(position, roll)
    play = play_leading_to(legal, after)
    if play is not None:
        return play
    found = _diagnosed(position, legal, after)
    return replace(found, nearest=nearest(legal, after))


def play_leading_to(legal: Plays, after: Placement) -> Play | None:
    """The play, of all that are legal, that leaves the board so, if one does."""
    position = legal.position
    view = view_of(after, position.ruleset.facing, position.side)
    if view is None:
        return None
    play = legal.with_result(view)
    if play is None and view[OFF_AT] == position.ruleset.checkers:
        # A play that ends the game is never an infraction, even if a die was left.
        play = legal.stopped_short(view)
    return play


def nearest(legal: Plays, after: Placement, most: int = NEAREST) -> tuple[Play, ...]:
    """The legal plays that leave the board most like `after`, the likest first."""

    def distance(play: Play) -> tuple[int, str]:
        stands = play.placement
        apart = sum(
            abs(a - b)
            for a, b in zip(stands.white + stands.black, after.white + after.black, strict=True)
        )
        return apart, str(play)

    return tuple(sorted(legal, key=distance)[:most])


def rolls_explaining(position: Position, after: Placement) -> tuple[Turn, ...]:
    """Every roll by which the mover could have left the board at `after`, with the play; the
    likelier rolls first.

    A roll that could not be played explains an unchanged board.
    """
    view = view_of(after, position.ruleset.facing, position.side)
    if view is None:
        return ()
    found = []
    for roll in rolls_moving_to(position, LIKELIER_FIRST, view):
        play = play_leading_to(plays(position, roll), after)
        if play is not None:
            found.append((roll, play))
    return tuple(found)


def _can_move(roll: Roll, doubles: int, moved: int, bears_off: bool) -> bool:
    """Whether a roll's dice can move so many pips: only one that bears off may waste some."""
    if bears_off:
        return 0 < moved <= roll.pips(doubles)
    if roll.is_double:
        return moved % roll.high == 0 and moved <= roll.pips(doubles)
    return moved in (0, roll.low, roll.high, roll.high + roll.low)


def rolls_moving_to(position: Position, rolls: Iterable[Roll], view: View) -> list[Roll]:
    """Those whose dice move so many pips that the mover's checkers may stand as in `view`."""
    before, now = _own(position.view), _own(view)
    bears_off = now[OFF] > before[OFF]
    if not _runs_forward(before, now) or (bears_off and any(now[HOME + 1 : BAR])):
        return []
    moved = pips(before) - pips(now)
    doubles = position.ruleset.doubles
    return [roll for roll in rolls if _can_move(roll, doubles, moved, bears_off)]


def _own(view: View) -> Counts:
    """The mover's 26 counts by site."""
    return (view[25], *(max(n, 0) for n in view[:24]), view[24])


def _runs_forward(before: Counts, after: Counts) -> bool:
    behind = 0
    for site in range(BAR, -1, -1):
        behind += after[site] - before[site]
        if behind > 0:
            return False
    return behind == 0


# The diagnosis.


def _diagnosed(position: Position, legal: Plays | None, after: Placement) -> Infraction:
    own_before, their_before = _own(position.view), _theirs(position.view)
    own, theirs = movers_counts(after, position.ruleset.facing, position.side)
    return (
        _miscounted(position, own, theirs)
        or (
            Infraction(Broken.NOTHING_MOVED)
            if own == own_before and theirs == their_before and legal is not None
            else None
        )
        or _meddled(position, own_before, own, their_before, theirs)
        or _forgiven(position, legal, after)
        or _traced(position, legal, own_before, own, their_before, theirs)
    )


def _theirs(view: View) -> Counts:
    """The opponent's 26 counts, points in the mover's numbering."""
    return (view[27], *(max(-n, 0) for n in view[:24]), view[26])


def _miscounted(position: Position, own: Counts, theirs: Counts) -> Infraction | None:
    """A checker missing or too many."""
    for counts, whose in zip((own, theirs), WHOSE, strict=True):
        gap = sum(counts) - position.ruleset.checkers
        if gap or min(counts) < 0:
            code = (
                Broken.CHECKER_MISSING
                if gap < 0 or (gap == 0 and min(counts) < 0)
                else Broken.CHECKER_ADDED
            )
            return Infraction(code, (("count", abs(gap) or 1), ("whose", whose)))
    return None


def _meddled(
    position: Position, own_before: Counts, own: Counts, their_before: Counts, theirs: Counts
) -> Infraction | None:
    """What was done to the opponent's checkers that no hit does."""
    claim = position.ruleset.landing is Landing.CLAIM
    for p in range(24, 0, -1):
        if own[p] and theirs[p]:
            if own_before[BAR] and own[BAR] == own_before[BAR]:
                return Infraction(Broken.BAR_FIRST)
            held = their_before[p] >= (1 if claim else 2)
            return Infraction(
                Broken.BLOCKED_POINT if held else Broken.BOTH_ON_A_POINT, (("point", p),)
            )
    if theirs == their_before:
        return None
    gone = [p for p in range(1, 25) if theirs[p] < their_before[p]]
    to_bar = theirs[BAR] - their_before[BAR]
    only_to_bar = theirs[OFF] == their_before[OFF] and all(
        theirs[p] <= their_before[p] for p in range(1, 25)
    )
    if only_to_bar and to_bar > 0:
        if claim:
            return Infraction(Broken.HIT_NOT_ALLOWED, (("point", gone[0]),))
        for p in gone:
            if their_before[p] > 1:
                return Infraction(
                    Broken.BLOCKED_POINT if own[p] > own_before[p] else Broken.OPPONENT_MOVED,
                    (("point", p),),
                )
        return None
    return Infraction(Broken.OPPONENT_MOVED)


def _forgiven(position: Position, legal: Plays | None, after: Placement) -> Infraction | None:
    """The one rule without which the board would be explained."""
    rules = position.ruleset
    view = view_of(after, rules.facing, position.side)
    if view is None or legal is None:
        return None
    roll = legal.roll
    if rules.first_move_triple is FirstMoveTriple.AVOID and position.first_turn:
        open_ = replace(rules, first_move_triple=FirstMoveTriple.ALLOWED)
        if plays(replace(position, ruleset=open_), roll).with_result(view):
            return Infraction(Broken.TRIPLE)
    if rules.mandatory_hit and plays(
        replace(position, ruleset=replace(rules, mandatory_hit=False)), roll
    ).with_result(view):
        return Infraction(Broken.MUST_HIT)
    if (short := legal.stopped_short(view)) is not None:
        return _short_of(legal, short)
    may_leave = head_allowance(rules, roll, position.first_turn)
    facts: tuple[tuple[str, int | str], ...]
    for code, relaxed, facts in (
        (Broken.HEAD, replace(rules, head_limit=0), (("limit", may_leave),)),
        (Broken.PRIME, replace(rules, prime_length=0), (("length", rules.prime_length),)),
        (Broken.BLOCKED_ENTRY, replace(rules, entry=EntryRule.OPEN), ()),
        (Broken.TOO_MANY_MOVES, replace(rules, doubles=4), (("roll", str(roll)),)),
        (_contact_fault(rules.contact), replace(rules, contact=_other_contact(rules.contact)), ()),
        (Broken.BORE_OFF_NOT_EXACT, replace(rules, bearoff=Bearoff.STANDARD), ()),
        (Broken.HEAD, replace(rules, head_limit=0, prime_length=0), (("limit", may_leave),)),
    ):
        if relaxed == rules:
            continue
        play = plays(replace(position, ruleset=relaxed), roll).stopped_short(view)
        if play is not None:
            return Infraction(code, facts or _place(code, play, view))
    return None


def _contact_fault(contact: Contact) -> Broken:
    """What it is to hit as under the other way of contact."""
    return Broken.HIT_NOT_LIFTED if contact is Contact.EACH_DIE else Broken.CONTACT


def _other_contact(contact: Contact) -> Contact:
    return Contact.TURN_END if contact is Contact.EACH_DIE else Contact.EACH_DIE


def _place(code: Broken, play: Play, after: View) -> tuple[tuple[str, int | str], ...]:
    """The point that the words of a code name."""
    if code is Broken.HIT_NOT_LIFTED:
        return (
            ("point", next(m.target for m in play.moves if m.target and after[m.target - 1] < 0)),
        )
    if code is Broken.BLOCKED_ENTRY:
        return (("point", next((m.target for m in play.moves if m.source == BAR), 24)),)
    if code is Broken.BORE_OFF_NOT_EXACT:
        return (("point", max((m.source for m in play.moves if m.target == OFF), default=HOME)),)
    return ()


def _short_of(legal: Plays, short: Play) -> Infraction:
    """A play that left out a part of what the turn owes."""
    roll = legal.roll
    owed = max(len(play.moves) for play in legal)
    if len(short.moves) < owed or roll.is_double:
        return Infraction(Broken.BOTH_DICE, (("roll", str(roll)),))
    return Infraction(Broken.HIGHER_DIE, (("die", roll.high),))


def _traced(
    position: Position,
    legal: Plays | None,
    own_before: Counts,
    own: Counts,
    their_before: Counts,
    theirs: Counts,
) -> Infraction:
    """What the mover's own checkers did."""
    if not _runs_forward(own_before, own):
        return Infraction(Broken.WRONG_DIRECTION)
    if own_before[BAR] and own[BAR] == own_before[BAR] and own != own_before:
        return Infraction(Broken.BAR_FIRST)
    if legal is None:
        return Infraction(Broken.NO_ROLL)
    roll = legal.roll
    dice = (roll.high,) * position.ruleset.doubles if roll.is_double else (roll.high, roll.low)
    best: tuple[int, Infraction] | None = None
    for moves in _traces(own_before, own, dice):
        faults = _faults(position, moves, own, their_before, theirs)
        if best is None or len(faults) < best[0]:
            best = (
                len(faults),
                faults[0] if faults else Infraction(Broken.DIE_NOT_ROLLED, (("roll", str(roll)),)),
            )
    if best is not None:
        return best[1]
    if own[OFF] > own_before[OFF] and any(own[HOME + 1 :]):
        return Infraction(Broken.BORE_OFF_EARLY)
    if own == own_before:
        return Infraction(Broken.OPPONENT_MOVED)
    if not legal and own_before[BAR] and own[BAR]:
        return Infraction(Broken.BAR_FIRST)
    left = sum(max(0, own_before[site] - own[site]) for site in range(1, BAR + 1))
    code = Broken.TOO_MANY_MOVES if left > len(dice) else Broken.DIE_NOT_ROLLED
    return Infraction(code, (("roll", str(roll)),))


def _traces(
    before: Counts, after: Counts, dice: tuple[int, ...]
) -> Iterator[tuple[tuple[int, int, int], ...]]:
    """Every way to turn the mover's checkers into `after` by these dice or some of them, over
    anything: (source, target, die) each.

    Only checkers that stand where too many are can move on, so the search is narrow.
    """
    counts = list(before)

    def go(
        left: tuple[int, ...], made: tuple[tuple[int, int, int], ...]
    ) -> Iterator[tuple[tuple[int, int, int], ...]]:
        surplus = [s for s in range(BAR, 0, -1) if counts[s] > after[s]]
        if not surplus:
            if made and counts == list(after):
                yield made
            return
        if sum(counts[s] - after[s] for s in surplus) > len(left):
            return
        source = surplus[0]
        for die in sorted(set(left), reverse=True):
            target = max(source - die, OFF)
            counts[source] -= 1
            counts[target] += 1
            rest = list(left)
            rest.remove(die)
            yield from go(tuple(rest), (*made, (source, target, die)))
            counts[source] += 1
            counts[target] -= 1

    return go(dice, ())


def _faults(
    position: Position,
    moves: tuple[tuple[int, int, int], ...],
    own: Counts,
    their_before: Counts,
    theirs: Counts,
) -> list[Infraction]:
    """What these moves broke, the gravest first."""
    rules = position.ruleset
    wall = 1 if rules.landing is Landing.CLAIM else 2
    found = []
    blocked = [t for _, t, _ in moves if t != OFF and their_before[t] >= wall]
    if own[BAR] and any(s != BAR for s, _, _ in moves):
        found.append(Infraction(Broken.BAR_FIRST))
    off = [(s, die) for s, t, die in moves if t == OFF]
    if off and any(own[HOME + 1 :]):
        found.append(Infraction(Broken.BORE_OFF_EARLY))
    if blocked:
        found.append(Infraction(Broken.BLOCKED_POINT, (("point", blocked[0]),)))
    over = [s for s, die in off if die > s]
    if over and not found:
        code = (
            Broken.BORE_OFF_NOT_EXACT if rules.bearoff is Bearoff.EXACT else Broken.BORE_OFF_TOO_LOW
        )
        found.append(Infraction(code, (("point", over[0]),)))
    landed = {t for _, t, _ in moves}
    taken = {p for p in range(1, 25) if theirs[p] < their_before[p]}
    if taken - landed:
        found.append(Infraction(Broken.OPPONENT_MOVED))
    touched = {p for p in landed if p != OFF and their_before[p] == 1 and theirs[p]}
    if touched and wall == 2:
        found.append(Infraction(Broken.HIT_NOT_LIFTED, (("point", max(touched)),)))
    return found
