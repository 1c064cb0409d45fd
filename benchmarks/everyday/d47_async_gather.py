"""Fetch (simulated) pages one after the other against gather."""

import asyncio
import random


async def fetch(key):
    await asyncio.sleep(0.001)
    return {"key": key, "body": str(key) * 3}


def inputs():
    return ([random.randrange(10**6) for _ in range(8)],)


def baseline(keys):
    async def main():
        return [await fetch(k) for k in keys]

    return asyncio.run(main())


def optimized(keys):
    async def main():
        return list(await asyncio.gather(*map(fetch, keys)))

    return asyncio.run(main())
