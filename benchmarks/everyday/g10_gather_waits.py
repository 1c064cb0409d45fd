"""Wait for twenty slow lookups together instead of one after the other."""

import asyncio
import random


def inputs():
    return [random.randrange(10**9) for _ in range(20)]


async def lookup(key):
    await asyncio.sleep(0.001)
    return {"key": key, "value": key * 31 % 1_000_003}


async def one_by_one(keys):
    return [await lookup(k) for k in keys]


async def together(keys):
    return list(await asyncio.gather(*(lookup(k) for k in keys)))


def baseline(keys):
    return asyncio.run(one_by_one(keys))


def optimized(keys):
    return asyncio.run(together(keys))
