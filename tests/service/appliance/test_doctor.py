"""The doctor: what the settings ask for and is not there is a problem with a next step; nothing
else is.
"""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from service.appliance import doctor
from service.cli import main
from service.settings import Settings

PROBLEMS = {
    "a camera that is not there": ({"camera_source": "7"}, "camera", "/dev/video7 is not there"),
    "a device that is not there": (
        {"camera_source": "/dev/video9"},
        "camera",
        "plug the camera in",
    ),
    "a file that is not there": ({"camera_source": "no-such.mp4"}, "camera", "no file"),
    "an address that does not answer": (
        {"camera_source": "http://127.0.0.1:1/stream"},
        "camera",
        "does not answer",
    ),
    "an address without a host": ({"camera_source": "rtsp://"}, "camera", "no host"),
    "a port that is not there": (
        {"board_address": "/dev/ttyACM77"},
        "board",
        "/dev/ttyACM77 is not there",
    ),
    "a board on the network that is off": (
        {"board_address": "socket://127.0.0.1:1"},
        "board",
        "does not answer",
    ),
    "pins asked for": ({"panel_gpio": "pi"}, "GPIO", "panel.gpio"),
    "an address that is not ours": ({"page_host": "192.0.2.1"}, "page", "cannot be served"),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_is_asked_for_and_missing_is_a_problem_with_a_next_step(
    name: str, tmp_path: Path
) -> None:
    changes, what, text = PROBLEMS[name]
    if what == "GPIO" and list(Path("/dev").glob("gpiochip*")):
        pytest.skip("this machine has pins")
    settings = Settings().with_values(table_journal=str(tmp_path / "j"), **changes)
    [finding] = [f for f in doctor.examine(settings) if f.what == what]
    assert finding.state == "problem"
    assert text in f"{finding.found} {finding.next}"
    assert finding.next
    assert "\n" not in finding.found


def test_a_taken_port_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        settings = Settings().with_values(page_port=port, table_journal=str(tmp_path / "j"))
        [finding] = [f for f in doctor.examine(settings) if f.what == "page"]
    assert finding.state == "problem"
    assert str(port) in finding.found


def test_one_broken_check_does_not_end_the_examination(monkeypatch: pytest.MonkeyPatch) -> None:
    def _broken_thing(_: Settings) -> list[doctor.Finding]:
        raise RuntimeError("oh")

    monkeypatch.setattr(doctor, "CHECKS", (_broken_thing, *doctor.CHECKS[:2]))
    findings = list(doctor.examine(Settings()))
    assert findings[0] == doctor.Finding(
        "broken thing", "problem", "could not be examined: oh", "report this line"
    )
    assert len(findings) == 3


def test_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TAKHTE_SETTINGS", raising=False)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert main(["doctor", "--json", "--journal", str(tmp_path / "j"), "--port", str(port)]) == 0
    assert {f["state"] for f in json.loads(capsys.readouterr().out)} <= {"ok", "absent"}
    assert (
        main(["doctor", "--journal", str(tmp_path / "j"), "--camera", "99", "--port", str(port)])
        == 1
    )
    assert "PROBLEM  camera" in capsys.readouterr().out
    (tmp_path / "bad.toml").write_text("[pge]\n")
    assert main(["doctor", "--settings", str(tmp_path / "bad.toml")]) == 1
    assert "bad.toml:1: no section [pge]" in capsys.readouterr().out
