"""What gnubg itself says of a match file when it analyses it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from rules.notation.matwrite import write_mat
from rules.notation.record import MatchRecord
from service.report.gnubg import Gnubg


def gnubgs_own(record: MatchRecord, folder: Path, plies: int) -> dict[str, list[float]]:
    """gnubg's statistics of the match, the left player's and the right's."""
    (folder / "match.mat").write_text(write_mat(record))
    program = Gnubg().program
    assert program is not None
    commands = [
        "set automatic game off",
        "set confirm new off",
        "set display off",
        "set output mwc off",
        "set output digits 4",
        f"set analysis chequerplay evaluation plies {plies}",
        f"set analysis cubedecision evaluation plies {plies}",
        f'import mat "{folder / "match.mat"}"',
        "analyse match",
        "show statistics match",
    ]
    done = subprocess.run(
        [str(program), "-t", "-q", "-r"],
        input="\n".join(commands) + "\n",
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env={"HOME": str(folder), "LC_ALL": "C"},
    )
    said = done.stdout[done.stdout.index("Overall statistics") - 4000 :]

    def row(name: str, part: str) -> list[float]:
        text = said[said.index(part) :]
        found = re.search(
            rf"^{re.escape(name)}\s+([-+\d.]+)(?:\s*\([^)]*\))?\s+([-+\d.]+)", text, re.M
        )
        assert found is not None, name
        return [float(found[1]), float(found[2])]

    return {
        "rate": row("Error rate mEMG (MWC)", "Overall statistics"),
        "luck": row("Luck total EMG (MWC)", "Luck statistics"),
        "cubes": row("Close or actual cube decisions", "Cube statistics"),
        "plays": row("Unforced moves", "Chequerplay statistics"),
    }
