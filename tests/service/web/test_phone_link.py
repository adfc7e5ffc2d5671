"""Two phones as the table's clock over a bad network: the page's own script in node, the table's
own half, link and referee, in simulated time.
"""

from __future__ import annotations

import heapq
import itertools
import json
import os
import random
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from service.journal.entries import PhonePressed, Role, Who
from service.referee.inputs import Order
from service.referee.state import State
from service.referee.step import step
from service.web.phone_clock import PhoneClock
from service.web.phone_link import NotALinkError, PhoneLink

HERE = Path(__file__).parent
CORE = HERE.parents[2] / "service/web/static/js/phone_core.js"
KEPT = HERE.parents[1] / "data/phone_link.json"
PRESSES = int(os.environ.get("PHONE_PRESSES", "1500"))
CLOCK = Who("clock", Role.CLOCK)


class Pages:
    """The pages' scripts of every phone, in one process of node."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            ["node", str(HERE / "phone_driver.mjs"), str(CORE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def do(self, act: str, phone: str, /, **more: Any) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        line = json.dumps({"do": act, "phone": phone, **more}).encode() + b"\n"
        self.process.stdin.write(line)
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def close(self) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    pages = Pages()
    yield pages
    pages.close()


@dataclass(frozen=True)
class Network:
    """A network: seconds there and back, and what it adds at random."""

    up: float = 0.1
    down: float = 0.1
    jitter: float = 0.05
    stalled: float = 0.05
    """Share of messages that wait another second; whatever follows waits behind them."""


@dataclass
class Evening:
    """Phones, a network and a table in simulated time."""

    pages: Pages
    path: Network
    seed: int
    now: float = 100.0
    state: State = field(default_factory=State)
    fingers: dict[tuple[str, int], float] = field(default_factory=dict)
    stored: list[PhonePressed] = field(default_factory=list)
    down_share: float = 0.005
    """Share of presses at which the table's process does not answer."""

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.events: list[tuple[float, int, Callable[[], None]]] = []
        self.order = itertools.count()

    def at(self, when: float, act: Callable[[], None]) -> None:
        heapq.heappush(self.events, (when, next(self.order), act))

    def run(self, until: float) -> None:
        while self.events and self.events[0][0] <= until:
            self.now, _, act = heapq.heappop(self.events)
            act()

    def take(self, device: str, number: int, what: str, at: float, doubt: float) -> None:
        """The referee's step for one press, as the table's process gives it."""
        args = {"device": device, "number": number, "pressed": what, "at": at, "doubt": doubt}
        outcome = step(self.state, Order("phone_press", args, CLOCK), self.now)
        self.state = outcome.state
        self.stored += [b for b in outcome.entries if isinstance(b, PhonePressed)]


class Phone:
    """One phone and its connection."""

    def __init__(self, evening: Evening, name: str, offset: float, drift: float) -> None:
        self.evening, self.name, self.offset, self.drift = evening, name, offset, drift
        self.clock = PhoneClock()
        self.link: PhoneLink | None = None
        self.life = 0
        self.arrives = {"up": 0.0, "down": 0.0}
        evening.pages.do("load", name)

    def ms(self) -> float:
        return (self.evening.now * (1 + self.drift) + self.offset) * 1000

    def connect(self) -> None:
        self.life += 1
        self.link = PhoneLink(self.clock, self.evening.now)
        self.arrives = dict.fromkeys(self.arrives, self.evening.now)
        self.send_up(self.evening.pages.do("open", self.name)["says"])
        self.ask(self.life)

    def cut(self, seconds: float) -> None:
        """The network is away: what was on its way is lost."""
        self.life += 1
        self.link = None
        self.evening.pages.do("close", self.name)
        self.evening.at(self.evening.now + seconds, self.connect)

    def press(self, what: str) -> None:
        number = 1 + max((n for d, n in self.evening.fingers if d == self.name), default=0)
        self.evening.fingers[self.name, number] = self.evening.now
        says = self.evening.pages.do("press", self.name, what=what, ms=self.ms())["says"]
        if self.link is not None:
            self.send_up(says)

    def travel(self, way: str, act: Callable[[], None]) -> None:
        """Something arrives later, after whatever left before it, unless the line is cut."""
        path, chance, life = self.evening.path, self.evening.random, self.life
        late = (path.up if way == "up" else path.down) + chance.uniform(0, path.jitter)
        late += 1.0 if chance.random() < path.stalled else 0.0
        self.arrives[way] = max(self.arrives[way] + 1e-6, self.evening.now + late)
        self.evening.at(self.arrives[way], lambda: act() if self.life == life else None)

    def ask(self, life: int) -> None:
        if self.life != life or self.link is None:
            return
        text, wait = self.link.due(self.evening.now)
        if text is not None:
            self.travel("down", lambda: self.hear(json.loads(text)))
        self.evening.at(self.evening.now + wait, lambda: self.ask(life))

    def hear(self, said: dict[str, Any]) -> None:
        self.send_up(self.evening.pages.do("heard", self.name, said=said, ms=self.ms())["says"])

    def send_up(self, says: list[dict[str, Any]]) -> None:
        for said in says:
            text = json.dumps(said)
            self.travel("up", lambda t=text: self.arrive(t))

    def arrive(self, text: str) -> None:
        assert self.link is not None
        for press in self.link.heard(text, self.evening.now):
            if self.evening.random.random() < self.evening.down_share:
                # The table's process is away: the line is dropped, the phone says it all again.
                self.cut(0.5)
                return
            self.evening.take(self.name, press.number, press.what, press.at, press.doubt)
            done = {"t": "done", "n": press.number}
            self.travel("down", lambda said=done: self.hear(said))


def played(pages: Pages, path: Network, presses: int, seed: int) -> Evening:
    """An evening of two phones whose network is cut again and again."""
    evening = Evening(pages, path, seed)
    phones = [
        Phone(evening, f"left-{seed}", 3.0, 1e-4),
        Phone(evening, f"right-{seed}", -3.0, -1e-4),
    ]
    for phone in phones:
        phone.connect()
    when = evening.now + 2.0
    for k in range(presses):
        when += evening.random.uniform(0.3, 1.2)
        phone = phones[k % 2]
        evening.at(when, lambda p=phone, w=("white", "black")[k % 2]: p.press(w))
    cut = evening.now + 60
    while cut < when:
        phone = evening.random.choice(phones)
        evening.at(cut, lambda p=phone: p.cut(20.0))
        evening.at(cut + 25, lambda p=phone: pages.do("load", p.name) and p.cut(0.5))
        cut += 200
    evening.run(when + 60)
    return evening


def test_no_press_is_lost_or_counts_twice_and_each_has_the_fingers_time(pages: Pages) -> None:
    evening = played(pages, Network(), PRESSES, 7)
    assert [(b.device, b.number) for b in evening.stored if b.device.startswith("left")] == [
        key for key in evening.fingers if key[0].startswith("left")
    ]
    assert {(b.device, b.number) for b in evening.stored} == set(evening.fingers)
    assert len(evening.stored) == len(evening.fingers) == PRESSES
    wrong = [abs(b.pressed_at - evening.fingers[b.device, b.number]) for b in evening.stored]
    assert max(wrong) <= 0.020, sorted(wrong)[-5:]
    assert all(w <= b.doubt for w, b in zip(wrong, evening.stored, strict=True))
    assert not any(pages.do("close", d)["waiting"] for d, _ in list(evening.fingers)[:2])


@pytest.mark.parametrize("path", [Network(0.02, 0.4), Network(0.4, 0.02), Network(0.0, 0.0, 0.3)])
def test_on_unequal_paths_the_press_says_its_doubt(pages: Pages, path: Network) -> None:
    seed = int(path.up * 100 + path.down * 10_000)
    evening = played(pages, path, 300, seed)
    assert {(b.device, b.number) for b in evening.stored} == set(evening.fingers)
    for b in evening.stored:
        assert abs(b.pressed_at - evening.fingers[b.device, b.number]) <= b.doubt + 1e-3
        assert b.doubt < 0.5


def test_a_clock_that_jumps_is_learnt_anew() -> None:
    clock = PhoneClock()
    for n in range(20):
        clock.add(10.0 + n, 100.0 + n, 100.02 + n)
    assert clock.time_of(29.5)[0] == pytest.approx(119.51, abs=0.005)
    for n in range(3):
        clock.add(500.0 + n, 130.0 + n, 130.02 + n)
    at, doubt = clock.time_of(502.0)
    assert at == pytest.approx(132.01, abs=0.005) and doubt < 0.02


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"t":"late"}',
        '{"t":"late","n":1,"ms":-1}',
        '{"t":"late","n":1.5,"ms":1}',
        '{"t":"press","n":1,"ms":1e300,"what":"white"}',
        '{"t":"press","n":1,"ms":1}',
        '{"t":"order","n":1,"ms":1}',
        '{"t":"late","n":true,"ms":1}',
        "[" * 9000,
    ],
)
def test_what_no_phone_of_ours_says_is_refused(text: str) -> None:
    with pytest.raises(NotALinkError):
        PhoneLink(PhoneClock(), 0.0).heard(text, 1.0)


def test_a_picture_comes_in_parts_and_never_more_than_was_announced() -> None:
    link = PhoneLink(PhoneClock(), 0.0)
    announce = '{"t":"picture","n":1,"ms":5,"size":70000}'
    assert not link.heard(announce, 1.0)
    assert link.part(b"a" * 60_000, 1.0) is None
    found = link.part(b"b" * 10_000, 1.0)
    assert found is not None and len(found.jpeg) == 70_000
    for wrong in (b"c", b""):
        with pytest.raises(NotALinkError):
            link.part(wrong, 1.0)
    link.heard(announce, 1.0)
    link.part(b"a" * 60_000, 1.0)
    with pytest.raises(NotALinkError):
        link.part(b"b" * 10_001, 1.0)
    with pytest.raises(NotALinkError):
        link.heard('{"t":"picture","n":1,"ms":5,"size":600000}', 1.0)


def test_more_than_a_megabyte_a_second_is_not_looked_at() -> None:
    link = PhoneLink(PhoneClock(), 0.0)
    looked = 0
    for k in range(100):
        now = k * 0.05
        link.heard(f'{{"t":"picture","n":{k},"ms":5,"size":60000}}', now)
        found = link.part(b"a" * 60_000, now)
        looked += bool(found and found.jpeg)
    assert 80 <= looked < 100


@pytest.mark.parametrize("case", json.loads(KEPT.read_text()), ids=lambda case: case["name"])
def test_both_halves_say_what_is_kept(case: dict[str, Any], pages: Pages) -> None:
    """The same talk, read by the page's half and by the table's."""
    name = f"kept-{case['name']}"
    pages.do("load", name, kept=case.get("kept"))
    clock = PhoneClock()
    link = PhoneLink(clock, case["steps"][0]["now"])
    presses = []
    for told in case["steps"]:
        if "phone" in told:
            found = pages.do(told["phone"], name, **told.get("args", {}))
            assert found == {"says": told["says"], "waiting": told["waiting"]}
            for said in told["says"] if told.get("arrives") else []:
                presses += link.heard(json.dumps(said), told["arrives"])
        else:
            text, _ = link.due(told["now"])
            assert (json.loads(text) if text else None) == told["asks"]
    assert [[p.number, p.what] for p in presses] == [[n, what] for n, what, *_ in case["presses"]]
    for found, (*_, at, doubt) in zip(presses, case["presses"], strict=True):
        assert (found.at, found.doubt) == pytest.approx((at, doubt), abs=2e-3)
