"""Building the firmware and the emulator for tests.

A missing toolchain is a loud failure, never a skip.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIRMWARE = ROOT / "hardware/firmware"
EMULATOR = ROOT / "hardware/emulator"


def need(*programs: str) -> None:
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        raise AssertionError(
            f"{', '.join(missing)} not found: the firmware cannot be built. Run"
            " scripts/system-packages test (gcc-avr, avr-libc, libsimavr-dev, gcc-arm-none-eabi,"
            " libnewlib-arm-none-eabi, nodejs)"
        )


def make(folder: Path, *targets: str) -> Path:
    """Run make in a folder, one maker at a time; its build folder."""
    need("make", "gcc", "avr-gcc")
    lock = ROOT / "build"
    lock.mkdir(exist_ok=True)
    with (lock / "hardware.lock").open("w") as held:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(held, fcntl.LOCK_EX)
        done = subprocess.run(
            ["make", "-s", "-C", str(folder), *targets], capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, (
        f"make {' '.join(targets)} in {folder}:\n{done.stdout}{done.stderr}"
    )
    return folder / "build"


@functools.cache
def firmware_elf() -> Path:
    return make(FIRMWARE) / "board.elf"


@functools.cache
def firmware_uf2() -> Path:
    need("arm-none-eabi-gcc")
    return make(FIRMWARE, "rp2040") / "board.uf2"


@functools.cache
def native_board() -> Path:
    return make(FIRMWARE, "build/native") / "native"
