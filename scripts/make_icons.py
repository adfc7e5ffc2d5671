"""Make the icons of a phone's home screen from the pages' own mark: `python scripts/make_icons.py`.

iOS takes no SVG and rounds the corners itself, so the mark's ground fills the whole square; Android
may cut a circle out of it, so what is drawn there lies within the middle four fifths.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import resvg_py

STATIC: Final = Path(__file__).resolve().parents[1] / "service" / "web" / "static"
SIZES: Final = (180, 192, 512)
"""iOS' home screen, and the two that an installable page must have."""
MIDDLE: Final = 0.8


def square(svg: str, middle: float) -> str:
    """The mark on its own ground without corners, drawn so large."""
    ground = re.search(r'<rect[^>]*fill="(#\w+)"[^>]*/>', svg)
    mark = re.search(r"<rect[^>]*/>(.*?)</g>", svg, re.DOTALL)
    if ground is None or mark is None:
        raise SystemExit("icon.svg: expected a <rect> with a fill, and the mark after it in a <g>")
    aside = 16 * (1 - middle)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32"'
        f' fill="{ground[1]}"/><g transform="translate({aside} {aside}) scale({middle})">{mark[1]}'
        "</g></svg>"
    )


def main() -> int:
    svg = square((STATIC / "icon.svg").read_text(encoding="utf-8"), MIDDLE)
    for size in SIZES:
        path = STATIC / f"icon-{size}.png"
        path.write_bytes(bytes(resvg_py.svg_to_bytes(svg_string=svg, width=size, height=size)))
        print(f"{path.name}: {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
