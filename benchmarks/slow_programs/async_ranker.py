"""Asyncio ranking service with an in-process load generator."""

import asyncio
import random
import time
from dataclasses import dataclass, field

import torch
from torch import nn

N_CANDIDATES = 60
DIM = 48


@dataclass
class RankRequest:
    user_id: int
    candidates: list
    created: float = field(default_factory=time.perf_counter)


@dataclass
class Stats:
    served: int = 0
    latencies: list = field(default_factory=list)
    by_segment: dict = field(default_factory=dict)

    def record(self, request, segment):
        self.served += 1
        self.latencies.append(time.perf_counter() - request.created)
        self.by_segment[segment] = self.by_segment.get(segment, 0) + 1


class ProfileStore:
    """Stand-in for the remote profile database; a lookup is one round trip."""

    def __init__(self, n_users, round_trip=0.006):
        self.n_users = n_users
        self.round_trip = round_trip

    def lookup(self, user_id):
        time.sleep(self.round_trip)
        gen = torch.Generator().manual_seed(user_id)
        return {"vector": torch.randn(DIM, generator=gen), "segment": user_id % 5}


class Ranker(nn.Module):
    def __init__(self, n_items):
        super().__init__()
        self.items = nn.Embedding(n_items, DIM)
        self.scorer = nn.Sequential(nn.Linear(2 * DIM, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, user_vec, item_ids):
        items = self.items(item_ids)
        pair = torch.cat([user_vec.expand_as(items), items], dim=-1)
        return self.scorer(pair).squeeze(-1)


class RankingApp:
    def __init__(self, n_users=20_000, n_items=50_000):
        self.profiles = ProfileStore(n_users)
        self.ranker = Ranker(n_items).eval()
        self.stats = Stats()

    async def load_profile(self, user_id):
        return self.profiles.lookup(user_id)

    async def handle(self, request):
        profile = await self.load_profile(request.user_id)
        ids = torch.tensor(request.candidates)
        with torch.inference_mode():
            scores = self.ranker(profile["vector"], ids)
        order = scores.topk(10).indices.tolist()
        self.stats.record(request, profile["segment"])
        return [request.candidates[i] for i in order]


async def client(app, n_requests, seed):
    rng = random.Random(seed)
    checksum = 0
    for _ in range(n_requests):
        request = RankRequest(
            user_id=rng.randrange(app.profiles.n_users),
            candidates=[rng.randrange(50_000) for _ in range(N_CANDIDATES)],
        )
        ranked = await app.handle(request)
        checksum ^= ranked[0]
        await asyncio.sleep(rng.uniform(0.001, 0.01))
    return checksum


async def reporter(app, interval=2.0):
    started = time.perf_counter()
    while True:
        await asyncio.sleep(interval)
        recent = app.stats.latencies[-200:]
        mean = sum(recent) / max(1, len(recent))
        print(
            f"{time.perf_counter() - started:5.1f}s served {app.stats.served} latency {mean * 1e3:.1f} ms", flush=True
        )


async def main():
    torch.manual_seed(0)
    app = RankingApp()
    watch = asyncio.create_task(reporter(app))
    sums = await asyncio.gather(*(client(app, 80, seed) for seed in range(24)))
    watch.cancel()
    lat = sorted(app.stats.latencies)
    print(
        f"served {app.stats.served}  p50 {lat[len(lat) // 2] * 1e3:.1f} ms  p95 {lat[int(len(lat) * 0.95)] * 1e3:.1f} ms"
    )
    print("segments", dict(sorted(app.stats.by_segment.items())), "checksum", sum(sums))


if __name__ == "__main__":
    asyncio.run(main())
