"""What a wheel holds: every file that a room needs while it runs is inside, so that it works far
from the repository.
"""

from __future__ import annotations

import fnmatch
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]


def test_every_package_is_listed() -> None:
    found = {
        str(p.parent.relative_to(ROOT)).replace("/", ".")
        for room in ("rules", "vision", "firmware_bridge", "service")
        for p in (ROOT / room).rglob("__init__.py")
    }
    assert found == set(SETUPTOOLS["packages"])


def test_every_data_file_rides_along() -> None:
    packages = [name.replace(".", "/") for name in SETUPTOOLS["packages"]]
    listed = subprocess.run(
        ["git", "ls-files", *packages], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    left = []
    for name in listed:
        home = max((p for p in packages if name.startswith(p + "/")), key=len)
        inside = name.removeprefix(home + "/")
        if not name.endswith(".py") and not any(
            fnmatch.fnmatch(inside, pattern.replace("**/*", "*"))
            for pattern in SETUPTOOLS["package-data"]["*"]
        ):
            left.append(name)
    assert not left, "add their pattern to [tool.setuptools.package-data]"
