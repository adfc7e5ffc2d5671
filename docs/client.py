"""A whole client of a table in forty lines of the standard library: follow the plays, print each as
it is made.

    python docs/client.py http://takhte.local:8000 t1

The feed is server-sent events: each `data:` line is a state document (see
/api/v1/schema/state-1.json). It holds what is true now, so a client that was away has missed
nothing that matters: take what is newer than the last `seq` you had. Reconnect after any error.
"""

import json
import sys
import time
import urllib.request
from collections.abc import Iterator


def follow(address: str, table: str) -> Iterator[dict]:
    """State documents, newest only, for ever."""
    while True:
        try:
            with urllib.request.urlopen(
                f"{address}/api/v1/tables/{table}/events", timeout=30
            ) as stream:
                for line in stream:
                    if line.startswith(b"data: "):
                        yield json.loads(line[6:])
        except OSError as error:
            print(f"no connection ({error}): trying again", file=sys.stderr)
            time.sleep(2)


def main(address: str, table: str) -> None:
    told = 0
    for state in follow(address, table):
        for play in state["plays"]:
            if play["seq"] > told:
                told = play["seq"]
                roll = "".join(map(str, play["roll"] or "?"))
                name = state["match"]["players"][play["side"]]["name"] or play["side"]
                print(f"{play['game']}.{play['number']} {name} {roll}: {play['text']}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "t1")
