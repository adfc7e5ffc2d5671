"""Long runs go on where they were stopped, and no figure of other sources is taken for theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench._board_link import LinkSize, bit_error_rate
from tests.bench._kept import Kept


def test_a_run_that_was_killed_while_it_wrote_plays_that_piece_again(tmp_path: Path) -> None:
    path, played = tmp_path / "kept", list[str]()

    def piece(name: str, edition: str = "a") -> list[float]:
        def play() -> list[float]:
            played.append(name)
            return [float(len(played))]

        return Kept(path, edition).of(name, play)

    assert (piece("1"), piece("2"), piece("1")) == ([1.0], [2.0], [1.0])
    path.write_text(path.read_text()[:-9])
    assert (piece("2"), piece("1")) == ([3.0], [1.0])
    assert piece("1", "b") == [4.0], "of other sources"
    assert played == ["1", "2", "2", "1"]
    assert len(path.read_text().splitlines()) == 3


@pytest.mark.board
def test_presses_on_the_other_chip_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`make bench-presses` at its smallest: two pieces, of which the second run plays none."""
    monkeypatch.setattr("tests.bench._board_link.PIECE", 3)
    size = LinkSize(presses=6, chip="rp2040", kept=str(tmp_path / "presses"))
    bit_error_rate(size)
    said = capsys.readouterr().out
    assert "6 presses = 12 edges, 0 lost, 0 wrong; finger's time within" in said
    assert "2 scenes asked, the last one shown: True" in said
    monkeypatch.setattr("tests.bench._board_link._spoilt", None)
    bit_error_rate(size)
    assert capsys.readouterr().out == said
