"""Write the UF2 file of an RP2040 image: `python uf2.py board.bin board.uf2`.

Blocks of 256 bytes for the ROM's USB drive, and in the first the checksum that the ROM asks of the
first 252 bytes (CRC-32, high bit first, without a last inversion).
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path
from typing import Final

FLASH: Final = 0x10000000
RP2040: Final = 0xE48BFF56
"""The family id, so that no other chip's loader takes the file."""
BLOCK: Final = 256


def checksum(data: bytes) -> int:
    """The ROM's CRC-32 of so many bytes."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (0x04C11DB7 if crc & 0x80000000 else 0)) & 0xFFFFFFFF
    return crc


def uf2(image: bytes) -> bytes:
    """The file that carries an image which begins at the flash's first byte."""
    image = image[:252] + struct.pack("<I", checksum(image[:252])) + image[256:]
    image += bytes(-len(image) % BLOCK)
    count = len(image) // BLOCK
    head = (0x0A324655, 0x9E5D5157, 0x2000)
    return b"".join(
        struct.pack("<8I", *head, FLASH + BLOCK * n, BLOCK, n, count, RP2040)
        + image[BLOCK * n : BLOCK * (n + 1)].ljust(476, b"\0")
        + struct.pack("<I", 0x0AB16F30)
        for n in range(count)
    )


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(uf2(Path(sys.argv[1]).read_bytes()))
