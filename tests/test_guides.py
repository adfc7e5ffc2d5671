"""The guides say only what exists: every command parses, every page is a route, every button stands
on a page, every link leads on.
"""

from __future__ import annotations

import argparse
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from rules import event_keys
from service import cli, settings
from service.appliance.check import likeliest
from service.hall.routes import RIGHTS as ROUTES
from service.web.catalogue import messages

HOME = Path(__file__).parent.parent
GUIDES = ("play-tonight", "tournament-table", "arbiter", "appliance", "broadcast", "hall")
GUIDED = ("play-tonight", "tournament-table", "arbiter", "hall")
"""Guides that write a page's words *so*."""


def text(name: str) -> str:
    return (HOME / "docs" / f"{name}.md").read_text(encoding="utf-8")


def commands(name: str) -> list[list[str]]:
    """The words after `takhte` of every command: in code blocks, in backquotes, behind a path or
    before a pipe.
    """
    said = re.findall(r"^ {4,}(.+)$", text(name), re.M) + re.findall(r"`([^`\n]+)`", text(name))
    found = []
    for line in said:
        match = re.match(r"(?:\S*/bin/)?takhte +(\S.*)$", line.strip())
        if match and "|" not in match[1].split("#")[0]:
            found.append(shlex.split(match[1], comments=True))
        elif match:
            found.append(shlex.split(match[1].split("|")[0]))
    return found


COMMANDS = [(name, words) for name in GUIDES for words in commands(name)]


class Parsed(Exception):  # noqa: N818 - carries what was parsed out of a command that shall not run
    pass


@pytest.mark.parametrize(
    ("name", "words"), COMMANDS, ids=lambda v: v if isinstance(v, str) else " ".join(v)
)
def test_every_command_parses(name: str, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    real = argparse.ArgumentParser.parse_args

    def parse(
        self: argparse.ArgumentParser, args: list[str] | None = None, namespace: None = None
    ) -> argparse.Namespace:
        raise Parsed(real(self, args, namespace))

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse)
    if "--help" in words:
        assert words[0] in cli.COMMANDS
        return
    with pytest.raises(Parsed):
        cli.main(words)


def test_each_guide_has_commands() -> None:
    assert {name for name, _ in COMMANDS} >= set(GUIDED)


def pages(name: str) -> set[str]:
    found = re.findall(r"`(/[a-z][\w./-]*)(?:\?[^`]*)?`", text(name))
    return {*found, *re.findall(r"http://[^/\s`)]+(/[a-z][\w./-]*)", text(name))}


@pytest.mark.parametrize("name", GUIDES)
def test_every_page_is_a_route(name: str) -> None:
    known = [
        re.compile(re.sub(r"\{\w+\}", "[^/]+", path)) for method, path in ROUTES if method == "GET"
    ]
    # `http://phone:8080/video` is another device's address.
    unknown = {path for path in pages(name) if not any(p.fullmatch(path) for p in known)} - {
        "/video"
    }
    assert not unknown


@pytest.mark.parametrize("name", GUIDED)
def test_every_button_is_written_on_a_page(name: str) -> None:
    prose = re.sub(r"```.*?```", "", text(name), flags=re.S)
    buttons = set(re.findall(r"(?<!\*)\*([A-Z][^*\n]+)\*(?!\*)", prose))
    assert len(buttons) > 5
    assert buttons <= set(messages()), buttons - set(messages())


@pytest.mark.parametrize("name", GUIDES)
def test_every_link_leads_to_a_file(name: str) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text(name)):
        assert (HOME / "docs" / target).exists(), target


@pytest.mark.parametrize("name", GUIDES)
def test_every_file_shown_is_right(name: str) -> None:
    for indent, block in re.findall(r"^( *)```toml\n(.*?)^ *```", text(name), re.S | re.M):
        shown = re.sub(f"^{indent}", "", block, flags=re.M)
        if likeliest(tomllib.loads(shown)) == "settings":
            settings.parse_settings(shown, name)
        else:
            event_keys.load_event(shown, name)


def test_the_readme_leads_to_the_guides() -> None:
    front = (HOME / "README.md").read_text(encoding="utf-8")
    assert all(f"docs/{name}.md" in front for name in GUIDES)


def test_the_readme_opens_with_a_film_and_a_picture_that_are_small() -> None:
    front = (HOME / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", front)
    assert shown == ["docs/demo.webp", "docs/demo.jpg"]
    assert all((HOME / name).stat().st_size < 2_000_000 for name in shown)
    assert (HOME / shown[0]).read_bytes()[:12:8] == b"RW" and front.index(shown[0]) < 1_000
