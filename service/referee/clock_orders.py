"""What people may tell the table about its clock: to run, to rest, how much is left, and which
clock the next games are played with.
"""

from __future__ import annotations

from typing import Final

from rules.conduct import after_premature_roll
from rules.event import clock_plans
from service.journal import entries as e
from service.journal.codec import Json
from service.referee.args import NumberArg, SideArg, TextArg
from service.referee.draft import Draft
from service.referee.event import with_clock
from service.referee.inputs import Order
from service.referee.match import stop_clock
from service.referee.orders import REASON, interrupted, own_turn
from service.referee.refusal import OrderError
from service.referee.rulings import CLOCKS, check_setting, set_bank

WHOSE_CLOCK: Final = SideArg("side", "whose clock", True)
SECONDS: Final = NumberArg("bank", "seconds that are left", True, 0, 360_000)
RUNS: Final = SideArg("side", "whose clock runs; absent: whose it was")
KEPT_BY: Final = TextArg("clock", "ours, the club's own (external), or none", True, 40, CLOCKS)
PRESET: Final = TextArg(
    "preset", "how ours is set; absent: as the match was set", False, 40, tuple(clock_plans())
)
NEW_BANK: Final = NumberArg("bank", "seconds a side; absent: the preset's", False, 1, 86_400)
NEW_DELAY: Final = NumberArg("delay", "seconds of each move; absent: the preset's", False, 0, 3600)


def change_clock(draft: Draft, order: Order) -> None:
    """Play on with a clock, without one, or with another: only between games."""
    setting = draft.state.match.setting
    if setting is None:
        raise OrderError("no_match", "a match that is set", "none", "set a match first")
    kept_by, preset = KEPT_BY.of(order), PRESET.maybe(order)
    value: dict[str, Json] = {"clock": kept_by}
    if kept_by != "ours":
        value["preset"] = kept_by
    elif preset is None and draft.state.match.event.clock in clock_plans():
        value["preset"] = draft.state.match.event.clock
    elif preset is not None:
        value["preset"] = preset
    for arg in (NEW_BANK, NEW_DELAY):
        seconds = arg.maybe(order)
        if seconds is not None and kept_by == "ours":
            value[arg.name] = seconds
    check_setting(with_clock(setting, value))
    draft.say(e.MatchAmended("clock", value, setting.clock, REASON.of(order)))


def adjust_clock(draft: Draft, order: Order) -> None:
    """Set the time that is left to a side."""
    set_bank(draft, WHOSE_CLOCK.of(order), SECONDS.of(order), REASON.of(order))


def stop_clocks(draft: Draft, order: Order) -> None:
    """Let both clocks rest."""
    state = draft.state
    if order.by.role in (e.Role.PLAYER, e.Role.CLOCK):
        early = state.turn.premature is not None
        if not early or "pause" not in after_premature_roll(state.match.event.premature_roll):
            raise OrderError(
                "not_yours",
                "an arbiter, the director, an annotator or the console",
                "player",
                "call the director",
            )
        own_turn(order, interrupted(state))
    stop_clock(draft, REASON.of(order) or "ordered")


def start_clocks(draft: Draft, order: Order) -> None:
    """Let a clock run."""
    state = draft.state
    assert state.match.clock is not None
    side = RUNS.named(order, state.match.clock.running or state.game.on_roll)
    draft.say(e.ClockStarted(side, round(draft.now, 4), REASON.of(order) or "ordered"))
