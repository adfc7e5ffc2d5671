"""Settings: every row loads, what is wrong is refused with its line, the docs are the table."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from service.settings import (
    Settings,
    SettingsError,
    as_markdown,
    load_settings,
    parse_settings,
    sections,
)

ROOT = Path(__file__).resolve().parents[2]

REFUSED = {
    "unknown key": ("[camera]\nsource = '0'\n\nlens = 3\n", "x.toml:4", "no setting camera.lens"),
    "unknown section": ("[table]\nname = 't2'\n[kamera]\n", "x.toml:3", "no section [kamera]"),
    "dotted key": ("page.prot = 9000\n", "x.toml:1", "no setting page.prot"),
    "wrong kind": ("[page]\nport = '8000'\n", "x.toml:2", "a whole number"),
    "true is no number": ("[page]\nport = true\n", "x.toml:2", "a whole number"),
    "out of range": ("[page]\n# the port\nport = 70000\n", "x.toml:3", "from 1 to 65535"),
    "not a number": ("[camera]\nperiod = nan\n", "x.toml:2", "a number"),
    "not among the words": ("[seating]\nwhite = 'red'\n", "x.toml:2", "one of 'light', 'dark'"),
    "a name that is no file name": ("[table]\nname = '../x'\n", "x.toml:2", "letters, digits"),
    "a section that is a value": ("page = 8000\n", "x.toml:1", "is a section"),
    "not TOML": ("[page\n", "x.toml", "not TOML"),
    "quoted key": ("[page]\n'prot' = 1\n", "x.toml:2", "no setting page.prot"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_refused_with_its_line(name: str) -> None:
    text, where, why = REFUSED[name]
    with pytest.raises(SettingsError) as refused:
        parse_settings(text, "x.toml")
    assert str(refused.value).startswith(where)
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)


def test_every_default_is_inside_its_own_range() -> None:
    text = ""
    for name, part in sections():
        text += f"[{name}]\n"
        for row in dataclasses.fields(part):
            value = str(row.default).lower() if isinstance(row.default, bool) else repr(row.default)
            text += f"{row.name} = {value}\n"
    assert dataclasses.replace(parse_settings(text), source="") == Settings()


def test_every_setting_is_explained() -> None:
    assert all(row.metadata["text"] for _, part in sections() for row in dataclasses.fields(part))


def test_the_command_line_wins_and_is_checked_alike() -> None:
    settings = parse_settings("[page]\nport = 9000\n").with_values(page_port=9001, page_host=None)
    assert (settings.page.port, settings.page.host) == (9001, "127.0.0.1")
    with pytest.raises(SettingsError, match=r"command line: page\.port is from 1 to 65535"):
        Settings().with_values(page_port=0)


def test_the_file_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "takhte.toml"
    file.write_text("[table]\nname = 'hall-3'\n")
    monkeypatch.setenv("TAKHTE_SETTINGS", str(file))
    assert load_settings().table.name == "hall-3"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="not a text file"):
        load_settings()
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(tmp_path / "none.toml")


def test_docs_are_generated() -> None:
    assert (ROOT / "docs/settings.md").read_text() == as_markdown(), (
        "run: python -m service.settings > docs/settings.md"
    )
