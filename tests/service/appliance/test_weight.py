"""What starts often or stays for years is light: the command and the parent of the family."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {
    *("numpy", "cv2", "onnxruntime", "fastapi", "starlette", "pydantic", "uvicorn", "nats"),
    *("zeroconf", "cryptography", "serial", "gpiozero", "asyncio", "prometheus_client"),
}
MOST_MB = 30
ASKED = """
import json, re, sys
import {modules}
from pathlib import Path
most = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
print(json.dumps([sorted({{name.partition(".")[0] for name in sys.modules}}), int(most[1]) / 1024]))
"""
"""The kernel's own count since the program began; `ru_maxrss` begins with what forked it."""


@pytest.mark.parametrize(
    "modules",
    ["service.cli", "service.appliance.run", "service.appliance.run, service.table.demo"],
)
def test_nothing_heavy_is_imported(modules: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASKED.format(modules=modules)],
        capture_output=True,
        text=True,
        check=True,
    )
    imported, megabytes = json.loads(done.stdout)
    assert not HEAVY & set(imported)
    assert megabytes < MOST_MB
