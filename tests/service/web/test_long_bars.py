"""`make fuzz-api` and `make screens` run here at their smallest size: one example of each
operation, one page in each language by day and by night.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import pytest

from tests.service.web import fuzz, screens

SMALLEST = ("--checks", "all", "--seed", "7", "--max-examples", "1", "--phases", "fuzzing")


def test_the_api_keeps_its_own_description(capfd: pytest.CaptureFixture[str]) -> None:
    assert fuzz.main([*SMALLEST, "--suppress-health-check", "all"]) == 0
    assert " passed" in capfd.readouterr().out


@pytest.mark.browser
def test_a_page_is_shot_in_each_language_light_and_dark(tmp_path: Path) -> None:
    assert screens.main([str(tmp_path), "sign-in"]) == 0
    assert sorted(path.stem for path in tmp_path.iterdir()) == [
        "sign-in-en-dark",
        "sign-in-en-light",
        "sign-in-fa-dark",
        "sign-in-fa-light",
    ]
    assert all(cv2.imread(str(path)) is not None for path in tmp_path.iterdir())
