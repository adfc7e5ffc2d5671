"""The board as text, for `takhte board monitor`: pure, a picture of one moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.clock_panel import Button
from firmware_bridge.link_events import LinkStatistics
from firmware_bridge.messages import Hello
from firmware_bridge.sensor_health import Health, SensorHealth
from rules.board import BAR, Seating, Site
from rules.observation import Observation

SURE: Final = 0.9
"""A count less likely than this is shown with a question mark."""


FEW: Final = 4
"""So many sensors are told one by one: a board of which one quadrant is built lacks a hundred, and
the picture must stay on the screen."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What a monitor knows now; None or empty where nothing came yet."""

    hello: Hello | None
    problem: str | None
    observation: Observation | None
    health: SensorHealth | None
    statistics: LinkStatistics
    presses: tuple[str, ...]
    calibrated: str


def board_picture(board: BoardSpec, seating: Seating, moment: Moment) -> str:
    """Some twenty lines: the board as South sees it, the link, the sensors that are not well, the
    last presses.
    """
    lines = [_head(moment), ""]
    lines += _field(seating, moment.observation)
    lines += ["", _link_line(moment.statistics), *_health_lines(board, moment.health)]
    lines += [
        f"presses: {', '.join(moment.presses[-6:])}" if moment.presses else "presses: none yet"
    ]
    return "\n".join(lines)


def press_text(button: int, down: bool) -> str:
    name = (
        Button(button).name.lower() if button in Button._value2member_map_ else f"button {button}"
    )
    return f"{name} {'down' if down else 'up'}"


def _head(moment: Moment) -> str:
    if moment.hello is None:
        return f"no board: {moment.problem or 'looking'}"
    h = moment.hello
    link = "linked" if moment.problem is None else f"LOST: {moment.problem}"
    return (
        f"board {h.uid.hex()}, firmware {h.firmware >> 8}.{h.firmware & 255} ({h.build:08x}),"
        f" {moment.calibrated}; {link}"
    )


def _cell(observation: Observation | None, site: Site) -> str:
    reading = observation.at(site) if observation else None
    if reading is None or not reading.outcomes:
        return "  ?"
    total = sum(p for _, _, p in reading.outcomes)
    white, black, p = max(reading.outcomes, key=lambda outcome: outcome[2])
    text = (
        f"{white}O{black}X"
        if white and black
        else f"{white}O"
        if white
        else f"{black}X"
        if black
        else "."
    )
    return f"{text + ('' if p / total >= SURE else '?'):>3}"


def _field(seating: Seating, observation: Observation | None) -> list[str]:
    def row(points: range) -> tuple[str, str]:
        sites = [seating.site(p) for p in points]
        names, cells = (
            [f"{site:>3}" for site in sites],
            [_cell(observation, site) for site in sites],
        )
        join = " ".join
        return (
            f"{join(names[:6])}  |     |  {join(names[6:])}",
            f"{join(cells[:6])}  |{{}}|  {join(cells[6:])}",
        )

    north_names, north = row(range(13, 25))
    south_names, south = row(range(12, 0, -1))
    state = "nothing sensed yet" if observation is None else observation.condition.value
    bar = _cell(observation, BAR).center(5)
    words = f"   O white, X black, ? in doubt; {state}"
    return [
        north_names,
        north.format("     "),
        f"{'':>26}bar",
        south.format(bar),
        south_names,
        words,
    ]


def _link_line(s: LinkStatistics) -> str:
    bad = s.damaged + s.board_rx_bad
    return (
        f"link: {s.frames} frames, {bad} damaged, {s.frames_missed} missed, {s.retries} of"
        f" {s.commands} commands repeated, {s.board_rx_overrun} overruns, round trip"
        f" {s.rtt_s * 1000:.1f} ms, {s.losses} losses"
    )


def spans(numbers: Sequence[int]) -> str:
    """Ascending numbers as a person lists them: 3, 5-9."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def _where(board: BoardSpec, number: int) -> str:
    place = board.sensors.places[number]
    if place.role == "bar":
        return "on the bar"
    return f"at geometric point {place.site}, {place.slot + 1} from the rim"


def _health_lines(board: BoardSpec, health: SensorHealth | None) -> list[str]:
    if health is None:
        return []
    lines = [str(finding) for finding in health.rows]
    for state in (Health.STUCK, Health.NOISY, Health.OFF_ZERO):
        numbers = [n for n in health.bad if health.health[n] is state]
        if len(numbers) > FEW:
            lines.append(f"sensors {spans(numbers)}: {state.value}")
        else:
            lines += [f"sensor {n} {_where(board, n)}: {state.value}" for n in numbers]
    if not health.divider_ok:
        lines.append("the test divider reads wrong: a multiplexer does not count right")
    counted = sum(state is Health.GOOD for state in health.health)
    return lines or [f"sensors: {counted} of {len(health.health)} channels well"]
