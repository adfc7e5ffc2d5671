"""Backups: one changed bit anywhere is refused before anything is written; older archives come
back.
"""

from __future__ import annotations

import io
import os
import random
import subprocess
import tarfile
from pathlib import Path

import pytest

from service.appliance import backup
from service.appliance.backup import BackupError, restore, save_backup
from service.journal.entries import TABLE, Noted
from service.journal.keys import key_path, table_key
from service.journal.store import Reader, Store
from service.settings import Settings

FLIPS = int(os.environ.get("FLIPS", "150"))


def settings_in(folder: Path) -> Settings:
    return Settings().with_values(table_data=str(folder))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of a small table that was running, with a key and some entries."""
    home = tmp_path_factory.mktemp("saved")
    settings = settings_in(home / "data")
    table_key(key_path(settings.journal))
    with Store.open(settings.journal) as store:
        for n in range(30):
            store.append([(float(n), 1.8e9, TABLE, Noted("slow_turn", text=f"ماندن {n}"))])
        assert save_backup(settings, home / "b.tar.gz") == 2
    return home / "b.tar.gz"


def test_what_comes_back_is_what_was_saved(saved: Path, tmp_path: Path) -> None:
    there = settings_in(tmp_path / "there")
    assert restore(there, saved) == 2
    with Reader(there.journal) as reader:
        assert len(reader.read()) == 30 and reader.broken is None
    assert {p.name for p in there.data.iterdir() if "journal-" not in p.name} == {
        "table.key",
        there.journal.name,
    }
    assert [p.name for p in tmp_path.iterdir()] == ["there"], "nothing else is left behind"


def test_any_flipped_bit_is_refused(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """FLIPS=1000 for the whole of it; each byte of head and end is among them always."""
    data, chance = saved.read_bytes(), random.Random(23)
    places = [*range(12), *range(len(data) - 100, len(data))]
    places += [chance.randrange(len(data)) for _ in range(FLIPS - len(places))]
    (tmp_path / "s.toml").write_text(f"[table]\ndata = '{tmp_path / 'there'}'\n")
    for at in places:
        bit = chance.randrange(8)
        flipped = tmp_path / "b.tar.gz"
        flipped.write_bytes(data[:at] + bytes([data[at] ^ (1 << bit)]) + data[at + 1 :])
        words = [str(flipped), "--restore", "--settings", str(tmp_path / "s.toml")]
        assert backup.main(words) == 1, f"bit {bit} of byte {at}"
        said = capsys.readouterr().err
        assert said.startswith("takhte backup: ") and said.count("\n") == 1
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize("keep", [0.2, 0.9, 0.999])
def test_a_cut_backup_is_refused(keep: float, saved: Path, tmp_path: Path) -> None:
    cut = tmp_path / "b.tar.gz"
    cut.write_bytes(saved.read_bytes()[: int(saved.stat().st_size * keep)])
    with pytest.raises(BackupError, match="take another backup"):
        restore(settings_in(tmp_path / "there"), cut)


def test_other_programs_unpack_it_and_check_it(saved: Path, tmp_path: Path) -> None:
    subprocess.run(["tar", "xzf", str(saved), "-C", str(tmp_path)], check=True)
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], check=True, cwd=tmp_path)
    subprocess.run(["gzip", "-t", str(saved)], check=True)


def older(path: Path, files: dict[str, bytes]) -> Path:
    """An archive as they were made before they carried sums."""
    with tarfile.open(path, "w:gz") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def test_an_older_backup_comes_back_if_its_files_are_sound(saved: Path, tmp_path: Path) -> None:
    with tarfile.open(saved) as tar:
        files = {m.name: f.read() for m in tar if (f := tar.extractfile(m)) is not None}
    del files["SHA256SUMS"]
    assert restore(settings_in(tmp_path / "one"), older(tmp_path / "1.tar.gz", files)) == 2
    journal = next(name for name in files if name.endswith(".journal"))
    for name, damaged in (
        (journal, files[journal].replace(b"slow_turn", b"fast_turn", 1)),
        ("table.key", files["table.key"][:60]),
        ("access.db", b"SQLite format 3\0" + bytes(4000)),
    ):
        bad = older(tmp_path / "2.tar.gz", {**files, name: damaged})
        with pytest.raises(BackupError, match=f"holds a damaged {name}"):
            restore(settings_in(tmp_path / "two"), bad)
        assert not (tmp_path / "two").exists()
