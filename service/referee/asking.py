"""What is asked of a turn that was ended and is not certain, when, and what the question tells
whoever hears it.
"""

from __future__ import annotations

from typing import Final

from rules.conduct import News
from service.reconcile import Ambiguous, Blind, OtherRoll, Pending
from service.referee.draft import Draft

PLAY_ON_S: Final = 2.5
"""So long after the press nothing is asked that a hand which is still there may explain."""
TELLS_S: Final = 30.0
"""So long the opponent's throw may be awaited, before people are asked which of several legal plays
it was; a cost a person chose: who thinks so long about a double or a draw can say it."""
LIKELY_LEGAL: Final = 0.9
"""What the legal answers come to, at the least, where the next turn is left to tell which it was; a
cost a person chose."""
ALL_LEGAL: Final = 0.98
"""The same where nothing else is in question, and who is asked learns nothing of a miscount."""
PRESSED_OVER: Final = "pressed_over"
"""Once in a turn: the other side pressed, which ended nothing. It may have had a turn meanwhile, so
what is left is asked about, and never called illegal."""
_MAY_BE_WRONG: Final = frozenset({"doubt", "half_made", "nothing_moved"})
"""Pending for a reason that may be a play against the rules."""


def next_turn_will_tell(draft: Draft, doubt: Ambiguous | Pending | Blind) -> bool:
    """Whether it is too early to ask what was played: as a rule the opponent rolls on, and what is
    seen then tells. Where it may be no legal play at all, people are asked.
    """
    asked = draft.state.watch.asked
    match doubt:
        case Ambiguous():
            legal = is_likely_legal(draft, doubt)
        case Pending(reason=reason) if reason in _MAY_BE_WRONG:
            legal = False
        case _ if isinstance(asked, Ambiguous):
            legal = is_likely_legal(draft, asked)
        case _:
            legal = asked is None
    waited = draft.now - max(draft.state.match.pressed_at, draft.state.watch.asked_since)
    return waited < (TELLS_S if legal else PLAY_ON_S if isinstance(doubt, Pending) else 0.0)


def is_likely_legal(draft: Draft, doubt: Ambiguous) -> bool:
    """Whether it is most likely a play of the roll: by what is seen now, or because the likeliest
    one had been left standing whole, and was agreed on, before a checker was brushed against.
    """
    if doubt.denied:
        return False
    if _legal_share(draft, doubt) >= LIKELY_LEGAL:
        return True
    set_down, likeliest = draft.state.watch.set_down, doubt.options[0][0].placement
    share = sum(p for made, _, p in doubt.options if made.placement == likeliest)
    return set_down is not None and set_down[0].play.placement == likeliest and share >= 0.5


def _legal_share(draft: Draft, doubt: Ambiguous) -> float:
    """What plays of the roll read, of any roll where none was, come to."""
    if doubt.legal is not None:
        return doubt.legal
    read = draft.state.turn.roll
    return sum(p for _, thrown, p in doubt.options if read in (None, thrown))


_UNCLEAR: Final = "unsettled"
"""Pending with nothing before the sources: beside a roll that was read, no play of it explains
what they see."""


def news_of(draft: Draft, verdict: Ambiguous | Pending | Blind) -> News:
    """What a question about this verdict tells whoever hears it: of a miscount, perhaps, unless the
    plays that are asked about are all there can be, and plays of the roll that was read.
    """
    read = draft.state.turn.roll
    match verdict:
        case Ambiguous():
            legal = _legal_share(draft, verdict) >= ALL_LEGAL
            return News.DICE if legal else News.ILLEGAL_PLAY
        case Pending(reason=reason):
            wrong = reason in _MAY_BE_WRONG or (reason == _UNCLEAR and read is not None)
            return News.ILLEGAL_PLAY if wrong else News.DICE
        case Blind():
            return News.DICE


def ask_both_sides(draft: Draft, what: str, news: News = News.DICE) -> None:
    """Ask both sides, once a turn, or whoever may hear that something may have been played wrongly;
    the options are in the state document.
    """
    # After a restart the question may stand open already.
    if draft.once(what) and not any(a.matter == what for a in draft.state.alerts):
        draft.alert(what, draft.state.game.on_roll, about=draft.state.seq, news=news)
        draft.watch(raised_at=draft.now)
        if draft.who_hears(news) == "board":
            draft.sound("ask")


def ask_which_roll(draft: Draft, doubt: OtherRoll) -> None:
    """Ask which it was, the roll read or the one played: once a turn, and only those whom the event
    lets hear that something may have been played wrongly.
    """
    if not draft.once("other_roll"):
        return
    facts = {"read": str(doubt.read), "played": str(doubt.options[0][1])}
    code = doubt.infraction.code.value
    draft.alert(
        "other_roll", draft.state.game.on_roll, code, facts, draft.state.seq, News.ILLEGAL_PLAY
    )
    draft.watch(raised_at=draft.now)
    if draft.who_hears(News.ILLEGAL_PLAY) == "board":
        draft.sound("ask")
