"""The outbox and the ledger back to back, over a stream that loses acknowledgements, forgets, and
is cut at any moment.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from service.hall.identity import key_id
from service.hall.ledger import (
    PURPOSE,
    Believed,
    Ledger,
    MessageRefused,
    PairedBoard,
    Reason,
    accept_or_refuse,
)
from service.hall.outbox import Unacknowledged, Want
from service.hall.wire import (
    Bundle,
    MessageError,
    Row,
    Sealed,
    Tail,
    bundle_of,
    entries_of,
    open_message,
    sign_message,
)
from service.journal.chain import GENESIS, link

KEY = Ed25519PrivateKey.generate()
OTHER = Ed25519PrivateKey.generate()
HALL = "c0ffee"


def rows_of(words: list[str], previous: str = GENESIS, seq: int = 0) -> list[Row]:
    found = []
    for word in words:
        seq += 1
        text = f'{{"said":"{word}"}}'.encode()
        previous = link(previous, text)
        found.append((seq, text, previous))
    return found


def public(key: Ed25519PrivateKey) -> str:
    return key_id(key.public_key().public_bytes_raw())


BOARDS = {("t1", public(KEY)): PairedBoard("t1", public(KEY))}


@dataclass
class Stream:
    """What nats-server promises: stores a message that names its subject's last one; may forget the
    tail when the power is cut.
    """

    kept: list[tuple[int, Bundle]] = field(default_factory=list)
    number: int = 0

    def offer(self, bundle: Bundle, follows: int) -> int | None:
        if follows != (self.kept[-1][0] if self.kept else 0):
            return None
        self.number += random.randint(1, 3)  # other tables write between
        self.kept.append((self.number, bundle))
        return self.number

    @property
    def tail(self) -> Tail:
        if not self.kept:
            return Tail()
        number, bundle = self.kept[-1]
        return Tail(bundle.epoch, bundle.last, bundle.head, number, own=True)


def settle(
    outbox: Unacknowledged,
    stream: Stream,
    journal: list[Row],
    rng: random.Random,
    lossy: bool = True,
) -> Unacknowledged:
    """Run until everything is in the stream, with answers lost on the way."""
    hashes = {seq: sealed for seq, _, sealed in journal}
    for _ in range(10_000):
        if outbox.want is Want.TAIL:
            outbox = outbox.resumed(stream.tail, hashes.get)
        elif outbox.want is Want.ROWS:
            waiting = journal[outbox.seq :]
            if not waiting:
                return outbox
            outbox = outbox.send(waiting[: rng.randint(1, 5)])
        elif outbox.want is Want.ACK:
            assert outbox.sent is not None
            fate = rng.random() if lossy else 1.0
            if fate < 0.1:  # lost on the way there
                outbox = outbox.doubt()
                continue
            at = stream.offer(outbox.sent, outbox.follows)
            # The answer lost, or refused.
            outbox = outbox.doubt() if fate < 0.3 or at is None else outbox.acked(at)
        else:
            return outbox
    raise AssertionError("never settled")


def believed(
    stream: Stream, boards: dict[tuple[str, str], PairedBoard] = BOARDS
) -> tuple[Ledger, list[Row], list[MessageRefused]]:
    ledger, held, refused = Ledger(), [], []
    for number, bundle in stream.kept:
        sealed = sign_message(KEY, PURPOSE, HALL, entries_of("t1"), bundle.body())
        found = accept_or_refuse(ledger, boards, HALL, entries_of("t1"), number, sealed)
        if isinstance(found, MessageRefused):
            refused.append(found)
            continue
        held = [*([] if found.anew else held), *found.bundle.rows]
        ledger = found.ledger
    return ledger, held, refused


@given(st.integers(0, 2**32), st.integers(1, 60))
def test_nothing_is_lost_twice_or_out_of_order_whatever_answers_are_lost(
    seed: int, count: int
) -> None:
    rng = random.Random(seed)
    random.seed(seed)
    stream, outbox = Stream(), Unacknowledged("t1")
    journal: list[Row] = []
    while len(journal) < count:
        journal += rows_of(
            [f"{i}" for i in range(rng.randint(1, 9))],
            journal[-1][2] if journal else GENESIS,
            len(journal),
        )
        if rng.random() < 0.2:
            outbox = Unacknowledged("t1")  # the publisher was killed
        if rng.random() < 0.2:
            outbox = outbox.doubt()  # the line was cut
        if rng.random() < 0.15 and stream.kept:
            del stream.kept[
                -rng.randint(1, len(stream.kept)) :
            ]  # the power went at the hall, and the stream lost its end
            outbox = outbox.doubt()
        outbox = settle(outbox, stream, journal, rng)
    outbox = settle(outbox, stream, journal, rng, lossy=False)
    ledger, held, refused = believed(stream)
    assert held == journal and not refused
    assert (ledger.seq, ledger.head) == (len(journal), journal[-1][2])


def test_a_journal_that_does_not_go_on_from_the_stream_is_a_new_epoch() -> None:
    rng, stream = random.Random(1), Stream()
    first = rows_of(["a", "b", "c"])
    settle(Unacknowledged("t1"), stream, first, rng)
    other = rows_of(["a", "x", "y", "z"])
    outbox = settle(Unacknowledged("t1"), stream, other, rng)
    assert outbox.epoch > 1
    ledger, held, refused = believed(stream)
    assert held == other and ledger.epoch == outbox.epoch and not refused


def test_whatever_others_put_into_the_stream_the_next_epoch_is_above_it() -> None:
    journal = rows_of(["a", "b"])
    outbox = Unacknowledged("t1").resumed(Tail(at=77), {1: journal[0][2]}.get)
    assert (outbox.epoch, outbox.seq, outbox.follows) == (78, 0, 77)


def test_an_old_backup_is_a_new_epoch_too() -> None:
    rng, stream = random.Random(1), Stream()
    settle(Unacknowledged("t1"), stream, rows_of(["a", "b", "c"]), rng)
    assert settle(Unacknowledged("t1"), stream, rows_of(["a", "b"]), rng).epoch > 1


def test_two_boards_that_speak_for_one_table_do_not_outbid_each_other() -> None:
    rng, stream = random.Random(1), Stream()
    mine = rows_of(["a", "b"])
    outbox = settle(Unacknowledged("t1"), stream, mine, rng, lossy=False)
    settle(Unacknowledged("t1"), stream, rows_of(["p", "q", "r"]), rng, lossy=False)
    outbox = settle(outbox.doubt(), stream, mine + rows_of(["c"], mine[-1][2], 2), rng, lossy=False)
    assert outbox.want is Want.NOBODY and outbox.doubt().want is Want.NOBODY


def test_a_bundle_takes_no_more_than_it_may() -> None:
    rows = rows_of(["x" * 2000] * 400)
    outbox = Unacknowledged("t1").resumed(Tail(), lambda _: None).send(rows)
    assert outbox.sent is not None and 100 < len(outbox.sent.rows) < 256
    huge = Unacknowledged("t1").resumed(Tail(), lambda _: None).send(rows_of(["x" * 400_000, "y"]))
    assert huge.sent is not None and len(huge.sent.rows) == 1, (
        "an entry that is large alone still goes"
    )
    with pytest.raises(ValueError, match="from entry 1 on"):
        Unacknowledged("t1").resumed(Tail(), lambda _: None).send(rows[1:])


def message(
    bundle: Bundle, key: Ed25519PrivateKey = KEY, subject: str = entries_of("t1"), hall: str = HALL
) -> Sealed:
    return sign_message(key, PURPOSE, hall, subject, bundle.body())


def refusal(
    ledger: Ledger,
    sealed: Sealed,
    number: int = 9,
    boards: dict[tuple[str, str], PairedBoard] = BOARDS,
) -> Reason:
    found = accept_or_refuse(ledger, boards, HALL, entries_of("t1"), number, sealed)
    assert isinstance(found, MessageRefused) and found.text
    return found.reason


def test_what_is_forged_replayed_or_foreign_is_refused_with_its_reason() -> None:
    rows = rows_of(["a", "b", "c", "d"])
    good = message(Bundle("t1", 1, tuple(rows[:2])))
    found = accept_or_refuse(Ledger(), BOARDS, HALL, entries_of("t1"), 1, good)
    assert isinstance(found, Believed) and found.anew
    after = found.ledger
    assert refusal(after, good) is Reason.REPLAYED
    overlap = accept_or_refuse(
        after, BOARDS, HALL, entries_of("t1"), 9, message(Bundle("t1", 1, tuple(rows[1:3])))
    )
    assert isinstance(overlap, Believed) and overlap.bundle.rows == tuple(rows[2:3]), (
        "what is new after what is known is believed"
    )
    forked = rows_of(["a", "y", "z"])
    assert refusal(after, message(Bundle("t1", 1, tuple(forked[1:])))) is Reason.BROKEN
    assert refusal(after, message(Bundle("t1", 1, tuple(rows[3:])))) is Reason.GAP
    assert (
        refusal(after, message(Bundle("t1", 1, ((3, b'{"said":"changed"}', rows[2][2]),))))
        is Reason.BROKEN
    )
    assert refusal(after, message(Bundle("t1", 1, tuple(rows[2:])), OTHER)) is Reason.FOREIGN
    assert refusal(after, message(Bundle("t2", 1, tuple(rows[2:])))) is Reason.FOREIGN
    assert (
        refusal(after, message(Bundle("t1", 1, tuple(rows[2:])), subject=entries_of("t2")))
        is Reason.FORGED
    )
    assert (
        refusal(after, message(Bundle("t1", 1, tuple(rows[2:])), hall="another")) is Reason.FORGED
    )
    next_one = message(Bundle("t1", 1, tuple(rows[2:])))
    assert (
        refusal(after, replace(next_one, data=next_one.data.replace(b'"epoch":1', b'"epoch":2')))
        is Reason.FORGED
    )
    assert refusal(after, replace(next_one, key=public(OTHER))) is Reason.FORGED
    assert refusal(after, replace(next_one, signature="?")) is Reason.FORGED
    assert isinstance(
        accept_or_refuse(after, BOARDS, HALL, entries_of("t1"), 9, next_one), Believed
    )


def test_a_board_that_was_replaced_is_believed_up_to_then_and_no_further() -> None:
    rows = rows_of(["a", "b"])
    boards = {
        ("t1", public(KEY)): PairedBoard("t1", public(KEY), 0, 10),
        ("t1", public(OTHER)): PairedBoard("t1", public(OTHER), 10),
    }
    assert isinstance(
        accept_or_refuse(
            Ledger(), boards, HALL, entries_of("t1"), 10, message(Bundle("t1", 1, tuple(rows)))
        ),
        Believed,
    )
    assert refusal(Ledger(), message(Bundle("t1", 1, tuple(rows))), 11, boards) is Reason.RETIRED
    assert isinstance(
        accept_or_refuse(
            Ledger(1, 2, rows[1][2]),
            boards,
            HALL,
            entries_of("t1"),
            12,
            message(Bundle("t1", 2, tuple(rows)), OTHER),
        ),
        Believed,
    )


@given(st.binary(max_size=300))
def test_hostile_bytes_are_refused_in_one_line(data: bytes) -> None:
    with pytest.raises(MessageError):
        Sealed.of(data, {"Takhte-Key": 5})
    assert refusal(Ledger(), Sealed(data, public(KEY), "AAAA")) is Reason.FORGED


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"rows": 5},
        {"first": 1, "rows": [[1, 2]]},
        {"first": True, "rows": []},
        {"first": 1, "rows": [["a", "b"]] * 300},
    ],
)
def test_a_signed_body_of_another_shape_is_unreadable(body: dict[str, object]) -> None:
    with pytest.raises(MessageError):
        bundle_of({"table": "t1", "epoch": 1, **body})
    sealed = sign_message(
        KEY, PURPOSE, HALL, entries_of("t1"), {"format": 1, "table": "t1", "epoch": 1, **body}
    )  # type: ignore[arg-type]
    assert refusal(Ledger(), sealed) is Reason.UNREADABLE
    future = sign_message(KEY, PURPOSE, HALL, entries_of("t1"), {"format": 2})
    with pytest.raises(MessageError, match="another version"):
        open_message(future, PURPOSE, HALL, entries_of("t1"))
