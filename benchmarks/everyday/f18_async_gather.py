import asyncio
import random


def inputs():
    return {f"user{n}": [random.randrange(1000) for _ in range(20)] for n in range(8)}


async def fetch(store, key):
    await asyncio.sleep(0.002)  # the network
    return store[key]


async def baseline(store):
    answer = {}
    for key in store:
        values = await fetch(store, key)
        answer[key] = sum(values) / len(values)
    return answer


async def optimized(store):
    keys = list(store)
    lists = await asyncio.gather(*(fetch(store, key) for key in keys))
    return {key: sum(values) / len(values) for key, values in zip(keys, lists)}
