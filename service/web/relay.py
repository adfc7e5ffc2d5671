"""`takhte relay`: what guests may see of every table, as plain files that any web host can give to
any number of people. (E)

It reads a table's or a hall's pages as one guest does, so nothing is younger than guests are told,
and what leaves the club does not grow with who watches: viewers ask the host of the files and
nobody else.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import closing
from http.client import HTTPResponse
from pathlib import Path
from typing import Final

from rules.words import Language, about_command, languages
from service.web.assembled import STATIC
from service.web.desk import encode_document
from service.web.pages import page_text
from service.web.sending import PATIENCE, AddressError, checked_address, send

log = logging.getLogger(__name__)

TABLE: Final = re.compile(r"[A-Za-z0-9_-]{1,32}")
FILE: Final = re.compile(r"/download/[A-Za-z0-9_-]{1,32}/\d{1,6}\.[a-z0-9]{1,8}")
"""Which of the other side's names become names of files here."""
LARGEST: Final = 20_000_000
SPEAKS_S: Final = 30.0
"""The other side speaks at least every five seconds."""
LOOK_S: Final = 1.0
TABLES_S: Final = 30.0
"""How often tables that came later are looked for."""
MATCHES_S: Final = 600.0
"""How often finished matches are asked for where none has ended: one may be put right."""
Keep = Callable[[str, bytes], None]
"""Keeps a file under its path. Raises OSError."""


def into_folder(folder: Path) -> Keep:
    """Keeps files in a folder, each whole or not at all."""

    def keep(path: str, data: bytes) -> None:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(file.name + ".part")
        part.write_bytes(data)
        part.replace(file)

    return keep


def to_host(base: str, token: str) -> Keep:
    """Keeps files at a host that takes them by PUT below an address."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    home = checked_address(base).rstrip("/")

    def keep(path: str, data: bytes) -> None:
        kind = {"content-type": _kind(path)}
        if problem := send(f"{home}/{path}", data, headers | kind, "PUT").problem:
            raise OSError(problem)

    return keep


def _kind(path: str) -> str:
    kinds = {"html": "text/html; charset=utf-8", "js": "text/javascript", "css": "text/css"}
    kinds |= {"json": "application/json", "svg": "image/svg+xml", "woff2": "font/woff2"}
    return kinds.get(path.rpartition(".")[2], "application/octet-stream")


class PublicRelay:
    """One source and one place for its files; `run` until `stop` is set."""

    def __init__(self, source: str, keep: Keep, language: str = "en") -> None:
        self.source, self.keep = checked_address(source).rstrip("/"), keep
        self.language = languages()[language]
        self.stop = threading.Event()
        self.read = 0
        """Bytes that were asked of the source."""
        self._versions: dict[str, int] = {}
        self._ended: dict[str, int] = {}
        """The entry with which each table's last match ended, as far as guests are told."""
        self._asked: dict[str, tuple[int, float]] = {}
        """At which of these ends, and when, each table's finished matches were asked for."""
        self._matches: dict[str, list[object]] = {}
        self._lock = threading.Lock()

    def shell(self) -> None:
        """Keep what never changes: pages in each language, scripts, sheets, fonts, words."""
        for file in sorted(STATIC.rglob("*")):
            inside = file.relative_to(STATIC)
            if file.is_file() and inside.parts[0] not in ("voice", "schema"):
                self.keep(f"static/{inside.as_posix()}", file.read_bytes())
        for code, language in languages().items():
            self.keep(f"{code}.html", public_page(language).encode())
            self.keep(f"words/{code}.json", encode_document(dict(language.messages)).encode())
        self.keep("index.html", public_page(self.language).encode())

    def run(self) -> None:
        """Follow every table of the source, those that come later too."""
        self.shell()
        following: dict[str, threading.Thread] = {}
        told, looked = "", float("-inf")
        while not self.stop.is_set():
            if time.monotonic() - looked >= TABLES_S or not following:
                looked = time.monotonic()
                for name in self._tables():
                    if name not in following:
                        following[name] = threading.Thread(
                            target=self._follow, args=(name,), daemon=True
                        )
                        following[name].start()
            for name in following:
                self._ask_matches(name)
            with self._lock:
                rows = [
                    {"name": name, "version": version, "matches": name in self._matches}
                    for name, version in sorted(self._versions.items())
                ]
            text = encode_document({"tables": rows})
            if text != told and self._kept("tables.json", text.encode()):
                told = text
            self.stop.wait(LOOK_S)

    def _kept(self, path: str, data: bytes) -> bool:
        try:
            self.keep(path, data)
        except OSError as error:
            log.warning("%s could not be kept (%s); it is tried again", path, error)
            return False
        return True

    def _get(self, path: str) -> bytes:
        """Raises OSError."""
        with closing(_opened(self.source + path, PATIENCE)) as answer:
            data = bytes(answer.read(LARGEST))
        self.read += len(data)
        return data

    def _tables(self) -> list[str]:
        try:
            found = json.loads(self._get("/api/v1/tables"))["tables"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("%s does not say its tables (%s)", self.source, error)
            return []
        return [row["name"] for row in found if TABLE.fullmatch(row["name"])]

    def _follow(self, name: str) -> None:
        """Keep a table's newest state, for ever. The feed is the guests', whoever we are there."""
        address = f"{self.source}/api/v1/tables/{name}/events?feed=public"
        while not self.stop.is_set():
            try:
                with closing(_opened(address, SPEAKS_S)) as lines:
                    for line in lines:
                        self.read += len(line)
                        if self.stop.is_set():
                            return
                        if line.startswith(b"data: "):
                            self._take_state(name, line[6:].strip())
            except (OSError, ValueError) as error:
                log.info("table %s is not heard (%s)", name, error)
            self.stop.wait(LOOK_S)

    def _take_state(self, name: str, text: bytes) -> None:
        shown = json.loads(text)
        # A feed that is held says nothing: what is shown stays.
        if "held_s" not in shown and self._kept(f"tables/{name}.json", text):
            with self._lock:
                self._versions[name] = self._versions.get(name, 0) + 1
                if shown["phase"] == "match-over":
                    self._ended[name] = shown["seq"]

    def _ask_matches(self, name: str) -> None:
        """Keep a table's finished matches where one has ended since they were kept last."""
        ended, now = self._ended.get(name, 0), time.monotonic()
        asked, when = self._asked.get(name, (-1, 0.0))
        if ended != asked or now - when >= MATCHES_S:
            took = self._take_matches(name)
            self._asked[name] = (ended, now if took else now - MATCHES_S + TABLES_S)

    def _take_matches(self, name: str) -> bool:
        """Keep the list of finished matches, and the files of those that are new in it; False where
        that did not go.
        """
        try:
            rows = json.loads(self._get(f"/api/v1/tables/{name}/matches"))["matches"]
            if rows == self._matches.get(name):
                return True
            old = self._matches.get(name, [])
            for row in rows:
                for path in [] if row in old else row["files"].values():
                    if FILE.fullmatch(path):
                        self._take_file(path)
            self.keep(f"matches/{name}.json", encode_document({"matches": rows}).encode())
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.info("table %s: no finished matches (%s)", name, error)
            return False
        with self._lock:
            self._matches[name] = rows
        return True

    def _take_file(self, path: str) -> None:
        try:
            self.keep(path.lstrip("/"), self._get(path))
        except urllib.error.HTTPError as error:
            # A format that cannot say this match.
            error.close()


def _opened(address: str, patience: float) -> HTTPResponse:
    """Raises OSError."""
    found: HTTPResponse = urllib.request.urlopen(address, timeout=patience)  # noqa: S310
    return found


def public_page(language: Language) -> str:
    """The one page of all tables, in a language."""
    context = {
        "table": "",
        "tables": list[str](),
        "language": language.code,
        "digits": language.digits,
        "me": {"name": "", "role": "guest", "side": None, "view": "public"},
        "orders": list[str](),
        "hall": False,
        "sources": dict[str, str](),
    }
    return page_text("relay.html", language, context)


def main(words: Sequence[str] | None = None) -> int:
    """Relay until it is ended; 2 where it was asked wrongly."""
    parser = argparse.ArgumentParser(prog="takhte relay", description=about_command(__doc__))
    parser.add_argument("source", help="address of a table's or a hall's pages")
    parser.add_argument("to", help="a folder, or an address below which files are taken by PUT")
    parser.add_argument("--token-file", type=Path, help="its token is sent with every PUT")
    parser.add_argument(
        "--language", choices=sorted(languages()), default="en", help="of index.html"
    )
    given = parser.parse_args(words)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s: %(message)s")
    try:
        token = given.token_file.read_text().strip() if given.token_file else ""
        web = given.to.startswith(("https://", "http://"))
        keep = to_host(given.to, token) if web else into_folder(Path(given.to))
        PublicRelay(given.source, keep, given.language).run()
    except (OSError, AddressError) as error:
        print(f"takhte relay: {error}")
        return 2 if isinstance(error, AddressError) else 1
    return 0
