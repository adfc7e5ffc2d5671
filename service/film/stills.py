"""The stills and throws, from which a film is read (`beam`), of one camera's observations. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from rules.board import Placement
from rules.observation import Condition, Observation, Source
from service.reconcile import Evidence, Track, observe, tracks
from service.reconcile.codes import CODES, SITES
from service.reconcile.evidence import Witness
from service.reconcile.reel import Still, Throw
from service.reconcile.rolls import throws_of
from service.reconcile.tuning import DEFAULT, Tuning

EMPTY = Placement((0,) * 26, (0,) * 26)


@dataclass(frozen=True, slots=True, eq=False)
class _OpenStill:
    """A still that has not ended: number and time of its first frame, and what is seen so far."""

    frame: int
    at: float
    witness: Witness


@dataclass
class Watcher:
    """Takes a camera's observations in order and gives stills and throws at the end.

    A still ends when something moves or a site changes.
    """

    tuning: Tuning = DEFAULT
    made: list[Still] = field(default_factory=list)
    _evidence: Evidence = field(default_factory=lambda: Evidence.fresh(EMPTY, 0.0))
    _open: _OpenStill | None = None
    _lying: tuple[Track, ...] = ()
    _frames: list[tuple[float, int]] = field(default_factory=list)

    def feed(self, observation: Observation) -> None:
        """Take the next observation."""
        if observation.dice is not None and observation.condition in (
            Condition.AT_REST,
            Condition.MOVING,
        ):
            still = observation.condition is Condition.AT_REST
            self._lying = tracks.follow_dice(
                self._lying, observation.dice, observation.seen_at, still=still
            )
        before = self._evidence.witness(Source.CAMERA)
        self._evidence = observe(self._evidence, observation, observation.seen_at)
        after = self._evidence.witness(Source.CAMERA)
        if after is None or after is before:
            return
        if observation.condition is not Condition.AT_REST:
            self._close()
            return
        self._frames.append((observation.seen_at, observation.number))
        if self._open is not None and self._begins_another(self._open, after):
            self._close()
        if self._open is None:
            self._open = _OpenStill(observation.number, observation.seen_at, after)
        else:
            self._open = replace(self._open, witness=after)

    @property
    def began(self) -> int | None:
        """Number of the frame with which the still that lasts began; None while something moves."""
        return None if self._open is None else self._open.frame

    def finish(self) -> tuple[tuple[Still, ...], tuple[Throw, ...]]:
        """The stills and throws of everything that was fed."""
        self._close()
        throws = throws_of(self._lying, self._frames, self.tuning)
        return tuple(part for still in self.made for part in thrown_apart(still, throws)), throws

    def _begins_another(self, opened: _OpenStill, after: Witness) -> bool:
        """Whether a site began anew that had been read in the still that is open."""
        # Its window may have begun long before: what nobody moved is not read anew with a still.
        read = opened.witness.last >= opened.at
        anew = (after.since > opened.at) & read & (opened.witness.since < after.since)
        return bool(anew.any())

    def _close(self) -> None:
        """End the still that is open, if one is."""
        if self._open is None:
            return
        frame, at, witness = self._open.frame, self._open.at, self._open.witness
        logs = witness.mean.reshape(SITES, CODES)
        self.made.append(Still(frame, at, witness.seen_at, logs, witness.last >= at))
        self._open = None


def thrown_apart(still: Still, throws: Iterable[Throw]) -> list[Still]:
    """The still in parts, another wherever dice were thrown after others that had lain there: a
    hand lifted those and no picture caught it. A turn without a play shows nowhere else.
    """
    parts, last = [still], -math.inf
    for throw in sorted(throws, key=lambda each: each.at):
        if last >= still.at and last < throw.at <= still.until:
            before = replace(parts[-1], until=last)
            parts[-1:] = [before, replace(still, frame=throw.frame, at=throw.at)]
        if throw.at <= still.until:
            last = max(last, throw.until)
    return parts


def stills_and_throws(
    observations: Iterable[Observation],
) -> tuple[tuple[Still, ...], tuple[Throw, ...]]:
    """The whole film's stills and throws."""
    watcher = Watcher()
    for observation in observations:
        watcher.feed(observation)
    return watcher.finish()
