"""A hall's signature beside the table's: believed for the record that it was sent, and no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.journal.entries import Role, Ruled, TableOpened, Who
from service.journal.store import Store
from service.record.command import main
from service.record.witnesses import WitnessError, check_hall_word, hall_word

REFEREE = Who("", Role.REFEREE)


def test_the_record_that_the_hall_had_and_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal, other, said = (tmp_path / n for n in ("t1.journal", "t2.journal", "witness.json"))
    for path, text in ((journal, "as it was"), (other, "as it was not")):
        with Store.open(path) as store:
            store.append([(0.0, 1.8e9, REFEREE, TableOpened("t1", "takhte"))])
            store.append([(1.0, 1.8e9, REFEREE, Ruled(text))])
            store.append([(2.0, 1.8e9, REFEREE, Ruled("after the hall"))])
            entries = store.past
    with Store.open(journal) as store:
        entries = store.past
    hall = Ed25519PrivateKey.generate()
    word = hall_word("t1", 2, entries[1].hash, 1.8e9, hall)
    said.write_text(json.dumps(word))
    assert main(["verify", str(journal), "--witness", str(said)]) == 0
    assert "had it up to entry 2 by 2027-01-15" in capsys.readouterr().out
    assert main(["verify", str(other), "--witness", str(said)]) == 1
    assert "not the record that the hall was sent" in capsys.readouterr().err
    for field, value in (("count", 1), ("table", "t9"), ("wall", 1.0), ("key", "00" * 32)):
        with pytest.raises(WitnessError):
            check_hall_word({**word, field: value}, entries)
    for nonsense in (None, [], {}, {"takhte-witness": 1}):
        with pytest.raises(WitnessError):
            check_hall_word(nonsense, entries)
    said.write_text("no JSON")
    assert main(["verify", str(journal), "--witness", str(said)]) == 1
