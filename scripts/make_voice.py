"""Make the phrases of the table's voice that ship: `python scripts/make_voice.py`.

For browsers that have no voice of their own in the page's language. espeak-ng (GPL, a process of
its own; what it says is not covered by its licence) reads the words below; each becomes a small WAV
of 8 bits, which every browser plays.
"""

from __future__ import annotations

import io
import subprocess
import sys
import wave
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

INTO: Final = Path(__file__).resolve().parents[1] / "service" / "web" / "static" / "voice"
RATE: Final = 11_025
WORDS_A_MINUTE: Final = "140"

DICE_FA: Final = ("یِک", "دو", "سه", "چَهار", "پَنج", "شِش")
PHRASES_FA: Final[Mapping[str, str]] = {
    **{
        f"{a}{b}": f"جفت {DICE_FA[a - 1]}" if a == b else f"{DICE_FA[a - 1]}ُ {DICE_FA[b - 1]}"
        for a in range(1, 7)
        for b in range(1, a + 1)
    },
    "neshast": "نِشَست",
    "no-play": "حرکتی نیست",
    "illegal": "این حرکت مُجاز نیست",
    "double": "دوبِل",
    "take": "پَذیرُفت",
    "game": "دَست تَمام شُد",
    "flag": "وَقت تَمام شُد",
    "on": "صِدا رُشَن است",
}
"""Each phrase by its file's name. Short vowels are written where espeak-ng would guess wrong."""
DICE_EN: Final = ("one", "two", "three", "four", "five", "six")
PHRASES_EN: Final[Mapping[str, str]] = {
    **{
        f"{a}{b}": f"double {DICE_EN[a - 1]}" if a == b else f"{DICE_EN[a - 1]} {DICE_EN[b - 1]}"
        for a in range(1, 7)
        for b in range(1, a + 1)
    },
    "neshast": "neshast",
    "no-play": "no play",
    "illegal": "this play is not legal",
    "double": "double",
    "take": "taken",
    "game": "the game is over",
    "flag": "time is up",
    "on": "the voice is on",
}
LANGUAGES: Final = {"en": PHRASES_EN, "fa": PHRASES_FA}


def spoken(words: str, language: str) -> bytes:
    """A WAV of the words, one channel of 8 bits."""
    command = ["espeak-ng", "-v", language, "-s", WORDS_A_MINUTE, "--stdout", words]
    made = subprocess.run(command, capture_output=True, check=True).stdout  # noqa: S603
    with wave.open(io.BytesIO(made)) as found:
        rate = found.getframerate()
        heard = np.frombuffer(found.readframes(found.getnframes()), np.int16).astype(float)
    at = np.arange(0, len(heard), rate / RATE)
    less = np.interp(at, np.arange(len(heard)), heard) / max(1.0, float(np.abs(heard).max()))
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(RATE)
        file.writeframes((128 + 115 * less).round().astype(np.uint8).tobytes())
    return out.getvalue()


def main() -> int:
    for language, phrases in LANGUAGES.items():
        folder = INTO / language
        folder.mkdir(parents=True, exist_ok=True)
        for name, words in phrases.items():
            (folder / f"{name}.wav").write_bytes(spoken(words, language))
        size = sum(path.stat().st_size for path in folder.glob("*.wav"))
        print(f"{language}: {len(phrases)} phrases, {size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
