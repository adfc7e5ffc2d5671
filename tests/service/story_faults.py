"""What a record says otherwise than it happened in a story, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from service.journal.entries import DiceOrigin, Standing
from service.referee.left_otherwise import PLAYED_ON
from service.referee.state import Phase, PlayLine
from tests.service.hands import Hands
from tests.service.storyteller import Teller

STOOD_S = 0.8
"""An illegal play that stood for so long before the opponent's dice lay there has to be said."""
WAITING = (Phase.DIFFERS, Phase.ILLEGAL)
OTHER_MATTERS = frozenset({"conduct", "flag", "source_lost", "dice", "director_called"})
"""Alerts that ask nothing about the checkers."""
GOES_ON = ("played", "rolled", "handed_back", "turn_reopened", "differs", "corrected")
"""Entries by which a turn that was ended becomes part of the record, or goes on."""
CONDUCT = frozenset({"slow_play", "missed_press"})


def faults(teller: Teller) -> Iterator[str]:
    """Each thing that the record says otherwise than it happened, and each false accusation."""
    yield from teller.truth.refused
    yield from _false_dice(teller)
    yield from _false_plays(teller)
    yield from _false_accusations(teller)
    yield from _false_cube_and_games(teller)
    yield from _ended_twice(teller)
    yield from _unsaid(teller)
    yield from _standing_still(teller)
    if teller.sensors in teller.story.unasked and _has_asked(teller.hands):
        yield "people were asked what the table could tell by itself"


def said(hands: Hands, *kinds: str) -> list[tuple[float, Any]]:
    """Time and entry of every entry of these kinds, in order."""
    return [(at, body) for at, _, body in hands.said if body.kind in kinds]


def _false_dice(teller: Teller) -> Iterator[str]:
    truth, hands = teller.truth, teller.hands
    thrown = list(truth.throws)
    for at, rolled in said(hands, "rolled"):
        if rolled.origin is DiceOrigin.ENTERED:
            continue
        found = next(
            (t for t in thrown if t[0] <= at and t[1:] == (rolled.side, rolled.roll)), None
        )
        if found is None:
            yield f"at {at}: nobody threw {rolled.side.value} {rolled.roll}"
        else:
            del thrown[: thrown.index(found) + 1]
    openings = list(truth.openings)
    for body in hands.bodies("opening_thrown"):
        faces = (*body.white, *body.black)
        if faces and faces not in openings:
            yield f"no such opening: {faces}"


def _false_plays(teller: Teller) -> Iterator[str]:
    """Plays of the record as it stands in the end, held against those that were made, in order."""
    left = list(teller.truth.plays)
    for line in teller.hands.state.match.plays:
        if line.by_hand and teller.truth.said:
            continue
        found = next(
            (
                play
                for play in left
                if play.side is line.side
                and (line.placement in play.stands or _is_left_open(teller, line))
                and line.roll in (None, play.roll)
            ),
            None,
        )
        if found is None:
            yield f"nobody played {line.side.value} {line.roll}: {line.text or line.placement}"
            continue
        if found.wrong_at is not None and line.roll and not (line.infraction or line.standing):
            yield f"recorded as if it were legal: {line.side.value} {line.roll}: {line.text}"
        left = left[left.index(found) + 1 :]


def _is_left_open(teller: Teller, line: PlayLine) -> bool:
    """Whether the record itself says of a line that nobody resolved it, where the table may ask."""
    return line.standing is Standing.UNRESOLVED and teller.sensors in teller.story.waits


def _false_accusations(teller: Teller) -> Iterator[str]:
    truth, hands = teller.truth, teller.hands
    wrong = [(p.side, p.wrong_at) for p in truth.plays if p.wrong_at is not None]
    wrong += truth.put_right
    for at, noticed in said(hands, "illegal_noticed"):
        side = noticed.side
        after = [t for t, who, _ in truth.throws if who is side and t <= at]
        if not any(
            who is side and since <= at and (not after or since >= after[-1])
            for who, since in wrong
        ):
            yield f"at {at}: {side.value} is accused of {noticed.code}"
    for at, told in said(hands, "noted", "alert_raised"):
        if told.matter in CONDUCT and told.side not in truth.slow:
            yield f"at {at}: {told.side.value if told.side else ''} is told of {told.matter}"


def _false_cube_and_games(teller: Teller) -> Iterator[str]:
    truth, hands = teller.truth, teller.hands
    kinds = {"cube_offered": "offer", "cube_taken": "take", "cube_dropped": "drop"}
    left = list(truth.cube)
    told = [body for _, body in said(hands, "cube_withdrawn", *kinds)]
    for body, after in zip(told, [*told, None][1:], strict=True):
        if body.kind == "cube_withdrawn" or (after and after.kind == "cube_withdrawn"):
            continue
        word = (kinds[body.kind], body.side)
        if word in left:
            del left[: left.index(word) + 1]
        else:
            yield f"nobody did {word[0]}: {word[1].value}"
    for name, side in left:
        yield f"not on record: {name} of {side.value}"
    winners = list(truth.winners)
    for ended in hands.state.match.finished:
        if winners and winners[0] is ended.winner:
            winners.pop(0)
        else:
            yield f"a game that did not end: {ended.winner.value} by {ended.reason}"


def _ended_twice(teller: Teller) -> Iterator[str]:
    """Turns that were ended once more, though nothing was made of their first end."""
    ended = None
    for at, body in said(teller.hands, "pressed", *GOES_ON):
        if body.kind == "pressed" and body.side is ended:
            yield f"at {at}: {body.side.value}'s turn is ended twice"
        ended = body.side if body.kind == "pressed" else None


def _unsaid(teller: Teller) -> Iterator[str]:
    """Illegal plays that stood long enough and were neither called nor asked about in time."""
    if teller.sensors in teller.story.unsaid:
        return
    truth, hands = teller.truth, teller.hands
    for play in truth.plays:
        if play.wrong_at is None:
            continue
        next_throw = next(
            (t for t, who, _ in truth.throws if who is not play.side and t > play.wrong_at), None
        )
        if next_throw is not None and next_throw - play.wrong_at < STOOD_S:
            continue
        counted = next(
            (
                at
                for at, rolled in said(hands, "rolled")
                if rolled.side is not play.side and at > play.wrong_at
            ),
            hands.now,
        )
        asked = [
            body
            for at, body in said(hands, "illegal_noticed", "differs", "alert_raised")
            if play.wrong_at <= at <= counted
            and getattr(body, "matter", "") not in OTHER_MATTERS | CONDUCT
        ]
        if not asked:
            yield f"nobody asked about {play.side.value}'s illegal play with {play.roll}"
        monitor = teller.story.event.get("play", {}).get("monitor")
        for body in asked:
            if monitor in ("arbiter", "silent") and getattr(body, "told", "") == "board":
                yield f"the board is told of an illegal play: {getattr(body, 'matter', body.kind)}"


def _has_asked(hands: Hands) -> bool:
    """Whether people were asked about the checkers at any time."""
    raised = said(hands, "differs", "alert_raised")
    return any(getattr(body, "matter", "") not in OTHER_MATTERS for _, body in raised)


def _standing_still(teller: Teller) -> Iterator[str]:
    """A table that stopped, or that is wrong without saying so."""
    state, truth = teller.hands.state, teller.truth
    asks = state.phase in WAITING or any(a.matter not in OTHER_MATTERS for a in state.alerts)
    stands = {teller.whole(teller.hands.placement), teller.whole(teller.proper), teller.before}
    behind = len(truth.plays) - len(state.match.plays)
    if any(body.reason == PLAYED_ON for body in teller.hands.bodies("position_set")):
        # The record says where it does not know how the checkers came to stand.
        behind = 0
    unsure = state.game.placement not in stands and state.game.placement != teller.hands.placement
    taken = state.game.placement == teller.hands.placement and _has_asked(teller.hands)
    nudged = teller.hands.placement != teller.proper and not taken
    if asks and teller.sensors in teller.story.waits:
        return
    if (unsure or nudged) and not asks and not truth.winners:
        yield f"silently wrong: {state.phase.value}, the record stands otherwise than the board"
    if behind and not truth.said:
        what = "asks" if asks else "silent"
        yield f"{what}, {behind} plays behind, phase {state.phase.value}, {state.watch.verdict}"
    elif state.phase in WAITING:
        yield f"stands in {state.phase.value}"
