"""The words for what an entry holds as code and facts, in every language: what faces show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rules.infraction import WORDS, Broken, say_infraction
from rules.words import SOURCE, languages
from service.journal.codec import Json
from service.journal.entry import Facts
from service.journal.lifting import INFRINGED, SAID

RECORD: Final = "record"
"""The matter of an alert about the record's own file."""
ALERTS: Final[Mapping[tuple[str, str], str]] = {
    ("cube_out_of_turn", "no_cube"): "This game is played without a cube.",
    ("cube_out_of_turn", "crawford"): "The cube does not count in the Crawford game.",
    ("cube_out_of_turn", "owner"): "Only the side that owns the cube may double.",
    ("cube_out_of_turn", "limit"): "The cube has reached its limit.",
    ("cube_out_of_turn", "dead"): "The cube can gain nothing now, and may not be turned.",
    ("cube_out_of_turn", "rolled"): "The cube may be turned only before the roll.",
    ("flag", "nothing"): (
        "The ladder would take {amount} off the score, but there is nothing to take: it costs"
        " nothing."
    ),
    ("flag", "deducted"): "The ladder takes {costs} off the score.",
    ("flag", "deducted_below_zero"): "The ladder takes {costs} off the score.",
    ("flag", "awarded"): "The ladder gives the opponent {costs}.",
    ("flag", "warning"): "The ladder says: a warning.",
    ("flag", "game"): "The ladder says: the game.",
    ("flag", "match"): "The ladder says: the match.",
    ("flag", "director"): "The director decides what it costs.",
    ("late_start", "nothing"): (
        "{minutes} min late: by the usual scale {amount} off the score, but there is nothing to"
        " take."
    ),
    ("late_start", "deducted"): "{minutes} min late: by the usual scale {costs} off the score.",
    ("late_start", "deducted_below_zero"): (
        "{minutes} min late: by the usual scale {costs} off the score."
    ),
    ("late_start", "awarded"): "{minutes} min late: by the usual scale {costs} to the opponent.",
    ("late_start", "match"): "{minutes} min late: by the usual scale this costs the match.",
    ("wrong_setup", ""): "The game was begun with the checkers not at the start as they were seen.",
    ("touch_move", ""): "A checker was set down elsewhere and taken back.",
    ("release_is_final", ""): "A checker was set down and taken back, or another play made.",
    ("unanswered", ""): "The likeliest play is in the record: compare it with the board.",
    ("denied", "white"): (
        "For some turns White's {point} point has read {seen}, and the record has {recorded}:"
        " compare it with the board."
    ),
    ("denied", "black"): (
        "For some turns Black's {point} point has read {seen}, and the record has {recorded}:"
        " compare it with the board."
    ),
    ("set_up_anew", "white"): (
        "The checkers are set up anew: White is taken to have won. Put the score right if not."
    ),
    ("set_up_anew", "black"): (
        "The checkers are set up anew: Black is taken to have won. Put the score right if not."
    ),
    ("roll_said", "roll"): "{roll}: it counts once the other side says the same.",
    ("roll_said", "opening"): "{white} and {black}: it counts once the other side says the same.",
    (RECORD, "rewritten"): (
        "The journal's file was deleted, replaced or cut while the table wrote it. All {entries}"
        " entries were written anew; none is missing."
    ),
    (RECORD, "mended"): (
        "The journal's file was damaged. Its {entries} entries stand in a new one; none is missing."
    ),
    (RECORD, "missing"): (
        "Entries {first} to {last} are missing from the record: the journal's file was damaged."
        " What is left of it is kept beside the journal."
    ),
}
"""What an alert says beyond its matter, by matter and code; of costly ones by what they cost."""
NOTES: Final[Mapping[str, str]] = {
    "press_ignored": "A press of the clock's button that counted for nothing.",
    "press_late": "A press on a phone came so late that its moment had passed.",
    "dice_anywhere": "The dice lay in another half of the board, and were played.",
    "hit_checker": "The hit checker is not on the bar.",
} | {broken.value: words for broken, words in WORDS.items() if "{" not in words}
"""What was noted, by its matter; a cube that may not be turned says why by its alert's words."""
COSTLY: Final = ("flag", "late_start")
"""Matters whose facts name a penalty."""

_CODES: Final = {broken.value: broken for broken in Broken}


def words_for(code: str, facts: Facts) -> dict[str, str]:
    """Language to the sentence for an infraction's code and facts; empty where there is none.

    What an old entry kept as sentences is given as it was kept.
    """
    kept = facts.get(SAID)
    if isinstance(kept, Mapping):
        return {lang: str(text) for lang, text in kept.items()}
    if code not in _CODES:
        return {}
    named = {k: v for k, v in facts.items() if isinstance(v, int | str)}
    try:
        return {
            lang: say_infraction(_CODES[code], named, language)
            for lang, language in languages().items()
        }
    except KeyError:
        # A fact that the words of this version name was not kept.
        return {}


def alert_words(matter: str, code: str, facts: Facts) -> dict[str, str]:
    """Language to what an alert says beyond its matter; empty where it says no more."""
    if matter == "source_lost":
        return {SOURCE: str(facts["reason"])} if "reason" in facts else {}
    if matter in INFRINGED or SAID in facts:
        return words_for(code, facts)
    words = ALERTS.get((matter, _cost(facts) if matter in COSTLY else code))
    if words is None:
        return {}
    filled = {k: str(v) for k, v in facts.items()}
    return {
        lang: language.with_digits(language.say(words).format_map(filled))
        for lang, language in languages().items()
    }


def note_words(matter: str, text: str) -> dict[str, str]:
    """Language to what was noted; empty for a matter that this version does not know."""
    words = ALERTS.get((matter, text)) or NOTES.get(matter)
    return {lang: language.say(words) for lang, language in languages().items()} if words else {}


def _cost(facts: Facts) -> str:
    """What a flag or a late start costs, as `ALERTS` names it; "" of an older entry."""
    if facts.get("penalty") != "points":
        return str(facts.get("penalty", ""))
    return str(facts["lost"]) if facts.get("costs") else "nothing"


def entry_words(kind: str, body: Mapping[str, Json]) -> dict[str, str]:
    """Language to the sentence that an entry of any version stands for, `body` as it was sealed;
    empty for entries that say nothing of a rule, a note or a lost source.
    """
    evidence = body.get("evidence")
    evidence = evidence if isinstance(evidence, Mapping) else {}
    kept = body.get("why") or evidence.get("why")
    if isinstance(kept, Mapping):
        return {lang: str(text) for lang, text in kept.items()}
    facts, known = _facts(body.get("facts")), _facts(evidence.get("facts"))
    if kind == "noted":
        return note_words(str(body.get("matter")), str(body.get("text", "")))
    if kind == "alert_raised" and facts is not None:
        return alert_words(str(body.get("matter")), str(body.get("code")), facts)
    if kind == "illegal_noticed" and facts is not None:
        return words_for(str(body.get("code")), facts)
    return words_for(str(body.get("infraction")), known) if known is not None else {}


def _facts(value: object) -> Facts | None:
    """The facts that a sealed body holds; None where it holds none."""
    if not isinstance(value, Mapping):
        return None
    return {k: v for k, v in value.items() if isinstance(v, int | str | Mapping)}
