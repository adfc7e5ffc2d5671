"""Make the font of the PNG pictures from the pages' own: `python scripts/make_still_font.py`.

Pages have Vazirmatn as two files that vary in weight; what draws PNGs wants one file of one weight.
Needs fonttools with brotli (`pip install fonttools[woff]`); what it writes is kept.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

from fontTools.merge import Merger
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

WEB: Final = Path(__file__).resolve().parents[1] / "service" / "web"
WEIGHT: Final = 600


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        parts = []
        for letters in ("latin", "arabic"):
            font = TTFont(WEB / f"static/font/vazirmatn-{letters}.woff2")
            still = instantiateVariableFont(font, {"wght": WEIGHT})
            still.flavor = None
            parts.append(str(Path(folder) / f"{letters}.ttf"))
            still.save(parts[-1])
        Merger().merge(parts).save(WEB / "data" / "vazirmatn-600.ttf")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
