"""Draws the pictures that say why there is no camera picture, in every language: `python
scripts/make_air_pictures.py`.

A stream of pictures has no other way to say it. They are drawn by a browser, which knows how to
write Persian, and kept beside each language's words, so that a table needs neither.
"""

from __future__ import annotations

import html
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from playwright.sync_api import sync_playwright

from rules.words import LOCALE, languages

SIZE: Final = (1280, 720)
WORDS: Final = {
    "off": "The camera's picture is not shared",
    "waiting": "The picture begins when the delay has passed",
    "no-camera": "There is no picture from the camera",
    "no-board": "The camera does not see the board",
    "memory": "The delay is too long for the memory set aside for pictures",
}
"""Reason -> message; the same words as on the arbiter's page."""
FONT: Final = Path(__file__).resolve().parent.parent / "service/web/static/font"
PAGE: Final = """<!doctype html><html lang="{code}" dir="{direction}"><style>
@font-face{{font-family:V;src:url(file://{font}/vazirmatn-arabic.woff2);
unicode-range:U+0600-06FF,U+200C-200E,U+FB50-FDFF,U+FE70-FEFF}}
@font-face{{font-family:V;src:url(file://{font}/vazirmatn-latin.woff2)}}
body{{margin:0;height:720px;display:grid;place-content:center;justify-items:center;gap:36px}}
body{{background:#0d1514;color:#e7efed;font:600 46px V,sans-serif;text-align:center}}
p{{margin:0;max-width:1040px;line-height:1.5}}</style>
<svg width="120" height="90" viewBox="0 0 120 90" fill="none" stroke="#37d0c8" stroke-width="7">
<rect x="5" y="17" width="110" height="68" rx="10"/>
<path d="M38 17l9-12h26l9 12"/><circle cx="60" cy="51" r="19"/>
<path d="M12 84L108 8" stroke="#e7efed"/></svg><p>{words}</p></html>"""


def main() -> int:
    page_file = LOCALE / "page.html"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium-headless-shell",
            args=["--headless", "--no-sandbox", "--disable-gpu"],
        )
        page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
        for code, language in languages().items():
            folder = LOCALE / code / "air"
            folder.mkdir(exist_ok=True)
            for why, words in WORDS.items():
                text = PAGE.format(
                    code=code,
                    direction=language.direction,
                    font=FONT,
                    words=html.escape(language.say(words)),
                )
                page_file.write_text(text, encoding="utf-8")
                page.goto(page_file.as_uri())
                page.evaluate("document.fonts.ready")
                shot = cv2.imdecode(np.frombuffer(page.screenshot(), np.uint8), cv2.IMREAD_COLOR)
                assert shot is not None
                cv2.imwrite(str(folder / f"{why}.jpg"), shot, [cv2.IMWRITE_JPEG_QUALITY, 80])
        browser.close()
    page_file.unlink()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
