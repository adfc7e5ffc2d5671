"""The same messages through bare nats-py, at the pace at which the tables sent them: what the least
program with the same libraries does. Prints p50 and p99 from publish to receipt, in ms, and the CPU
seconds of each half."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path

import nats
from nats.js import api


async def main(port: int, dump: Path, half: str) -> None:
    rows = [json.loads(line) for line in dump.read_text().splitlines()]
    line = await nats.connect(f"nats://127.0.0.1:{port}")
    stream = line.jetstream()
    if half == "publish":
        began, first = time.monotonic(), rows[0][0]
        sending = set()
        for at, table, size in rows:
            await asyncio.sleep(max(0.0, at - first - (time.monotonic() - began)))
            stamp = f"{time.time():.6f} ".encode()
            task = asyncio.create_task(stream.publish(f"bare.{table}", stamp.ljust(size, b"x")))
            sending.add(task)
            task.add_done_callback(sending.discard)
        await asyncio.gather(*sending)
        print(json.dumps({"cpu": sum(os.times()[:2]), "seconds": time.monotonic() - began}))
    else:
        await stream.add_stream(api.StreamConfig(name="BARE", subjects=["bare.*"]))
        arrived = await stream.subscribe(
            "bare.*", ordered_consumer=True, deliver_policy=api.DeliverPolicy.NEW
        )
        print("ready", flush=True)
        ages = []
        for _ in rows:
            message = await arrived.next_msg(timeout=60)
            ages.append(time.time() - float(message.data.split(b" ", 1)[0]))
        ages.sort()
        found = {
            "p50": 1000 * ages[len(ages) // 2],
            "p99": 1000 * ages[int(len(ages) * 0.99)],
            "count": len(ages),
        }
        print(json.dumps({**found, "cpu": sum(os.times()[:2])}))
    await line.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
