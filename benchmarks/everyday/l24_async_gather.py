"""Ask a slow key-value store for all keys of a page at once, at most 8 requests in flight."""

import asyncio
import random

LATENCY = 0.002


class Store:
    def __init__(self, rows):
        self.rows = rows

    async def get(self, key):
        await asyncio.sleep(LATENCY)
        return self.rows.get(key)


def inputs():
    rows = {f"item:{i}": {"price": round(random.uniform(1, 90), 2), "stock": random.randrange(20)} for i in range(100)}
    cart = {f"item:{random.randrange(110)}": random.randint(1, 4) for _ in range(16)}
    return Store(rows), cart


def bill(cart, rows):
    lines, missing, total = [], set(), 0.0
    for (key, count), row in zip(cart.items(), rows):
        if row is None or row["stock"] < count:
            missing.add(key)
            continue
        lines.append((key, count, row["price"] * count))
        total += row["price"] * count
    return {"lines": lines, "missing": missing, "total": total}


async def baseline(store, cart):
    rows = []
    for key in cart:
        rows.append(await store.get(key))
    return bill(cart, rows)


async def optimized(store, cart):
    limit = asyncio.Semaphore(8)

    async def get(key):
        async with limit:
            return await store.get(key)

    rows = await asyncio.gather(*(get(key) for key in cart))
    return bill(cart, rows)
