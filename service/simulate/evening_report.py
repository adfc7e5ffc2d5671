"""What a soak of evenings found, for reading and as plain JSON: rates with their 95 % bounds, every
habit with its opportunities, and what went wrong with the habits that were about.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.simulate.habit_table import HABIT_ROWS
from service.simulate.tally import Tally, upper_bound

WRONG: Final = {
    "play_wrong": "plays that did not happen",
    "play_after_wrong_word": "plays on a board that somebody had typed in wrongly, unasked",
    "roll_wrong": "plays with a roll that was not thrown",
    "illegal_as_other_roll": "illegal plays as legal ones of another roll",
    "recorded_illegal": "legal plays recorded as illegal",
    "roll_nobody_threw": "rolls entered that nobody threw, or the other side did",
    "opening_wrong": "opening throws that were none",
    "cube_wrong": "cube entries of what nobody did",
    "end_wrong": "games ended that did not, or for the wrong side",
    "result_wrong": "results with the wrong points",
}
"""Entries that did not happen, by what was counted."""
MISSING: Final = {
    "unrecorded": "turns missing from the record, nobody having been asked for help",
    "cube_unrecorded": "doubles, takes and drops missing",
    "entries_lost": "entries that the journal does not have as they were acknowledged",
}


def lower_bound(events: int, trials: int) -> float:
    """The 95 % lower bound of a rate after so many events in so many trials."""
    return 1.0 - upper_bound(trials - events, trials) if trials else 0.0


def figures_of(tally: Tally) -> Mapping[str, object]:
    """Plain JSON: every count, rates and bounds, habits, causes and failures."""
    c = tally.counts
    turns = c["turns"]
    doubtful = c["illegal_made"]
    legal = turns - doubtful
    wrong = sum(c[name] for name in WRONG)
    told = c["illegal_called"] + c["illegal_asked"]
    due = c["illegal_made"] - c["illegal_unseeable"]
    return {
        **dict(sorted(c.items())),
        "entries_wrong": wrong,
        "entries_wrong_upper_95": upper_bound(wrong, turns),
        "false_accusations_upper_95": upper_bound(c["false_accusations"], legal),
        "stops_upper_95": upper_bound(c["stops"], turns),
        "asked_legal_share": c["asked_legal"] / legal if legal else None,
        "asked_legal_upper_95": upper_bound(c["asked_legal"], legal),
        "illegal_told_share": told / due if due else None,
        "illegal_told_lower_95": lower_bound(min(told, due), due),
        "seconds_to_record": tally.quantiles(),
        "illegal_by_kind": {k: dict(sorted(n.items())) for k, n in sorted(tally.illegal.items())},
        "habits": {
            name: {"opportunities": tally.chances[name], "occurrences": tally.done[name]}
            for name in HABIT_ROWS
        },
        "causes": tally.causes,
        "failures": tally.failures[:2000],
    }


def evening_table_text(tally: Tally) -> str:
    """The same for reading."""
    c = tally.counts
    f = figures_of(tally)
    turns, made = c["turns"], c["illegal_made"]
    legal = turns - made
    lines = [
        f"games {c['games']}, turns {turns}, entries {c['entries']}, recorded right"
        f" {c['recorded_right']}, roll left open {c['roll_open']}, dice not read"
        f" {c['dice_unread']}",
        f"entries that did not happen: {f['entries_wrong']}"
        f" ({_at_most(_number(f['entries_wrong']), turns)} a turn)",
        *(f"  {words}: {c[name]}" for name, words in WRONG.items()),
        *(f"{words}: {c[name]}" for name, words in MISSING.items()),
        f"false accusations: {c['false_accusations']} ({_at_most(c['false_accusations'], legal)})",
        f"dice called that lay as they should: {c['dice_calls_false']}"
        f" ({_at_most(c['dice_calls_false'], turns)} a turn), called rightly"
        f" {c['dice_calls_true']}",
        f"stops, a person needed: {c['stops']} ({_at_most(c['stops'], turns)} a turn); after what"
        f" was truly wrong {c['stops_after_wrong']}; turns not recorded meanwhile"
        f" {c['unrecorded_at_stops']}",
        f"asked a person: {c['asked_legal']} of {legal} legal turns"
        f" ({_at_most(c['asked_legal'], legal)}), and {c['asked_doubtful']} where something was"
        " truly wrong",
        f"illegal plays that stood: {made}; called {c['illegal_called']}, asked about"
        f" {c['illegal_asked']}, missed {c['illegal_missed']}, not to be told from a legal play"
        f" {c['illegal_unseeable']}; told of the rest at least"
        f" {100 * _number(f['illegal_told_lower_95']):.1f} % (95 %); as a legal play of"
        f" another roll where the dice were read {c['illegal_as_read']}",
        f"another history gives the same observations: {c['same_observations']}",
        f"rolls read {c['rolls_read']}, misread as announced {c['rolls_misread']}",
        f"seconds from the turn's end to its entry: {tally.quantiles()}",
        "",
        "habit: occurrences of opportunities",
        *(
            f"  {name}: {tally.done[name]} of {tally.chances[name]}"
            + (" (under 100)" if tally.done[name] < 100 else "")
            for name in HABIT_ROWS
        ),
        "",
        *(
            f"  illegal {kind}: {dict(sorted(n.items()))}"
            for kind, n in sorted(tally.illegal.items())
        ),
        *_worst(tally),
    ]
    return "\n".join(lines)


def _worst(tally: Tally) -> list[str]:
    """For each thing that went wrong, the habits that were about most often."""
    lines = [""]
    for what in (
        *WRONG,
        "false_accusations",
        "dice_calls_false",
        "stopped in",
        "stops",
        "illegal_missed",
        "asked_legal",
    ):
        about = sorted(tally.causes.get(what, {}).items(), key=lambda item: -item[1])[:8]
        if about:
            lines.append(f"{what}, with: " + ", ".join(f"{name} {n}" for name, n in about))
    return lines


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _at_most(events: float, trials: int) -> str:
    share = 100 * events / trials if trials else 0.0
    return f"{share:.2f} %, at most {100 * upper_bound(int(events), trials):.3f} %"
