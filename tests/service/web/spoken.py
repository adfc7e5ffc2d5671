"""What this house says in a language, as JSON: `python spoken.py CODE FOLDER`.

Run from outside the tests, with a house on the path that has that language.
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from pathlib import Path
from typing import Any

import httpx

import rules
from rules.board import Side
from rules.infraction import Broken, Infraction
from rules.pipe import reply_to
from rules.position import Position
from rules.ruleset import catalogue, ruleset
from rules.rulesets_command import listed
from rules.words import language_codes, languages
from service.journal.saying import alert_words, words_for
from service.settings import as_markdown, parse_settings
from service.web import catalogue as keeper
from service.web.app import create_app
from service.web.config import WebConfig
from service.web.gallery import placeholder

START = Position.start(ruleset("backgammon"), Side.WHITE).view
LACKS = {
    "ruleset": "backgammon",
    "pts": START[:24],
    "dice": [3, 1],
    "after": (*START[:5], START[5] - 2, *START[6:]),
}


async def served(code: str, folder: Path) -> dict[str, Any]:
    app = create_app(WebConfig(folder / "x.journal", folder / "x.socket"))
    way = httpx.ASGITransport(app, client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=way, base_url="http://127.0.0.1") as web:
        plain = await web.get("/", headers={"accept-language": f"{code}-IR, en"})
        return {
            "answered": plain.headers["content-language"],
            "page": (await web.get(f"/?lang={code}")).text,
            "titles": (await web.get("/api/v1/rulesets")).json()["rulesets"][0]["title"],
            "words": (await web.get(f"/words/{code}.json")).json(),
        }


def spoken(code: str) -> dict[str, Any]:
    language = languages()[code]
    return {
        "home": str(rules.__file__),
        "codes": language_codes(),
        "name": language.name,
        "digits": language.with_digits("40%"),
        "setting": parse_settings(f"[page]\nlanguage = '{code}'\n").page.language,
        "settings": f"`{code}`" in as_markdown(),
        "infraction": Infraction(Broken.BLOCKED_POINT, (("point", 5),)).why(code),
        "fact": Infraction(Broken.CHECKER_MISSING, (("count", 2), ("whose", "mover's"))).why(code),
        "untranslated": Infraction(Broken.HIGHER_DIE, (("die", 6),)).why(code),
        "piped": json.loads(reply_to("judge", json.dumps(LACKS).encode()))["why"][code],
        "entry": words_for("blocked_point", {"point": 12}),
        "alert": alert_words("illegal", "blocked_point", {"point": 12}),
        "title": catalogue()["backgammon"].titled(code),
        "no title": catalogue()["nackgammon"].titled(code),
        "listed": listed(catalogue())[0],
        "card": base64.b64encode(placeholder("off", code)).decode(),
        "no card": placeholder("waiting", code) == placeholder("waiting", "en"),
    }


if __name__ == "__main__":
    said = spoken(sys.argv[1]) | asyncio.run(served(sys.argv[1], Path(sys.argv[2])))
    keeper.main()
    print(json.dumps(said))
