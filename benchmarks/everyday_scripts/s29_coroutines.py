"""Two coroutine functions, handed over as they are."""

import asyncio
import random

import perfproof


async def lookup(k):
    await asyncio.sleep(0)
    return k * k


async def in_turn(keys):
    return [await lookup(k) for k in keys]


async def grouped(keys):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(lookup(k)) for k in keys]
    return [t.result() for t in tasks]


answer = perfproof.compare(in_turn, grouped, lambda: [random.randrange(1000) for _ in range(50)], effort="quick")
print(answer)
print(answer.status)
