"""The appliance: systemd hears it, a hung table is noticed, logs stay bounded, backups come back
whole, the bundle holds no secrets.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest
from zeroconf import Zeroconf

from service import cli
from service.appliance import backup, diagnose
from service.appliance import systemd as appliance
from service.appliance.backup import BackupError, restore, save_backup
from service.appliance.systemd import Announcement, Logbook, Pulse, notify, watchdog_period
from service.journal.paths import socket_path
from service.journal.store import Store
from service.referee.refusal import Done
from service.settings import Settings, parse_settings
from service.settings_table import LogSettings
from service.table.hub import Hub
from service.table.options import DEMO
from tests.service.table.world import running, state, until


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listening.bind(str(tmp_path / "notify"))
    listening.settimeout(60)
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    return listening


def test_systemd_hears_a_table_that_answers(
    systemd: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "200000")
    assert watchdog_period() == 0.1
    hub = Hub(tmp_path / "s", lambda _, reply: reply(Done(0)))
    pulse = Pulse(hub.path, lambda: None)
    assert systemd.recv(200).startswith(b"READY=1\nWATCHDOG=1")
    assert systemd.recv(200) == b"WATCHDOG=1"
    pulse.close()
    hub.close()


def test_a_table_that_hangs_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "100000")
    monkeypatch.setattr(appliance, "STARTS_WITHIN_S", 0.2)
    monkeypatch.setattr(appliance, "HANGS_AFTER_S", 0.3)
    hung = threading.Event()
    silent = Hub(tmp_path / "s", lambda _, __: None)
    pulse = Pulse(silent.path, hung.set)
    assert hung.wait(60)
    pulse.close()
    silent.close()


def test_without_systemd_nobody_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    monkeypatch.setenv("WATCHDOG_USEC", "soon")
    assert not notify("READY=1")
    assert watchdog_period() is None


def test_the_unit_is_one_that_systemd_reads(capsys: pytest.CaptureFixture[str]) -> None:
    assert appliance.main([]) == 0
    unit = capsys.readouterr().out
    assert f"ExecStart={sys.executable} -m service.cli run" in unit
    assert "WatchdogSec=" in unit
    assert all("=" in line or line.startswith(("#", "[")) or not line for line in unit.splitlines())


def test_a_stopped_table_is_started_again(tmp_path: Path) -> None:
    """SIGSTOP: alive and silent, as a process that hangs."""
    journal = tmp_path / "t1.journal"
    with running(
        tmp_path, "run", "--board", "simulated", "--journal", str(journal), "--no-page"
    ) as table:
        until(lambda: "the table referees" in table.said, "the table", table)
        pid = table.child("service.table.process")
        os.kill(pid, signal.SIGSTOP)
        until(lambda: "has not answered" in table.said, "that it hangs", table)
        until(lambda: table.child("service.table.process") not in (0, pid), "another table", table)
        until(lambda: state(journal), "its word", table)


def test_the_page_has_a_name_on_the_network() -> None:
    announced = Announcement("t9", 8123, ["127.0.0.1"])
    until(lambda: announced.address, "the name")
    with contextlib.closing(Zeroconf(interfaces=["127.0.0.1"])) as visitor:
        host = announced.address.removeprefix("http://").partition(".")[0]
        info = visitor.get_service_info("_http._tcp.local.", f"{host}._http._tcp.local.", 30_000)
    announced.close()
    assert info is not None
    assert (info.port, info.server) == (8123, f"{host}.local.")


@pytest.mark.parametrize(
    ("host", "public"),
    [("127.0.0.1", False), ("localhost", False), ("0.0.0.0", True), ("192.168.1.7", True)],
)
def test_only_a_page_that_others_can_reach_is_announced(host: str, public: bool) -> None:
    assert appliance.is_public(host) is public
    assert appliance.announced(Settings().with_values(page_host="127.0.0.1")) is None


def test_logs_are_bounded(tmp_path: Path) -> None:
    logbook = Logbook(LogSettings(str(tmp_path / "logs"), 0.1, 2))
    program = "import sys\nfor n in range(6000): print('x' * 100, n, file=sys.stderr)"
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE) as child:
        logbook.follow(child)
        child.wait()
        files = until(
            lambda: len(found := list((tmp_path / "logs").iterdir())) == 3 and found, "a third file"
        )
    assert all(f.stat().st_size <= 101_000 for f in files)
    assert not Logbook(LogSettings()).kept


def table_files(folder: Path) -> Settings:
    """A table's folder as after an evening; its journal is still open."""
    folder.mkdir()
    (folder / "t1.pictures").mkdir()
    (folder / "t1.pictures/000001-played.jpg").write_bytes(b"\xff\xd8picture")
    (folder / "t1.key").write_bytes(b"secret")
    (folder / "calibration-ab.json").write_text("{}")
    (folder / "t1.sock").touch()
    return Settings().with_values(table_data=str(folder))


def test_a_backup_of_a_running_table_comes_back_whole(tmp_path: Path) -> None:
    settings = table_files(tmp_path / "data")
    with Store.open(settings.journal) as store:
        store.beat(1.0, 2.0)
        assert save_backup(settings, tmp_path / "b.tar.gz") == 4
        with pytest.raises(BackupError, match="nothing is overwritten"):
            save_backup(settings, tmp_path / "b.tar.gz")
    there = Settings().with_values(table_data=str(tmp_path / "elsewhere"))
    assert restore(there, tmp_path / "b.tar.gz") == 4
    with Store.open(there.journal) as again:
        beat = again.heartbeat()
        assert beat is not None
        assert beat.at == 1.0
    assert (tmp_path / "elsewhere/t1.key").stat().st_mode & 0o077 == 0
    assert (tmp_path / "b.tar.gz").stat().st_mode & 0o077 == 0
    with pytest.raises(BackupError, match="nothing is overwritten"):
        restore(there, tmp_path / "b.tar.gz")
    assert save_backup(settings, tmp_path / "c.tar.gz", pictures=False) == 3


def archive(path: Path, *members: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for member in members:
            tar.addfile(member, io.BytesIO(b"x" * member.size))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, "/etc/passwd"
    return info


TAMPERED = {
    "climbs out": [member("takhte-backup"), member("../../etc/cron.d/x")],
    "absolute": [member("takhte-backup"), member("/etc/cron.d/x")],
    "a link": [member("takhte-backup"), member("t1.journal", tarfile.SYMTYPE)],
    "another program's": [member("photos/1.jpg")],
    "empty": [],
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_tampered_backup_writes_nothing(name: str, tmp_path: Path) -> None:
    settings = Settings().with_values(table_data=str(tmp_path / "data"))
    with pytest.raises(BackupError):
        restore(settings, archive(tmp_path / "b.tar.gz", *TAMPERED[name]))
    assert not (tmp_path / "data").exists()


def test_no_backup_at_all_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "s.toml").write_text(f"[table]\ndata = '{tmp_path / 'none'}'\n")
    (tmp_path / "b").write_text("text")
    words = ["--settings", str(tmp_path / "s.toml")]
    assert backup.main([str(tmp_path / "x.tar.gz"), *words]) == 1
    assert "nothing to save" in capsys.readouterr().err
    assert backup.main([str(tmp_path / "b"), "--restore", *words]) == 1
    assert "take another backup" in capsys.readouterr().err


def test_the_bundle_holds_no_secrets_and_no_names(tmp_path: Path) -> None:
    settings = table_files(tmp_path / "data")
    with contextlib.closing(sqlite3.connect(tmp_path / "data/access.db")) as db:
        db.execute("CREATE TABLE people (name TEXT)")
    file = tmp_path / "takhte.toml"
    secret = "hunter22"
    file.write_text(
        f"[table]\ndata = '{tmp_path / 'data'}'\n[camera]\n"
        f"source = 'rtsp://admin:{secret}@127.0.0.1:1/live?token={secret}'\n"
        f"[log]\nfolder = '{tmp_path / 'logs'}'\n"
    )
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/takhte.log").write_text(
        f"first start. Sign in as director with the password {secret}  (shown only once)\n"
    )
    Store.open(settings.journal).close()
    bundle = tmp_path / "d.zip"
    assert diagnose.main([str(bundle), "--settings", str(file)]) == 0
    with zipfile.ZipFile(bundle) as found:
        texts = {name: found.read(name).decode() for name in found.namelist()}
    assert set(texts) == {
        "doctor.json",
        "settings.json",
        "machine.json",
        "journals.json",
        "table.json",
        "takhte.log",
    }
    assert not [name for name, text in texts.items() if secret in text]
    assert json.loads(texts["journals.json"])[0]["entries"] == 0
    assert parse_settings(file.read_text()).camera.source.startswith("rtsp")
    assert diagnose.main([str(bundle), "--settings", str(file)]) == 1
    assert DEMO.exists()
    assert socket_path(settings.journal).exists()


def test_a_board_is_calibrated_where_the_table_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`table.data` holds for `takhte board` too: its calibration was kept elsewhere, and the table
    said that the board was never calibrated."""
    settings = tmp_path / "takhte.toml"
    settings.write_text(f"[table]\ndata = '{tmp_path / 'club'}'\n")
    monkeypatch.setenv("TAKHTE_SETTINGS", str(settings))
    assert cli.main(["board", "calibrate", "--help"]) == 0
    assert str(tmp_path / "club") in "".join(capsys.readouterr().out.split())
