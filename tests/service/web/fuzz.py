"""schemathesis over the API of a table worked by hand: `make fuzz-api`."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from service.web.rights import ENDLESS
from tests.service.web.serve import Served


def main(options: list[str]) -> int:
    """Fuzz everything but the endless stream; returns schemathesis's exit status."""
    with tempfile.TemporaryDirectory() as name:
        served = Served(Path(name))
        served.table.order("set_match", white="A", black="B", length=5)
        served.table.order("start_game")
        served.table.order("declare_roll", white=[3], black=[1])
        command = [
            str(Path(sys.executable).parent / "schemathesis"),
            "run",
            served.url + "/openapi.json",
            # Who asks at this machine's own port is the console, and needs no session.
            "--exclude-checks",
            "ignored_auth",
            "--exclude-path-regex",
            f"({'|'.join(re.escape(end) for end in ENDLESS)})$",
        ]
        status = subprocess.run(
            [*command, "--no-color", *options], cwd=name, check=False
        ).returncode
        served.close()
    return status


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
