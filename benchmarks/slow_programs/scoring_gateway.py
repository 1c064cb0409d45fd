"""Scoring gateway: coroutines hand feature rows to a micro-batcher in front of the model."""

import asyncio
import time
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Item:
    row: torch.Tensor
    done: asyncio.Future


class Scorer(nn.Module):
    def __init__(self, features=128, hidden=384):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(features, hidden),
            nn.GELU(),
            nn.Linear(hidden, hidden),
            nn.GELU(),
            nn.Linear(hidden, hidden),
            nn.GELU(),
        )
        self.head = nn.Linear(hidden, 3)

    def forward(self, x):
        return self.head(self.body(x)).softmax(-1)


class MicroBatcher:
    def __init__(self, model, max_batch=32, max_delay=0.06):
        self.model = model.eval()
        self.max_batch = max_batch
        self.max_delay = max_delay
        self.queue = asyncio.Queue()
        self.sizes = []
        self.task = asyncio.create_task(self.loop())

    async def score(self, row):
        item = Item(row, asyncio.get_running_loop().create_future())
        await self.queue.put(item)
        return await item.done

    async def gather_batch(self):
        loop = asyncio.get_running_loop()
        batch = [await self.queue.get()]
        deadline = loop.time() + self.max_delay
        while len(batch) < self.max_batch:
            remaining = deadline - loop.time()
            if remaining <= 0:
                break
            try:
                batch.append(await asyncio.wait_for(self.queue.get(), remaining))
            except TimeoutError:
                break
        return batch

    async def loop(self):
        while True:
            batch = await self.gather_batch()
            with torch.inference_mode():
                probs = self.model(torch.stack([b.row for b in batch]))
            self.sizes.append(len(batch))
            for item, p in zip(batch, probs.tolist()):
                item.done.set_result(p)


def featurise(seed, t):
    g = torch.Generator().manual_seed(seed * 10_007 + t)
    raw = torch.rand(128, generator=g)
    return (raw - raw.mean()) / raw.std()


async def caller(name, batcher, n, latencies):
    decisions = [0, 0, 0]
    for t in range(n):
        row = featurise(name, t)
        t0 = time.perf_counter()
        probs = await batcher.score(row)
        latencies.append(time.perf_counter() - t0)
        decisions[probs.index(max(probs))] += 1
    return decisions


async def main(callers=6, requests=150):
    torch.manual_seed(0)
    torch.set_num_threads(2)
    batcher = MicroBatcher(Scorer())
    latencies = []
    t0 = time.perf_counter()
    results = await asyncio.gather(*(caller(i, batcher, requests, latencies) for i in range(callers)))
    wall = time.perf_counter() - t0
    batcher.task.cancel()
    latencies.sort()
    print(
        f"{callers * requests / wall:.0f} req/s, "
        f"mean batch {sum(batcher.sizes) / len(batcher.sizes):.1f}, "
        f"p50 {1e3 * latencies[len(latencies) // 2]:.1f} ms, "
        f"p99 {1e3 * latencies[int(len(latencies) * 0.99)]:.1f} ms"
    )
    print("decisions", [sum(c) for c in zip(*results)])


if __name__ == "__main__":
    asyncio.run(main())
