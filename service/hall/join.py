"""`takhte join ADDRESS [CODE]`: let this table join a hall (E).

The address and the code are what the hall's desk shows; `--camera` reads both from the picture of
the code held before the table's camera.
"""

from __future__ import annotations

import argparse
import json
import sys
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import cv2
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from rules.words import about_command
from service.appliance.joined import Joined, JoinedError, joined_path, save_joined
from service.hall.identity import hall_id, key_id, link_seed, nkey
from service.hall.wire import JOIN, WELCOME
from service.journal.keys import KeyFileError, key_path, table_key
from service.record.archive import fingerprint
from service.settings import from_arguments

PATIENCE_S = 15.0
LOOKS = 300
"""Pictures in which a code is looked for."""


def request_of(code: str, key: Ed25519PrivateKey) -> dict[str, str]:
    """What a board sends to join: its keys, and its signature over them and the code."""
    public, link = key_id(key.public_key().public_bytes_raw()), nkey(link_seed(key))
    signature = key.sign(JOIN.format(code=code, key=public, link=link).encode()).hex()
    return {"code": code, "key": public, "link": link, "signature": signature}


def read_address(text: str, code: str) -> tuple[str, str, str]:
    """(page, code, the hall's id or "") from what a person typed or a picture held.

    Raises JoinedError.
    """
    whole = text if "://" in text else f"http://{text}"
    parts = urlsplit(whole)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise JoinedError(
            f"expected the hall's address, such as http://hall.local:8010, got {text[:60]!r}"
        )
    query = parse_qs(parts.query)
    found = code or query.get("code", [""])[0]
    if not found:
        raise JoinedError("expected a code: the hall's desk shows one under Boards")
    return (
        f"{parts.scheme}://{parts.netloc}",
        found.strip().upper().replace("-", "").replace(" ", ""),
        query.get("hall", [""])[0],
    )


def ask_hall(page: str, body: dict[str, str]) -> Joined:
    """What the hall answers to a board with a code. Raises JoinedError with its own reason."""
    data = json.dumps(body).encode()
    request = urllib.request.Request(  # noqa: S310
        f"{page}/api/v1/hall/join", data, {"content-type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:  # noqa: S310
            found = json.loads(answer.read(65536))
    except urllib.error.HTTPError as error:
        refusal = json.loads(error.read(65536) or b"{}").get("error", {})
        raise JoinedError(f"the hall says no: {refusal.get('expected', error.reason)}") from None
    except (OSError, ValueError) as error:
        raise JoinedError(
            f"the hall at {page} does not answer ({error}): is the address right, and is this"
            " machine on its network?"
        ) from None
    if not isinstance(found, dict):
        raise JoinedError(f"expected the hall's answer, got {str(found)[:40]!r}")
    names = ("hall", "nats", "table", "page", "certificate")
    joined = Joined(**{name: str(found.get(name, "")) for name in names})
    said = WELCOME.format(
        key=body["key"], table=joined.table, nats=joined.nats, certificate=joined.certificate
    )
    try:
        hall = Ed25519PublicKey.from_public_bytes(bytes.fromhex(joined.hall))
        hall.verify(bytes.fromhex(str(found.get("signature", ""))), said.encode())
    except (InvalidSignature, ValueError):
        raise JoinedError(
            "expected an answer signed by the hall's own key, got another: somebody is between, or"
            " the hall runs an earlier version; nothing was kept"
        ) from None
    return joined


def code_in_pictures(source: str) -> str:
    """The text of a code held before a camera, or in a picture file. Raises JoinedError."""
    video = cv2.VideoCapture(int(source) if source.isdecimal() else source)
    # The plain detector misses one clean code in seventeen (24 of 400); this one none of them. Each
    # may see a skewed code that the other does not.
    readers = (cv2.QRCodeDetectorAruco(), cv2.QRCodeDetector())
    try:
        for _ in range(LOOKS):
            done, picture = video.read()
            if not done:
                break
            for reader in readers:
                text, _, _ = reader.detectAndDecode(picture)
                if text:
                    return str(text)
    finally:
        video.release()
    raise JoinedError(
        f"no code was seen by camera {source}: hold it flat, a hand's width below the camera, or"
        " type it"
    )


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="takhte join",
        description=about_command(__doc__),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "address", nargs="?", default="", help="the hall's address as its desk shows it"
    )
    parser.add_argument("code", nargs="?", default="", help="the one-time code")
    parser.add_argument(
        "--camera",
        default="",
        metavar="SOURCE",
        help="read both from the code held before this camera, or from a picture",
    )
    parser.add_argument("--leave", action="store_true", help="publish to no hall any more")
    parser.add_argument("--settings", type=Path, metavar="FILE")
    parser.add_argument(
        "--journal", metavar="FILE", help="the table's journal (default: the settings')"
    )
    parser.add_argument("--name")
    given = parser.parse_args(words)
    camera, given.camera, given.board = given.camera, None, None
    settings = from_arguments(given)
    path = joined_path(settings.journal)
    try:
        if given.leave:
            path.unlink(missing_ok=True)
            print("This table publishes to no hall.")
            return 0
        page, code, expected = read_address(
            code_in_pictures(camera) if camera else given.address, given.code
        )
        key = table_key(key_path(settings.journal))
        joined = ask_hall(page, request_of(code, key))
        found = hall_id(bytes.fromhex(joined.hall))
        if expected and expected != found:
            raise JoinedError(
                f"expected the hall {expected}, an impostor answered ({found}): nothing was kept"
            )
        save_joined(path, joined)
    except (JoinedError, KeyFileError, OSError) as error:
        print(f"takhte join: {error}", file=sys.stderr)
        return 1
    print(f"This board is table {joined.table} of the hall {joined.page}.")
    print(
        f"The hall's key: {fingerprint(bytes.fromhex(joined.hall))}   this table's key:"
        f" {fingerprint(key.public_key().public_bytes_raw())}"
    )
    print(
        "Compare both with what the hall's desk shows. A running `takhte run` begins to publish by"
        " itself."
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
