"""A table's key is changed or revoked; what was sealed before and after is believed as it should
be.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.journal.entries import Role, TableOpened, Who
from service.journal.key_changes import (
    believed_change,
    change_key,
    changes_path,
    follows,
    keys_of_table,
    read_changes,
)
from service.journal.keys import key_path, table_key
from service.journal.store import Store
from service.record.command import main


def exported(journal: Path, name: str) -> Path:
    out = journal.parent / name
    assert main(["export", str(journal), "--out", str(out), "--format", "takhte"]) == 0
    return out / "t1.takhte"


def key_of(journal: Path) -> str:
    public = table_key(key_path(journal)).public_key().public_bytes_raw()
    return base64.b64encode(public).decode()


def verified(archive: Path, key: str, keys: Path | None = None) -> int:
    more = ["--keys", str(keys)] if keys else []
    return main(["verify", str(archive), "--key", key, *more])


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "t1.journal"
    with Store.open(path) as store:
        store.append([(0.0, 1.8e9, Who("", Role.REFEREE), TableOpened("t1", "takhte"))])
    return path


def test_a_changed_key_hands_its_trust_on(journal: Path) -> None:
    before, first = exported(journal, "before"), key_of(journal)
    for _ in range(2):
        assert main(["key", str(journal), "--change"]) == 0
    after, last = exported(journal, "after"), key_of(journal)
    assert first != last and key_path(journal).stat().st_mode & 0o077 == 0
    assert verified(after, first) == 0 and verified(after, last) == 0
    assert verified(before, first, changes_path(journal)) == 0
    assert verified(before, last) == 1, "an older key is not vouched for by a newer one"
    stranger = Ed25519PrivateKey.generate().public_key().public_bytes_raw()
    assert verified(after, base64.b64encode(stranger).decode()) == 1


def test_a_revoked_key_hands_nothing_on_and_what_it_sealed_is_not_believed(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, first = exported(journal, "before"), key_of(journal)
    assert main(["key", str(journal), "--revoke", "the machine was stolen"]) == 0
    after, last = exported(journal, "after"), key_of(journal)
    capsys.readouterr()
    assert verified(after, last) == 0
    assert verified(after, first) == 1
    assert "revoked (the machine was stolen)" in capsys.readouterr().err
    assert verified(before, first, changes_path(journal)) == 1
    assert "believe it by a head or a stamp" in capsys.readouterr().err
    assert main(["key", str(journal)]) == 0
    assert "revoked: the machine was stolen" in capsys.readouterr().out


def test_a_change_that_both_did_not_sign_is_none(journal: Path) -> None:
    change = change_key(journal, 1.8e9)
    assert read_changes(changes_path(journal)) == (change,)
    said = change.to_json()
    assert believed_change(json.loads(json.dumps(said))) == change
    other = Ed25519PrivateKey.generate().public_key().public_bytes_raw().hex()
    for field, value in (("new", other), ("old", other), ("wall", 1.0), ("revoked", "x")):
        assert believed_change({**said, field: value}) is None
    for nonsense in (None, [], {}, {"old": 1}, {**said, "by_new": "zz"}):
        assert believed_change(nonsense) is None
    assert follows(change.old, change.new, (change,)) and not follows(change.old, change.new, ())
    assert keys_of_table(change.new, (change,)) == {change.old, change.new}
