"""Where a checker set down stays, or one touched is moved: what is noted for the director when half
a play, or a whole one, stood at rest and was taken back.
"""

from __future__ import annotations

from typing import Final

from rules.conduct import News
from rules.infraction import Broken
from service.journal import entries as e
from service.reconcile import Agreed, OtherRoll, Pending, Verdict
from service.referee.draft import Draft

RELEASED_S: Final = 1.0
"""A whole play that stood at rest for so long was set down, not slid over."""


def watch_release(draft: Draft, verdict: Verdict) -> None:
    """Where a checker set down stays, or one touched is moved: half a play stood at rest and was
    taken back, as far as sensors know. For the director to see; nothing follows by itself.
    """
    event, since = draft.state.match.event, draft.state.watch.half_since
    if not (event.release_is_final or event.touch_move) or not isinstance(
        verdict, Pending | OtherRoll
    ):
        return
    if isinstance(verdict, OtherRoll) or verdict.reason == "half_made":
        if since is None:
            draft.watch(half_since=draft.now)
    elif verdict.reason == "nothing_moved" and since is not None:
        draft.watch(half_since=None)
        code = Broken.RELEASE_IS_FINAL if event.release_is_final else Broken.TOUCH_MOVE
        if draft.now - since >= RELEASED_S and draft.once(code.value):
            side = draft.state.game.on_roll
            seq = draft.say(e.Noted(code.value, side, "taken back"))
            draft.alert(code.value, side, about=seq, news=News.TOUCH)


def note_changed_play(draft: Draft, verdict: Agreed) -> None:
    """Where a checker set down stays (`release_is_final`): another whole play stood at rest before
    this one. For the director to see.
    """
    state, stood = draft.state, draft.state.watch.whole
    since = state.watch.rest_since
    if (
        not state.match.event.release_is_final
        or not isinstance(stood, Agreed)
        or since is None
        or draft.now - since < RELEASED_S
    ):
        return
    if stood.play.moves and draft.once("release_is_final"):
        seq = draft.say(
            e.Noted("release_is_final", state.game.on_roll, f"{stood.play}; {verdict.play}")
        )
        draft.alert("release_is_final", state.game.on_roll, about=seq, news=News.CONDUCT)
