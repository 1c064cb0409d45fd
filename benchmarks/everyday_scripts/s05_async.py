"""Gather simulated requests instead of awaiting one after the other, from a script."""

import asyncio
import random
import perfproof


async def fetch(ms):
    await asyncio.sleep(ms / 1000)
    return ms * 2


def sequential(delays):
    async def go():
        return [await fetch(d) for d in delays]

    return asyncio.run(go())


def gathered(delays):
    async def go():
        return await asyncio.gather(*[fetch(d) for d in delays])

    return asyncio.run(go())


answer = perfproof.compare(sequential, gathered, lambda: [random.uniform(1, 3) for _ in range(8)], effort="quick")
print(answer)
print(answer.status)
