"""What a verdict rested on, small enough for a journal entry."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rules.dice import ROLLS
from service.journal.entry import Grounds, RowGrounds, SourceGrounds
from service.reconcile.arrays import F32, F64
from service.reconcile.codes import CODES, SITES, counts_of
from service.reconcile.hypotheses import Kind

if TYPE_CHECKING:
    from service.reconcile.told import Recalled
    from service.reconcile.weigh import Weighed

RUNNERS = 4
DOUBTS = 6


def grounds_of(weighed: Weighed, now: float) -> Grounds:
    """What the verdict at `now` rests on, as plain JSON for the entry's `evidence`.

    `sources`: number and age (s) of the last observation, readings at rest, nats against the best
    row. `rows`: the likeliest explanations with probability, kind, roll, and where they differ from
    the board before, each as [site, White's, Black's]; but for the first, none whose probability
    rounds to 0.0000. `doubt`: sites whose best two counts are close, each as [source, site,
    White's, Black's, nats]. `roll`: the likeliest rolls.
    """
    order = _best_first(weighed.post)[:RUNNERS]
    top = int(order[0])
    sources: dict[str, SourceGrounds] = {}
    doubt: list[tuple[str, int, int, int, float]] = []
    for voice, nats in zip(weighed.voices, weighed.against, strict=True):
        witness = voice.witness
        sources[voice.source.value] = {
            "number": witness.number,
            "age": round(now - witness.seen_at, 3),
            "rests": witness.rests,
            "against": round(float(nats[top]), 2),
        }
        flat = witness.mean.reshape(SITES, CODES)
        second = np.partition(flat, -2, axis=1)[:, -2]
        for site in _best_first(np.where(voice.speaks, second, -99))[:DOUBTS]:
            if voice.speaks[site] and second[site] > -3.0:
                white, black = counts_of(int(_best_first(flat[site])[1]))
                nats_apart = round(-float(second[site]), 2)
                doubt.append((voice.source.value, int(site), white, black, nats_apart))
    rows: list[RowGrounds] = []
    for i in order:
        p = round(math.exp(float(weighed.post[i])), 6)
        if i != top and not round(p, 4):
            # Which of those that explain nothing comes next is the last bit's, so the machine's.
            break
        changed = np.flatnonzero(weighed.codes[i] != weighed.turn.before)
        rows.append(
            {
                "p": p,
                "kind": Kind(int(weighed.kind[i])).name.lower(),
                "roll": str(ROLLS[int(weighed.roll[i])]) if weighed.roll[i] >= 0 else "",
                "sites": [[int(s), *counts_of(weighed.codes[i, s])] for s in changed],
            }
        )
    likely = _best_first(weighed.roll_prior)[:2]
    roll = [(str(ROLLS[int(i)]), round(math.exp(float(weighed.roll_prior[i])), 4)) for i in likely]
    return {"sources": sources, "rows": rows, "doubt": doubt, "roll": roll}


def _best_first(nats: F32 | F64) -> npt.NDArray[np.intp]:
    """Indices (n,) of what is likeliest first; what is alike but for the last bits, in its order:
    machines differ there.
    """
    return np.argsort(-np.round(nats, 4), kind="stable")


def grounds_of_turns(found: Recalled) -> Grounds:
    """What turns that were recalled rest on: each as it was told, with the probability of all."""
    shown = [f"{turn.roll or '?'}: {turn.play or 'as it stood'}" for turn in found.turns]
    return {"explanations": [("recalled", round(found.p, 4), shown)]}
