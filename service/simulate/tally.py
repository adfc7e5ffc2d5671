"""What a soak counts, in game units, and its table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict


def upper_bound(events: int, trials: int) -> float:
    """The 95 % upper bound of a rate after so many events in so many trials, 1 when none was tried.

    One-sided, after Clopper and Pearson.
    """
    if trials == 0:
        return 1.0
    low, high = events / trials, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _at_most(events, trials, middle) > 0.05:
            low = middle
        else:
            high = middle
    return high


def _at_most(events: int, trials: int, rate: float) -> float:
    """P(at most so many events), by the binomial, summed in logarithms."""
    if rate >= 1.0:
        return 0.0
    total = 0.0
    for k in range(events + 1):
        log = math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1)
        total += math.exp(log + k * math.log(rate) + (trials - k) * math.log1p(-rate))
    return total


class TallyJson(TypedDict):
    """A tally as it is kept between two parts of a soak."""

    counts: Mapping[str, int]
    illegal: Mapping[str, Mapping[str, int]]
    seconds: list[float]
    failures: list[str]
    chances: Mapping[str, int]
    done: Mapping[str, int]
    causes: Mapping[str, Mapping[str, int]]


@dataclass
class Tally:
    """Counts by name, seconds from press to verdict, and a line for each thing that went wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    illegal: dict[str, Counter[str]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    chances: Counter[str] = field(default_factory=Counter)
    """Opportunities of each habit."""
    done: Counter[str] = field(default_factory=Counter)
    """And how often it happened."""
    causes: dict[str, dict[str, int]] = field(default_factory=dict)
    """What went wrong -> habits that were about -> how often."""

    def add(self, name: str, n: int = 1) -> None:
        self.counts[name] += n

    def misplay(self, kind: str, what: str) -> None:
        self.illegal.setdefault(kind, Counter())[what] += 1

    def merge(self, other: Tally) -> None:
        self.counts.update(other.counts)
        for kind, counts in other.illegal.items():
            self.illegal.setdefault(kind, Counter()).update(counts)
        self.seconds += other.seconds
        self.failures += other.failures
        self.chances.update(other.chances)
        self.done.update(other.done)
        for what, habits in other.causes.items():
            mine = self.causes.setdefault(what, {})
            for habit, n in habits.items():
                mine[habit] = mine.get(habit, 0) + n

    def quantiles(self) -> Mapping[str, float | None]:
        """Median, 90 % and 99 % of the seconds."""
        seconds = sorted(self.seconds)

        def quantile(q: float) -> float | None:
            last = len(seconds) - 1
            return round(seconds[min(int(q * len(seconds)), last)], 3) if seconds else None

        return {"median": quantile(0.5), "p90": quantile(0.9), "p99": quantile(0.99)}

    def to_json(self) -> TallyJson:
        """Everything that was counted, as `from_json` reads it."""
        return {
            "counts": self.counts,
            "illegal": self.illegal,
            "seconds": [round(s, 3) for s in self.seconds],
            "failures": self.failures,
            "chances": self.chances,
            "done": self.done,
            "causes": self.causes,
        }

    @classmethod
    def from_json(cls, given: TallyJson) -> Tally:
        """The tally that `to_json` wrote."""
        return cls(
            Counter(given["counts"]),
            {kind: Counter(n) for kind, n in given["illegal"].items()},
            list(given["seconds"]),
            list(given["failures"]),
            Counter(given["chances"]),
            Counter(given["done"]),
            {what: dict(habits) for what, habits in given["causes"].items()},
        )

    def figures(self) -> Mapping[str, object]:
        """Plain JSON: every count, rates, seconds as quantiles."""
        c = self.counts
        turns = c["turns"]
        decidable = c["illegal_made"] - c["illegal_explained"]
        return {
            **dict(sorted(c.items())),
            "agreed_alone_share": round(1 - c["resolved_by_human"] / turns, 5) if turns else None,
            "false_accusations_upper_95": upper_bound(
                c["false_accusations"], turns - c["illegal_made"]
            ),
            "agreed_wrong_upper_95": upper_bound(c["agreed_wrong"], turns),
            "flagged_share_of_decidable": (
                round(c["illegal_flagged"] / decidable, 5) if decidable else None
            ),
            "seconds_press_to_verdict": self.quantiles(),
            "illegal_by_kind": {
                kind: dict(sorted(n.items())) for kind, n in sorted(self.illegal.items())
            },
            "failures": self.failures[:200],
        }

    def table(self) -> str:
        """The same for reading."""
        f, c = self.figures(), self.counts
        lines = [
            f"games {c['games']}, turns {c['turns']}",
            (
                f"turns Agreed right {c['agreed_right']}, Agreed wrong {c['agreed_wrong']} "
                f"(at most {f['agreed_wrong_upper_95']:.2e} a turn, 95 %)"
            ),
            (
                f"Ambiguous {c['asked']}, board and record differed {c['differs']}, no verdict in"
                f" time {c['late']}"
            ),
            (
                f"resolved by a human {c['resolved_by_human']}"
                f" ({_share(c['resolved_by_human'], c['turns'])} of turns)"
            ),
            (
                f"illegal plays made {c['illegal_made'] - c['illegal_explained']}, flagged before"
                f" the next valid roll {c['illegal_flagged']}"
                f" ({_share(c['illegal_flagged'], c['illegal_made'] - c['illegal_explained'])}),"
                f" asked about {c['illegal_asked']}, missed {c['illegal_missed']}"
            ),
            (
                f"  and {c['illegal_explained']} that a legal play of another roll explains:"
                f" flagged {c['explained_flagged']}, asked about {c['explained_asked']}, taken for"
                f" that play {c['explained_taken']}, missed {c['explained_missed']}"
            ),
            (
                f"false accusations {c['false_accusations']} (at most"
                f" {f['false_accusations_upper_95']:.2e} a turn, 95 %)"
            ),
            (
                f"dice right {c['dice_right']}, wrong {c['dice_wrong']}, unread {c['dice_unread']};"
                f" inferred from the play right {c['inferred_right']}, wrong {c['inferred_wrong']};"
                f" left open {c['dice_open']}"
            ),
            (
                f"cocked throws {c['cocked']}, called {c['cocked_called']}, missed"
                f" {c['cocked_missed']}; flat dice called cocked {c['flat_called']}"
            ),
            f"seconds from the press to the verdict: {f['seconds_press_to_verdict']}",
            f"bumps {c['bumps']}, cables pulled {c['cables']}, entries lost {c['entries_lost']}",
        ]
        lines += [
            f"  illegal {kind}: {dict(sorted(n.items()))}"
            for kind, n in sorted(self.illegal.items())
        ]
        return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %" if whole else "none"
