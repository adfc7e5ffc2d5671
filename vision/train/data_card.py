"""The data card of a training: what its rendered stills are, counted from the truth beside them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from vision.scene_truth import SceneTruth, Share, share_of

KINDS = {
    "view": "cameras",
    "position_kind": "positions",
    "board_style": "boards",
    "table": "tables",
}


def data_card(folders: Sequence[Path]) -> str:
    """Markdown: how many stills of how many palettes teach, fit and measure, and what they show."""
    truths = [
        truth
        for folder in folders
        for path in sorted(folder.glob("*.json"))
        if "theme" in (truth := _truth(path))
    ]
    lines = [
        "# Data card",
        "",
        "Rendered by `vision/train/trace.py` with the project's scene generator (Blender Cycles),"
        " and painted by `vision/synthetic/` and `vision/train/dice/` while training. No photograph"
        " was used, no person is shown; hands are modelled. A palette's name alone says what its"
        " pictures are for (`vision/scene_truth.py`).",
        "",
        "| for | stills | palettes |",
        "|---|---|---|",
    ]
    for share in Share:
        mine = [t["theme"] for t in truths if share_of(t["theme"]) is share]
        lines.append(f"| {share.value} | {len(mine)} | {len(set(mine))} |")
    taught = [t for t in truths if share_of(t["theme"]) is Share.LEARN]
    lines += ["", "Of those that teach:", "", "| | |", "|---|---|"]
    for key, name in KINDS.items():
        counts = Counter(str(t.get(key, "?")) for t in taught)
        lines.append(f"| {name} | {', '.join(f'{k} {n}' for k, n in counts.most_common())} |")
    hands = sum(t.get("hand_over_field_fraction", 0) > 0 for t in taught)
    lines.append(f"| with a hand over the field | {hands} |")
    hidden = sum(min(t["point_visible"].values()) < 0.5 for t in taught)
    lines.append(f"| with a point more than half covered | {hidden} |")
    lines.append(f"| dice | {sum(len(t['dice']) for t in taught)} |")
    return "\n".join(lines) + "\n"


def _truth(path: Path) -> SceneTruth:
    """The truth in a file; {} where it holds something else."""
    found: SceneTruth | list[str] = json.loads(path.read_text())
    return found if isinstance(found, dict) else {}
