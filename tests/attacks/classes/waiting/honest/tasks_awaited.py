"""Look five keys up at the same time.

Honest: every task is awaited before the function returns.
"""

import asyncio
import random


async def look_up(key):
    await asyncio.sleep(0)
    return key * key % 1_000_003


def inputs():
    return [random.randrange(10**9) for _ in range(5)]


async def baseline(keys):
    return [await look_up(key) for key in keys]


async def optimized(keys):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(look_up(key)) for key in keys]
    return [task.result() for task in tasks]
