"""Where the page opens by itself, and where it must not."""

from __future__ import annotations

import pytest

from service.appliance.screen import has_screen

DESKTOP = {"DISPLAY": ":0"}
CASES = [
    (DESKTOP, "linux", True, True),
    ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True, True),
    ({}, "darwin", True, True),
    ({}, "linux", True, False),
    (DESKTOP, "linux", False, False),
    ({**DESKTOP, "TAKHTE_NO_BROWSER": "1"}, "linux", True, False),
    ({**DESKTOP, "SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}, "linux", True, False),
]


@pytest.mark.parametrize(("environ", "platform", "interactive", "opens"), CASES)
def test_a_browser_opens_only_before_somebodys_eyes(
    environ: dict[str, str], platform: str, interactive: bool, opens: bool
) -> None:
    assert has_screen(environ, platform, interactive=interactive) is opens
