"""Make the Python and C sides of the wire from `protocol.toml`: `python -m
firmware_bridge.generate`.

Both outputs are checked in, so that neither a user nor the firmware's build needs this; a test
compares them with a fresh run. The board's dimensions (`hardware/board.toml`) are copied into the
package the same way, so that an installed `takhte` has them.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NotRequired, TypedDict

PACKAGE: Final = Path(__file__).resolve().parent
HARDWARE: Final = PACKAGE.parent / "hardware"
NOTICE: Final = (
    "Generated from firmware_bridge/protocol.toml by `python -m firmware_bridge.generate`"
)
CHANGE: Final = "change that, not this."

_SIZE: Final = {"u8": 1, "u16": 2, "u32": 4}
_CODE: Final = {"u8": "B", "u16": "H", "u32": "I"}


class MessageRow(TypedDict):
    """One message of the table: its number, a sentence, its fields, and the record that repeats."""

    id: int
    about: str
    fields: dict[str, str]
    each: NotRequired[dict[str, str]]


@dataclass(frozen=True, slots=True)
class MessageTable:
    """`protocol.toml` as values."""

    version: int
    baud: int
    max_payload: int
    constant: dict[str, int | str]
    message: dict[str, MessageRow]


@dataclass(frozen=True, slots=True)
class BoardNumbers:
    """What of the board the firmware must know: the strip's milliamperes, the LEDs of the bar, and
    how many eighths of the sensors' supply the converter's reference is."""

    full_ma: float
    idle_ma: float
    cap_ma: float
    bar: tuple[int, ...]
    reference_eighths: int


def size(kind: str) -> int:
    """Bytes of a field: "u16" 2, "8s" 8, "u8*48" 48."""
    if kind.startswith("u8*"):
        return int(kind[3:])
    return int(kind[:-1]) if kind.endswith("s") else _SIZE[kind]


def layout(fields: dict[str, str]) -> str:
    """The `struct` format of a record."""
    return "<" + "".join(_CODE.get(kind, f"{size(kind)}s") for kind in fields.values())


def python_text(table: MessageTable) -> str:
    lines = [
        f'"""{NOTICE}:',
        f'{CHANGE}"""',
        "",
        "from __future__ import annotations",
        "",
        "import enum",
        "from typing import Final",
        "",
    ]
    lines += [
        f"VERSION: Final = {table.version}",
        f"BAUD: Final = {table.baud}",
        f"MAX_PAYLOAD: Final = {table.max_payload}",
    ]
    for name, value in table.constant.items():
        lines.append(
            f"{name.upper()}: Final ="
            f" {value if isinstance(value, int) else 'b' + chr(34) + value + chr(34)}"
        )
    lines += ["", "", "class Type(enum.IntEnum):", '    """The first byte of every frame."""', ""]
    for name, message in table.message.items():
        lines.append(f"    {name.upper()} = 0x{message['id']:02X}")
    lines += ["", "", "LAYOUT: Final[dict[Type, str]] = {"]
    lines += [
        f'    Type.{name.upper()}: "{layout(message["fields"])}",'
        for name, message in table.message.items()
    ]
    lines += [
        "}",
        '"""`struct` format of the fixed part of each payload."""',
        "",
        "EACH: Final[dict[Type, str]] = {",
    ]
    lines += [
        f'    Type.{name.upper()}: "{layout(message["each"])}",'
        for name, message in table.message.items()
        if "each" in message
    ]
    lines += [
        "}",
        '"""`struct` format of the record that repeats to the end of the frame."""',
        "",
        "FIELDS: Final[dict[Type, tuple[str, ...]]] = {",
    ]
    for name, message in table.message.items():
        names = ", ".join(f'"{field}"' for field in message["fields"]) + (
            "," if len(message["fields"]) == 1 else ""
        )
        line = f"    Type.{name.upper()}: ({names}),"
        if len(line) <= 100:
            lines.append(line)
        else:
            lines += (
                [f"    Type.{name.upper()}: ("]
                + [f'        "{field}",' for field in message["fields"]]
                + ["    ),"]
            )
    lines += ["}", '"""Names of the fixed fields, in order."""', ""]
    return "\n".join(lines)


def c_text(table: MessageTable, board: BoardNumbers) -> str:
    lines = [
        f"/* {NOTICE}: {CHANGE} */",
        "#ifndef TAKHTE_PROTOCOL_H",
        "#define TAKHTE_PROTOCOL_H",
        "",
    ]
    lines += [
        f"#define PROTOCOL_VERSION {table.version}",
        f"#define BAUD {table.baud}UL",
        f"#define MAX_PAYLOAD {table.max_payload}",
    ]
    for name, value in table.constant.items():
        text = (
            f'"{value}"'
            if isinstance(value, str)
            else f"{value}" + ("UL" if value > 0xFFFF else "")
        )
        lines.append(f"#define {name.upper()} {text}")
    lines += ["", "/* of hardware/board.toml */"]
    lines += [
        f"#define LED_FULL_MA {board.full_ma}",
        f"#define LED_IDLE_MA {board.idle_ma}",
        f"#define LED_CAP_MA {board.cap_ma}",
    ]
    lines += [
        (
            f"#define LED_LOST {board.bar[0]} /* from this LED on the board shows that its host"
            " is gone */"
        ),
        f"#define LED_LOST_COUNT {len(board.bar)}",
        f"#define REFERENCE_EIGHTHS {board.reference_eighths}",
    ]
    lines += ["", "/* the first byte of every frame */", "enum message_type {"]
    lines += [
        f"    MSG_{name.upper()} = 0x{message['id']:02X},"
        for name, message in table.message.items()
    ]
    lines += ["};", ""]
    for name, message in table.message.items():
        lines.append(f"/* {message['about']} */")
        at = 0
        for field, kind in message["fields"].items():
            lines.append(f"#define {name.upper()}_{field.upper()}_AT {at} /* {kind} */")
            at += size(kind)
        lines.append(f"#define {name.upper()}_SIZE {at}")
        each = 0
        for field, kind in message.get("each", {}).items():
            lines.append(f"#define {name.upper()}_EACH_{field.upper()}_AT {each} /* {kind} */")
            each += size(kind)
        if each:
            lines.append(f"#define {name.upper()}_EACH_SIZE {each}")
        lines.append("")
    lines += ["#endif", ""]
    return "\n".join(lines)


def outputs() -> dict[Path, str]:
    """Every generated file and what it must hold."""
    given = tomllib.loads((PACKAGE / "protocol.toml").read_text(encoding="utf-8"))
    table = MessageTable(
        given["version"], given["baud"], given["max_payload"], given["constant"], given["message"]
    )
    board = (HARDWARE / "board.toml").read_text(encoding="utf-8")
    spec = tomllib.loads(board)
    strip = spec["leds"]
    numbers = BoardNumbers(
        strip["full_ma"],
        strip["idle_ma"],
        strip["cap_ma"],
        tuple(strip["bar"]),
        spec["sensor"]["reference_eighths"],
    )
    return {
        PACKAGE / "wire.py": python_text(table),
        HARDWARE / "firmware/core/protocol.h": c_text(table, numbers),
        PACKAGE / "board.toml": board,
    }


def main() -> None:
    for path, text in outputs().items():
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(PACKAGE.parent)}")


if __name__ == "__main__":
    main()
