"""The command: help loads no room, a wrong word is told, each word has its room."""

from __future__ import annotations

import subprocess
import sys

import pytest

from service.cli import COMMANDS, main


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"  {name} " in out for name in COMMANDS)


def test_help_loads_no_room() -> None:
    program = (
        "import sys; from service.cli import main; main(['--help']); print(sorted({'cv2',"
        " 'fastapi', 'serial'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_wrong_word_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["paly"]) == 2
    assert "no command 'paly'" in capsys.readouterr().err
    assert main([]) == 2


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("takhte ")


@pytest.mark.parametrize("word", COMMANDS)
def test_every_command_explains_itself(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = main([word, "--help"])
    except SystemExit as end:
        status = int(end.code or 0)
    assert status == 0
    said = capsys.readouterr().out
    assert len(said) > 100
    assert "(E)" not in said, "a mark for whoever reads the code"
