"""Stories told in lines, and what the record may say of them.

A story is data (`session/data/stories/*.toml`): who threw, moved, pressed, laid what where, one
line each. It is told to a session through honest sensors (both, or the camera alone), while the
teller keeps the truth by the rules alone: it shares no code with the referee. `story_faults` holds
the record against it.

A line is `#` and a comment, or one of these, `W` or `B` being a side:

    W 31 [HOW]                 throws into its right half, or HOW: loose (anywhere), left (the wrong
                               half), at E N, one (die seen), unread, unseen, cocked
    dice become 41             dice that lie there are turned; or pushed across, or a strange third
    W also 66                  throws while the other dice still lie there
    W: 8/5 6/5 [N s]           moves in its own numbering, a hand over the board meanwhile
    W turn 31 8/5 6/5          throws, moves, ends its turn as this table does, and it is done
    W done                     this was its play: what stands there, by its last throw
    W wrong                    what stands there now is illegal, and noticing it is no false word
    W right                    it is put right
    W press [N]   W offers   W takes   W drops        its button or its tablet
    W nudges B 12/11           shifts a checker of either side in passing; nobody says so
    W lifts W 4 / W lays W 4   a checker in the hand, and where it belongs meanwhile
    opening 3 1 [one]          each side throws a die; Black's alone is seen
    wait N   lift   hand   away   restart   set up     time, dice, hands, process, checkers
    stand to W | W 8:2 | B 6:1 a position that everybody agreed on
    typed W 8/7                the position is typed in with one checker said elsewhere
    typed play 31 8/4 6/5      a play is typed in that is not what stands there
    cube 2 black | in a hand   the cube lies so from now on; ? its number is not to be read
    camera gone                or the board; back, reads W 8 as 1, reads right, late N, frozen,
                               thawed, upside down, a point off, straight, any condition of an
                               observation, sees
    order NAME key=value ...   what somebody says to the table
    won W                      this side has won the game
    slow W                     this side really was slow: it may be said
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from rules.board import OFF, Placement, Side
from rules.dice import Roll
from rules.infraction import Infraction
from rules.judge import judge
from rules.observation import CubeOwner, DieReading, DieStatus
from rules.position import Position, PositionError
from service.referee.refusal import OrderError
from service.referee.step import replay
from service.session.step import Session
from tests.service.hands import begun, cube_reading, die, player
from tests.service.story import Story, TruePlay, Truth
from tests.service.telling_hands import SIDES, TellingHands, site_of


class Teller:
    """Tells one story, line by line, and keeps the truth of it."""

    def __init__(self, story: Story, sensors: str) -> None:
        self.story, self.sensors, self.truth = story, sensors, Truth()
        self.hands = hands = TellingHands(board=sensors == "both")
        setting: dict[str, Any] = {
            "ruleset": story.ruleset,
            "length": story.length or None,
            "clock": story.clock,
            "event": story.event,
        }
        if story.open:
            hands.set_up(**setting)
        else:
            begun(hands, SIDES[story.first], **setting)
        if story.clock == "ours" and not story.open:
            hands.order("start_clocks", side=SIDES[story.first].value)
        self.side = SIDES[story.first]
        self.proper = self.before = hands.placement
        self.began = hands.now
        self.moved_at = hands.now
        self.wrong_at: float | None = None
        self.lifted: list[tuple[Side, int]] = []
        self.first_turns = {Side.WHITE: True, Side.BLACK: True}

    def tell(self) -> None:
        for number, text in enumerate(self.story.lines.strip().splitlines(), 1):
            line = text.split("#")[0].strip()
            if not line:
                continue
            for pattern, act in LINES:
                found = re.fullmatch(pattern, line)
                if found:
                    act(self, **{k: v for k, v in found.groupdict().items() if v is not None})
                    break
            else:
                raise ValueError(f"{self.story.name}, line {number}: no such line: {line}")
        if self.truth.plays and not any(t[0] > self.moved_at for t in self.truth.throws):
            # Somebody takes up the dice of the last play told.
            self.hands.lift()
        self.hands.wait(3.0)

    # Dice.

    def throw(self, s: str, roll: str, how: str = "") -> None:
        side, faces = SIDES[s], [int(roll[0]), int(roll[1])]
        self.hands.dice = ()
        self.hands.hand_over = True
        self.hands.wait(0.6)
        self.hands.hand_over = False
        self.hands.dice = self._dice(side, faces, how)
        if "cocked" not in how:
            self._thrown(side, Roll.of(*faces))
        self.hands.wait(1.2)

    def _dice(self, side: Side, faces: list[int], how: str) -> tuple[DieReading, ...]:
        where = [self.hands.where(side.other if how == "left" else side, 2 * n) for n in (0, 1)]
        if how == "loose":
            other = self.hands.where(side.other)
            where = (
                [other, where[1]]
                if self.hands.throws % 2
                else [other, self.hands.where(side.other, 2)]
            )
        if how.startswith("at "):
            _, east, north = how.split()
            where = [(float(east), float(north)), (float(east) + 0.07, float(north) + 0.11)]
        dice = [die(face, place) for face, place in zip(faces, where, strict=True)]
        if how == "unseen":
            dice = []
        if how == "one":
            # One lies behind the other, unseen.
            dice = dice[:1]
        if how == "cocked":
            dice[1] = die(faces[1], where[1], DieStatus.COCKED)
        if how == "unread":
            dice = [DieReading(d.where, (1.0,) * 6, {DieStatus.FLAT: 1.0}) for d in dice]
        return tuple(dice)

    def _thrown(self, side: Side, roll: Roll) -> None:
        self.truth.throws.append((self.hands.now, side, roll))

    def also(self, s: str, roll: str) -> None:
        side, faces = SIDES[s], [int(roll[0]), int(roll[1])]
        self.hands.dice = (*self.hands.dice, *self._dice(side, faces, ""))
        self._thrown(side, Roll.of(*faces))
        self.hands.wait(1.2)

    def dice_change(self, how: str, roll: str = "") -> None:
        """The dice that lie there are turned to other faces, pushed to the other half, or a
        stranger lies beside them.
        """
        lying = self.hands.dice
        match how:
            case "become":
                lying = tuple(die(int(f), d.where) for f, d in zip(roll, lying, strict=True))
            case "pushed":
                lying = tuple(
                    replace(d, where=((d.where[0] + 0.5) % 1.0, d.where[1])) for d in lying
                )
            case "strange":
                lying = (*lying, die(6, (0.03, 0.03)))
        self.hands.dice = lying
        self.hands.wait(1.2)

    def opening(self, white: str, black: str, one: str = "") -> None:
        if one:
            self.hands.dice = (die(int(black), self.hands.where(Side.BLACK)),)
            self.hands.wait(1.5)
        else:
            self.hands.throw_opening(int(white), int(black))
        self.truth.openings.append((int(white), int(black)))
        self.side = Side.WHITE if int(white) > int(black) else Side.BLACK
        self._thrown(self.side, Roll.of(int(white), int(black)))

    # Checkers.

    def moves(self, s: str, moves: str, n: str = "1.2") -> None:
        side = SIDES[s]
        pairs = [(site_of(a), site_of(b)) for a, b in (m.split("/") for m in moves.split())]
        self.proper = self._after(self.proper, side, pairs)
        self.hands.put(self._after(self.hands.placement, side, pairs), float(n))
        self.moved_at = self.hands.now - float(n)

    def _after(self, placement: Placement, side: Side, pairs: list[tuple[int, int]]) -> Placement:
        held, self.hands.placement = self.hands.placement, placement
        after = self.hands.moved(*pairs, side=side)
        self.hands.placement = held
        return after

    def turn(self, s: str, roll: str, moves: str = "") -> None:
        self.throw(s, roll)
        if moves:
            self.hands.wait(0.5)
            self.moves(s, moves)
        if self.story.clock == "ours":
            self.press(s)
        self.done(s)

    def done(self, s: str) -> None:
        side, hands = SIDES[s], self.hands
        since = next((p.ended for p in reversed(self.truth.plays) if p.side is side), 0.0)
        mine = [roll for at, who, roll in self.truth.throws if who is side and at >= since]
        stands = self.whole(hands.placement)
        either = tuple(dict.fromkeys((stands, self.whole(self.proper))))
        thrown = mine[-1] if mine else None
        play = TruePlay(side, thrown, either, self.began, hands.now, self.wrong_at)
        if play.wrong_at is None and self._is_wrong(play):
            raise ValueError(
                f"{self.story.name}: {s}'s play is illegal, and no `{s} wrong` says so"
            )
        self.truth.plays.append(play)
        self.first_turns[side] = False
        self.before, self.began, self.wrong_at = self.whole(self.proper), hands.now, None

    def whole(self, placement: Placement) -> Placement:
        """A placement with what is in a hand where it belongs."""
        for side, site in self.lifted:
            counts = list(placement.counts(side))
            counts[site] += 1
            placement = placement.with_counts(side, tuple(counts))
        return placement

    def _is_wrong(self, play: TruePlay) -> bool:
        ruleset = self.hands.state.match.ruleset
        assert ruleset is not None
        if play.roll is None:
            return play.stands[-1] != self.before
        try:
            position = Position.of(self.before, ruleset, play.side, self.first_turns[play.side])
        except PositionError:
            return False
        return isinstance(judge(position, play.roll, play.stands[-1]), Infraction)

    def wrong(self, s: str) -> None:
        self.wrong_at = self.moved_at

    def right(self, s: str) -> None:
        """What was illegal is put right; that it was noticed meanwhile was no false word."""
        assert self.wrong_at is not None
        self.truth.put_right.append((SIDES[s], self.wrong_at))
        self.wrong_at = None

    def nudges(self, s: str, side: str, a: str, b: str) -> None:
        who = SIDES[side]
        here, there = (self.hands.site(who, site_of(each)) for each in (a, b))
        self.hands.put(self.hands.placement.moved(who, here, there))

    def lifts(self, s: str, side: str, a: str) -> None:
        who = SIDES[side]
        site = self.hands.site(who, site_of(a))
        counts = list(self.hands.placement.counts(who))
        counts[site] -= 1
        proper = list(self.proper.counts(who))
        proper[site] -= 1
        self.proper = self.proper.with_counts(who, tuple(proper))
        self.lifted.append((who, site))
        self.hands.put(self.hands.placement.with_counts(who, tuple(counts)))

    def lays(self, s: str, side: str, a: str) -> None:
        who = SIDES[side]
        site = self.hands.site(who, site_of(a))
        self.lifted.remove((who, site))
        counts = list(self.hands.placement.counts(who))
        counts[site] += 1
        proper = list(self.proper.counts(who))
        proper[site] += 1
        self.proper = self.proper.with_counts(who, tuple(proper))
        self.hands.put(self.hands.placement.with_counts(who, tuple(counts)))

    def stand(self, to: str, white: str, black: str) -> None:
        total = self.hands.state.match.ruleset
        assert total is not None
        whites, blacks = _counts(white), _counts(black)
        whites[OFF] = total.checkers - sum(whites.values())
        placed = {self.hands.site(Side.BLACK, p): n for p, n in blacks.items()}
        placed[OFF] = total.checkers - sum(placed.values())
        self.hands.placement = Placement.of(whites, placed)
        self.order("set_position", **_json(self.hands.placement), on_roll=SIDES[to].value)
        self.proper = self.before = self.hands.placement
        self.side, self.first_turns = SIDES[to], {Side.WHITE: False, Side.BLACK: False}
        self.hands.wait(1.5)
        self.began = self.hands.now

    def set_up(self) -> None:
        ruleset = self.hands.state.match.ruleset
        assert ruleset is not None
        self.hands.dice = ()
        self.hands.put(Position.start(ruleset, Side.WHITE).placement, 2.5)
        self.proper = self.before = self.hands.placement
        self.first_turns = {Side.WHITE: True, Side.BLACK: True}
        self.began = self.hands.now

    # Presses and words.

    def press(self, s: str, n: str = "2") -> None:
        self.hands.press(SIDES[s], seconds=float(n))

    def typed(self, side: str, a: str, b: str) -> None:
        who = SIDES[side]
        said = self.hands.placement.moved(
            who, self.hands.site(who, site_of(a)), self.hands.site(who, site_of(b))
        )
        self.truth.said.append(self.hands.now)
        self.order("set_position", **_json(said), on_roll=self.hands.state.game.on_roll.value)
        self.hands.wait(1.5)

    def typed_play(self, roll: str, moves: str) -> None:
        pairs = [(site_of(a), site_of(b)) for a, b in (m.split("/") for m in moves.split())]
        said = self._after(self.before, self.hands.state.game.on_roll, pairs)
        self.truth.said.append(self.hands.now)
        self.order("declare_play", **_json(said), roll=[int(roll[0]), int(roll[1])])
        self.hands.wait(1.5)

    def says(self, s: str, word: str) -> None:
        name = {"offers": "offer", "takes": "take", "drops": "drop"}[word]
        self.truth.cube.append((name, SIDES[s]))
        try:
            self.hands.order(name, by=player(SIDES[s]))
        except OrderError as error:
            self.truth.refused.append(f"{s} {word}: {error}")
        self.hands.wait(1.0)

    def turns_cube(self, s: str, word: str) -> None:
        """The cube itself is moved: an offer or a take, by hand and without a word."""
        self.truth.cube.append((word, SIDES[s]))

    def order(self, name: str, args: str = "", **more: Any) -> None:
        pairs = (pair.split("=") for pair in args.split())
        given = {key: int(value) if value.isdigit() else value for key, value in pairs}
        self.hands.order(name, **given, **more)
        self.hands.wait(0.3)

    # The world.

    def no_cube(self) -> None:
        """The cube is in a hand."""
        self.hands.cube = None
        self.hands.wait(0.2)

    def cube(self, value: str, owner: str) -> None:
        self.hands.cube = cube_reading(None if value == "?" else int(value), CubeOwner(owner))
        self.hands.wait(0.2)

    def eye(self, name: str, does: str) -> None:
        """A source goes, comes back, or sees otherwise from now on."""
        self.hands.change_eye(name, does)

    def wait(self, n: str) -> None:
        self.hands.wait(float(n))

    def lift(self) -> None:
        self.hands.lift()

    def hand(self) -> None:
        self.hands.hand_over = True
        self.hands.wait(0.3)

    def away(self) -> None:
        self.hands.hand_over = False
        self.hands.wait(0.3)

    def restart(self) -> None:
        self.hands.session = Session(replay(self.hands.entries))
        for eye in self.hands.eyes.values():
            eye.queue.clear()
        self.hands.wait(1.0)

    def won(self, s: str) -> None:
        self.truth.winners.append(SIDES[s])

    def slow(self, s: str) -> None:
        self.truth.slow.add(SIDES[s])


SITE = r"(?:\d+|bar|off)"
MOVES = rf"{SITE}/{SITE}(?: {SITE}/{SITE})*"
S = r"(?P<s>[WB])"
LINES: list[tuple[str, Any]] = [
    (
        rf"{S} (?P<roll>\d\d)(?: (?P<how>loose|left|unread|unseen|one|cocked|at [\d.]+ [\d.]+))?",
        Teller.throw,
    ),
    (rf"{S} also (?P<roll>\d\d)", Teller.also),
    (rf"{S}: (?P<moves>{MOVES})(?: (?P<n>[\d.]+) s)?", Teller.moves),
    (rf"{S} turn (?P<roll>\d\d)(?: (?P<moves>{MOVES}))?", Teller.turn),
    (r"dice (?P<how>become|pushed|strange)(?: (?P<roll>\d+))?", Teller.dice_change),
    (rf"{S} done", Teller.done),
    (rf"{S} wrong", Teller.wrong),
    (rf"{S} right", Teller.right),
    (rf"{S} press(?: (?P<n>[\d.]+))?", Teller.press),
    (rf"{S} (?P<word>offers|takes|drops)", Teller.says),
    (rf"{S} cube (?P<word>offer|take|drop)", Teller.turns_cube),
    (rf"{S} nudges (?P<side>[WB]) (?P<a>{SITE})/(?P<b>{SITE})", Teller.nudges),
    (rf"{S} lifts (?P<side>[WB]) (?P<a>{SITE})", Teller.lifts),
    (rf"{S} lays (?P<side>[WB]) (?P<a>{SITE})", Teller.lays),
    (r"opening (?P<white>\d) (?P<black>\d)(?P<one> one)?", Teller.opening),
    (r"wait (?P<n>[\d.]+)", Teller.wait),
    (r"lift", Teller.lift),
    (r"hand", Teller.hand),
    (r"away", Teller.away),
    (r"restart", Teller.restart),
    (r"set up", Teller.set_up),
    (r"stand to (?P<to>[WB]) \| W (?P<white>[\d: bar]+?) \| B (?P<black>[\d: bar]+)", Teller.stand),
    (rf"typed (?P<side>[WB]) (?P<a>{SITE})/(?P<b>{SITE})", Teller.typed),
    (rf"typed play (?P<roll>\d\d) (?P<moves>{MOVES})", Teller.typed_play),
    (r"cube (?P<value>\d+|\?) (?P<owner>white|black|centre|field)", Teller.cube),
    (r"cube in a hand", Teller.no_cube),
    (r"(?P<name>camera|board) (?P<does>.+)", Teller.eye),
    (r"order (?P<name>\w+)(?: (?P<args>.+))?", Teller.order),
    (rf"won {S}", Teller.won),
    (rf"slow {S}", Teller.slow),
]


def _counts(text: str) -> dict[int, int]:
    return {site_of(p): int(n) for p, n in (pair.split(":") for pair in text.split())}


def _json(placement: Placement) -> dict[str, Any]:
    return {"placement": {"white": list(placement.white), "black": list(placement.black)}}
