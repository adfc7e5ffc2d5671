"""Whatever a table is told, in whatever order: nothing is lost, nothing crashes, the journal says
it all.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.board import Side
from rules.dice import ROLLS, Roll
from rules.judge import judge
from rules.observation import CubeOwner
from rules.play import Play, plays
from service.journal.chain import Entry, chain, checked_entries
from service.journal.codec import canonical
from service.journal.entries import Body, Role, Who
from service.journal.entry import DiceOrigin as Origin
from service.reconcile import (
    Agreed,
    Ambiguous,
    Blind,
    Differs,
    DoesNotMatch,
    Explanation,
    Illegal,
    Matches,
    NoDice,
    Pending,
    RollProblem,
    RollRead,
    Unseen,
)
from service.referee.inputs import (
    CubeWatched,
    Input,
    Judged,
    NextRollWatched,
    OpeningWatched,
    Order,
    PlacementWatched,
    Press,
    RollWatched,
    SourceChanged,
    Tick,
)
from service.referee.order_table import ORDERS
from service.referee.refusal import OrderError
from service.referee.state import Phase, State
from service.referee.step import replay, step
from service.show.compose import table_document
from service.show.scene import lights, scene_document

RULESETS = ("backgammon", "nard", "nard-himly", "nard-bozorgmehr", "narde")
WHOS = (
    Who("c", Role.CONSOLE),
    Who("d", Role.DIRECTOR),
    Who("", Role.PLAYER, Side.WHITE),
    Who("", Role.PLAYER, Side.BLACK),
    Who("n", Role.ANNOTATOR),
)


@dataclass
class Story:
    """A table told one thing after another; remembers what it was told and what it said."""

    state: State = field(default_factory=State)
    now: float = 0.0
    told: list[tuple[float, Input]] = field(default_factory=list)
    said: list[tuple[float, float, Who, Body]] = field(default_factory=list)

    def tell(self, given: Input, wait: float = 0.0) -> None:
        self.now = round(self.now + wait, 3)
        self.told.append((self.now, given))
        before = self.state
        try:
            outcome = step(self.state, given, self.now)
        except OrderError as error:
            assert str(error) and isinstance(given, Order)
            return
        self.state = outcome.state
        self.said += [(max(self.now, before.at), 0.0, outcome.by, b) for b in outcome.entries]
        if any(b.kind == "illegal_noticed" for b in outcome.entries):
            assert before.phase is Phase.PRESSED

    def journal(self) -> list[tuple[Entry, bytes]]:
        return list(chain(self.said))


def told_by(draw: st.DrawFn, state: State) -> Input:
    """Something that could be told in this state, sensible or not."""
    position = None
    if state.game.placement is not None and state.match.ruleset is not None:
        position = state.position()
    choice = draw(st.integers(0, 15))
    side = draw(st.sampled_from(Side))
    roll = draw(st.sampled_from(ROLLS))
    if choice == 0 or position is None:
        return draw(
            st.sampled_from(
                [
                    Tick(),
                    PlacementWatched(Matches(0.99)),
                    PlacementWatched(DoesNotMatch((3, 4), 0.9)),
                    PlacementWatched(Unseen("hand")),
                    Order("start_game", {}, WHOS[0]),
                    OpeningWatched((roll.high,), (roll.low,), 0.99),
                    OpeningWatched((), (), 0.0),
                    OpeningWatched((), (), 0.5, "unread", (((roll.high,), (roll.low,)),)),
                    Order("declare_roll", {"white": roll.high, "black": roll.low}, WHOS[0]),
                    Order("declare_roll", {"white": [6, 5], "black": [1, 2]}, WHOS[0]),
                ]
            )
        )
    if choice <= 2:
        seen = draw(
            st.sampled_from(
                [
                    RollRead(roll, 0.98),
                    NoDice(),
                    RollProblem("cocked", 0.9),
                    RollProblem("on_checker", 0.9),
                ]
            )
        )
        return draw(st.sampled_from([RollWatched(seen), NextRollWatched(seen), RollWatched(seen)]))
    if choice <= 4:
        return Press(
            draw(st.sampled_from([state.game.on_roll, state.game.on_roll, side])),
            state.at + draw(st.floats(-1, 1)),
        )
    if choice <= 9:
        return Judged(verdict_of(draw, state, position, state.turn.roll or roll))
    if choice == 10:
        return draw(
            st.sampled_from(
                [
                    CubeWatched(state.game.cube * 2, CubeOwner.CENTRE, 0.99),
                    CubeWatched(state.game.cube * 2, CubeOwner(side.value), 0.99),
                    CubeWatched(None, CubeOwner.FIELD, state.at, (None, CubeOwner.CENTRE)),
                    CubeWatched(None, CubeOwner.CENTRE, state.at + 0.1, (None, CubeOwner.FIELD)),
                    SourceChanged("camera", side is Side.WHITE, "x"),
                ]
            )
        )
    return order_of(draw, state, position, roll, side)


def verdict_of(draw: st.DrawFn, state: State, position: Any, roll: Roll) -> Any:
    found = sorted(plays(position, roll), key=str)
    play = draw(st.sampled_from(found))
    other = draw(st.sampled_from(found))
    wrong = play.placement.moved(
        position.side, *draw(st.sampled_from([(6, 5), (13, 1), (24, 20), (8, 25), (1, 0)]))
    )
    infraction = judge(position, roll, wrong)
    explanations = (
        Explanation("turn", play.placement, 0.9, ((roll, play),)),
        Explanation("set", other.placement, 0.1),
    )
    options: list[Any] = [
        Agreed(play, roll, draw(st.sampled_from(Origin)), 0.999, {"rows": [[1, 2]]}),
        Agreed(play, roll, Origin.READ, 0.999),
        Ambiguous(((play, roll, 0.6), (other, roll, 0.4))),
        Differs(explanations, (6, 8)),
        Differs(explanations, (6, 8), certain=explanations[0]),
        Pending("nothing_moved"),
        Blind((), "nothing"),
    ]
    if not isinstance(infraction, Play):
        options += [Illegal(infraction, wrong, roll, 0.99)] * 3
    return draw(st.sampled_from(options))


def order_of(draw: st.DrawFn, state: State, position: Any, roll: Roll, side: Side) -> Order:
    play = draw(st.sampled_from(sorted(plays(position, state.turn.roll or roll), key=str)))
    placement = {"white": list(play.placement.white), "black": list(play.placement.black)}
    args: dict[str, Any] = {
        "side": side.value,
        "roll": [roll.high, roll.low],
        "placement": placement,
        "on_roll": side.value,
        "level": 1,
        "index": 0,
        "bank": 30.0,
        "penalty": draw(st.sampled_from(["warning", "time", "points", "game", "match"])),
        "amount": 1,
        "text": "so be it",
        "ruling": state.match.rulings[-1].seq if state.match.rulings else 1,
        "alert": state.alerts[-1].alert if state.alerts else "a1",
        "what": draw(st.sampled_from(["white", "length", "score", "seating"])),
        "reason": "why",
        "winner": side.value,
        "seq": state.match.plays[-1].seq if state.match.plays else 1,
        "rewind": draw(st.booleans()),
    }
    args["value"] = {
        "white": "Zoë",
        "length": 3,
        "score": [1, 0],
        "seating": {"white": "dark", "home": "north-west"},
    }[args["what"]]
    name = draw(st.sampled_from(sorted(set(ORDERS) - {"set_match", "end_match"})))
    keep = draw(st.sets(st.sampled_from(sorted(args)), max_size=3))
    given = {k: v for k, v in args.items() if k not in keep}
    return Order(name, DeclaredArgs(name, given), draw(st.sampled_from(WHOS)))


class DeclaredArgs(dict[str, Any]):
    """Arguments of an order: only those that its row of the table declares may be read."""

    def __init__(self, order: str, given: dict[str, Any]) -> None:
        super().__init__(given)
        self.declared = {arg.name for arg in ORDERS[order].args}

    def get(self, key: str, default: Any = None) -> Any:
        assert key in self.declared, f"{key} is read and not declared"
        return super().get(key, default)


@st.composite
def stories(draw: st.DrawFn) -> Story:
    story = Story()
    event: dict[str, Any] = {
        "play": {
            "monitor": draw(st.sampled_from(["board", "arbiter", "silent", "teaching"])),
            "illegal_limit": 1,
        },
        "dice": {
            "premature_roll": draw(st.sampled_from(["opponent_chooses", "stands", "clock_pause"]))
        },
        "clock": {
            "preset": draw(st.sampled_from(["us-delay", "iran", "seed-fischer"])),
            "at_flag": draw(st.sampled_from(["director", "automatic"])),
        },
    }
    setting = {
        "ruleset": draw(st.sampled_from(RULESETS)),
        "length": draw(st.sampled_from([1, 3, 7])),
        "clock": draw(st.sampled_from(["ours", "none"])),
        "event": event,
        "white": "Ana",
        "black": "Bahram",
    }
    story.tell(Order("set_match", setting, WHOS[0]))
    assert story.state.phase is Phase.SETTING_UP
    if draw(st.booleans()):
        story.tell(Order("start_game", {"starter": "white"}, WHOS[0]))
    for _ in range(draw(st.integers(5, 40))):
        story.tell(
            told_by(draw, story.state), draw(st.sampled_from([0.0, 0.05, 0.4, 1.0, 1.0, 3.5, 40.0]))
        )
    return story


@settings(max_examples=60, deadline=None, derandomize=True)
@given(stories())
def test_whatever_is_told(story: Story) -> None:
    state, journal = story.state, story.journal()
    # The journal alone gives the same state, and every line reads back.
    assert replay(e for e, _ in journal) == state
    assert [e for e, _ in journal] == list(
        checked_entries((e.seq, text, e.hash) for e, text in journal)
    )
    # The same told again says the same, to the byte.
    again = Story()
    for now, what in story.told:
        again.now = now
        again.tell(what)
    assert [text for _, text in again.journal()] == [text for _, text in journal]
    # Checkers are neither made nor lost, and a position is there to play on from.
    if state.game.placement is not None and state.match.ruleset is not None:
        assert (
            state.game.placement.total(Side.WHITE)
            == state.game.placement.total(Side.BLACK)
            == state.match.ruleset.checkers
        )
        state.position()
    # Everything can be shown.
    seen = table_document(state, story.now, scene_document(state, story.now))
    json.loads(canonical(seen))
    assert seen["waits_for"]["code"]
    assert lights(replace(state, lost={"camera": "x"})).lights
