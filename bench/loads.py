"""A page that is loaded again and again: `python -m bench.loads ADDRESS COOKIE SECONDS EVERY`.

Prints how long each took, in seconds. In a process of its own, so that nothing but the web process makes it wait.
"""

import asyncio
import json
import sys
import time

import httpx


async def loads(address: str, cookie: str, seconds: float, every: float) -> list[float]:
    """The next one is asked for in time, whether the last one is there or not."""
    async with httpx.AsyncClient(timeout=60, headers={"Cookie": cookie}) as client:
        asked = []
        for _ in range(int(seconds / every)):
            asked.append(asyncio.create_task(load(client, address)))
            await asyncio.sleep(every)
        return list(await asyncio.gather(*asked))


async def load(client: httpx.AsyncClient, address: str) -> float:
    began = time.monotonic()
    response = await client.get(address)
    response.raise_for_status()
    return time.monotonic() - began


if __name__ == "__main__":
    address, cookie, *numbers = sys.argv[1:]
    print(json.dumps(asyncio.run(loads(address, cookie, *map(float, numbers)))))
