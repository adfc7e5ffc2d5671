"""Dice over time: one track for each die that lies on the table, whatever frames it was missed in.

Values are means of log-likelihoods, not sums, as for sites: a still die is misread the same way in
every frame.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from rules.observation import DieReading, DieStatus
from service.reconcile.tuning import DEFAULT

SAME_PLACE: Final = 0.035
"""A die that lies so near, in board widths, is the same die (0.02-0.04: a die's edge).
A cost that a person chose."""
ONE_THROW_S: Final = 1.5
"""Dice of one throw come to rest within so long of each other, s (1-3). A cost that a person
chose."""


@dataclass(frozen=True, slots=True)
class Track:
    """One die, followed over frames, at `where` in the field (0 to 1 east and north).

    `logs`: mean log-likelihood of faces 1-6, 0 at the best; `status`: mean likelihood of each
    status, summing to 1; `seen`: readings at rest; `missed`: looks since without it; `stale`: it
    lay there before this turn began, so it is the last roller's; `gone_at`: lifted, and kept until
    the turn is settled because the play is judged by it; `pushed_from`: where it had been thrown,
    when it was pushed aside since.
    """

    where: tuple[float, float]
    logs: tuple[float, ...]
    status: dict[DieStatus, float]
    certainty: float
    colour: tuple[int, int, int]
    first_at: float
    last_at: float
    seen: int = 1
    missed: int = 0
    stale: bool = False
    gone_at: float | None = None
    pushed_from: tuple[float, float] | None = None

    @property
    def thrown_to(self) -> tuple[float, float]:
        """Where it lay first."""
        return self.pushed_from or self.where

    @property
    def flat(self) -> float:
        return self.status.get(DieStatus.FLAT, 0.0)

    @property
    def seen_again(self) -> bool:
        """Whether it was read more than once: one reading may be of anything."""
        return self.seen > 1

    def probabilities(self, floor: float) -> tuple[float, ...]:
        """P(face) of the faces 1-6, summing to about 1.

        Each is at least about `floor`, for what a reader gets wrong in every frame alike.
        """
        weights = [math.exp(x) for x in self.logs]
        total = sum(weights)
        return tuple((1 - 6 * floor) * w / total + floor for w in weights)

    def aged(self, began: float) -> Track | None:
        """The track as the next turn sees it: stale when it lay there before, None when gone."""
        if self.first_at >= began:
            return self
        return None if self.gone_at is not None else replace(self, stale=True)


def follow_dice(
    tracks: tuple[Track, ...], readings: Sequence[DieReading], at: float, *, still: bool
) -> tuple[Track, ...]:
    """The tracks after one more look, in order of time.

    While something moves (not `still`), dice are neither lost nor judged by what a hand hides, but
    a die seen is a die.
    """
    open_tracks = [t for t in tracks if t.gone_at is None]
    result = [t for t in tracks if t.gone_at is not None]
    found = [
        (_new_track(reading, at), _is_rolling(reading))
        for reading in sorted(readings, key=lambda r: -r.certainty)
    ]
    unmoved = [t for t in open_tracks if any(_lies_there(t, new) for new, _ in found)]
    elsewhere: list[Track] = []
    for new, rolls in found:
        if rolls:
            continue
        near = min(open_tracks, key=lambda t: math.dist(t.where, new.where), default=None)
        if near is not None and math.dist(near.where, new.where) <= SAME_PLACE:
            open_tracks.remove(near)
            turned = near.seen >= DEFAULT.full_readings and any(
                _is_fellow(near, t) for t in unmoved
            )
            result.append(_merged(near, new, turned=turned))
            if _shows_another_face(near, new) and not turned and _is_known(near):
                # Another throw came to lie just there; what lay there before was thrown as well.
                result.append(replace(near, gone_at=at))
        elif still:
            elsewhere.append(new)
    moved = open_tracks if _may_be_pushed(open_tracks, elsewhere) else ()
    for new in elsewhere:
        pushed = next((t for t in moved if t in open_tracks and _is_pushed(t, new)), None)
        again = None if pushed else _found_again((*result, *open_tracks), new)
        if pushed is not None:
            open_tracks.remove(pushed)
            pushed = replace(pushed, pushed_from=pushed.thrown_to)
        if again is not None:
            result.remove(again)
        known = pushed or again
        result.append(new if known is None else replace(_merged(known, new), gone_at=None))
    for track in open_tracks:
        missed = track.missed + (1 if still else 0)
        if missed < DEFAULT.full_readings:
            result.append(replace(track, missed=missed))
        elif _is_known(track):
            result.append(replace(track, missed=missed, gone_at=at))
    return tuple(sorted(result, key=lambda t: (t.first_at, t.where)))


def are_lifted(tracks: Sequence[Track], readings: Sequence[DieReading]) -> bool:
    """Whether dice that lay there, two at least, are all seen no more where they lay: a hand took
    them, whether or not it was seen.
    """
    lying = [t for t in tracks if t.gone_at is None and t.seen >= DEFAULT.full_readings]
    return len(lying) > 1 and not any(
        math.dist(t.where, reading.where) <= SAME_PLACE for t in lying for reading in readings
    )


def of_one_pair(one: Track, other: Track) -> bool:
    """Whether two dice may be of one pair, by their colours."""
    return math.dist(one.colour, other.colour) <= 60


def _is_known(track: Track) -> bool:
    """Whether a die that is gone is kept: the turn in progress is judged by it."""
    return not track.stale and track.seen_again


def _is_pushed(track: Track, new: Track) -> bool:
    """Whether a reading, itself a track, is of a die that lay elsewhere a moment before and showed
    the same: nobody picks one up and throws it so soon.
    """
    soon = new.first_at - track.last_at <= DEFAULT.settle_s
    return soon and of_one_pair(track, new) and not _shows_another_face(track, new)


def _may_be_pushed(tracks: Sequence[Track], elsewhere: Sequence[Track]) -> bool:
    """Whether some of the dice that lie elsewhere may be those that lay there, pushed: not where
    two are, and show together what the two that are gone did not. Whoever throws takes up both.
    """
    if len(elsewhere) != 2 or len(tracks) != 2:
        return True
    return any(
        all(_is_pushed(track, new) for track, new in zip(pair, elsewhere, strict=True))
        for pair in (tracks, tracks[::-1])
    )


def _found_again(tracks: Sequence[Track], new: Track) -> Track | None:
    """The die thought lifted that a sleeve had hidden, None when this is none of them.

    It lies where it lay and shows what it showed, and no die was thrown since.
    """
    gone = (
        t
        for t in tracks
        if t.gone_at is not None
        and not any(t.last_at < other.first_at < new.first_at for other in tracks)
        and math.dist(t.where, new.where) <= SAME_PLACE / 3
        and not _shows_another_face(t, new)
    )
    return max(gone, key=lambda t: t.last_at, default=None)


def _is_rolling(reading: DieReading) -> bool:
    return max(reading.status, key=lambda s: reading.status[s], default=None) is DieStatus.ROLLING


def _new_track(reading: DieReading, at: float) -> Track:
    """A track of one reading."""
    logs = [math.log(max(v, 1e-12)) for v in reading.values]
    best = max(logs)
    total = sum(reading.status.values())
    status = (
        {s: p / total for s, p in reading.status.items()} if total > 0 else {DieStatus.FLAT: 1.0}
    )
    return Track(
        reading.where,
        tuple(x - best for x in logs),
        status,
        reading.certainty,
        reading.colour,
        at,
        at,
    )


def _lies_there(track: Track, new: Track) -> bool:
    """Whether a reading, itself a track, is of a die that lies where this one lay, to a hair, and
    shows what it showed.
    """
    near = math.dist(track.where, new.where) <= SAME_PLACE / 3
    return near and not _shows_another_face(track, new)


def _is_fellow(track: Track, other: Track) -> bool:
    """Whether two dice were thrown together."""
    return track is not other and abs(track.first_at - other.first_at) <= ONE_THROW_S


def _merged(track: Track, new: Track, *, turned: bool = False) -> Track:
    """A track with one more reading, itself a track. One that shows another face is another throw
    that came to lie there, and the new one alone counts; but not where it can only have been
    `turned` by a sleeve, its fellow lying as it lay: what it showed before was thrown.
    """
    if _shows_another_face(track, new):
        return replace(track, where=new.where, last_at=new.last_at, missed=0) if turned else new
    count = min(track.seen, DEFAULT.window_frames - 1)
    logs = [(a * count + b) / (count + 1) for a, b in zip(track.logs, new.logs, strict=True)]
    best = max(logs)
    kinds = set(track.status) | set(new.status)
    status = {
        s: (track.status.get(s, 0.0) * count + new.status.get(s, 0.0)) / (count + 1)
        for s in sorted(kinds, key=lambda k: k.value)
    }
    return replace(
        track,
        where=new.where,
        logs=tuple(x - best for x in logs),
        status=status,
        certainty=(track.certainty * count + new.certainty) / (count + 1),
        last_at=new.last_at,
        seen=track.seen + 1,
        missed=0,
    )


def _shows_another_face(track: Track, new: Track) -> bool:
    """Whether a flat reading and a track each speak strongly against the other's face."""
    if not new.flat > 0.5:
        return False
    old_best = max(range(6), key=lambda i: track.logs[i])
    new_best = max(range(6), key=lambda i: new.logs[i])
    far = -DEFAULT.conflict_nats
    return new.logs[old_best] < far and track.logs[new_best] < far
