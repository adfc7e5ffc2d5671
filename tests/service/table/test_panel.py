"""A clock panel on this machine's own pins: its presses reach the game in table time, and what it
cannot have is said.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory

from firmware_bridge.panel_pins import PanelPins
from service.journal.store import Reader, Store
from service.settings import Settings
from service.settings_table import MatchSettings
from service.table import opening
from service.table import world as worlds
from service.table.process import Table

CONSOLE = {"role": "console", "name": ""}


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[Settings]:
    begins = Settings(match=MatchSettings(begins=True))
    yield begins.with_values(table_data=str(tmp_path), panel_gpio="mock")
    if isinstance(Device.pin_factory, MockFactory):
        Device.pin_factory.reset()
    Device.pin_factory = None


def test_a_press_on_the_panel_ends_the_turn(settings: Settings) -> None:
    table = Table(settings, Store.open(settings.journal), worlds.world_of(settings, None), None)
    now = table.now
    opening.declare(table.core, settings, table.world, now)
    table.core.order("start_game", {"starter": "white"}, CONSOLE, now, lambda _: None)
    table.core.order("declare_roll", {"roll": [6, 5]}, CONSOLE, now, lambda _: None)
    assert Device.pin_factory is not None
    pin = Device.pin_factory.pin(PanelPins().south)
    pin.drive_low()
    # gpiozero debounces in a thread of its own.
    end = time.monotonic() + 60
    while table.core.session.state.phase.value == "moving" and time.monotonic() < end:
        table._tick(table.now)
    pressed_at = table.core.session.state.match.pressed_at
    table._close()
    with Reader(settings.journal) as reader:
        [press] = [e for e in reader.read() if e.body.kind == "pressed"]
    assert press.body.side.value == "white"  # type: ignore[attr-defined]
    assert now <= pressed_at <= press.at


def test_without_pins_the_table_starts_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "lgpio")
    Device.pin_factory = None
    settings = Settings().with_values(table_data=str(tmp_path), panel_gpio="pi")
    if list(Path("/dev").glob("gpiochip*")):
        pytest.skip("this machine has pins")
    assert worlds.world_of(settings, None).panel is None
    assert "starts without its clock panel" in caplog.text
