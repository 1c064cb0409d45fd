"""In-process text classification service with dynamic batching and a load generator."""

import asyncio
import random
import time
from dataclasses import dataclass

import torch
from torch import nn

VOCAB = 8000


@dataclass
class ServerConfig:
    max_batch: int = 64
    max_wait: float = 0.06
    clients: int = 12
    requests_per_client: int = 190


class Classifier(nn.Module):
    def __init__(self, dim=192, classes=20):
        super().__init__()
        self.emb = nn.EmbeddingBag(VOCAB, dim, mode="mean", padding_idx=0)
        self.net = nn.Sequential(
            nn.Linear(dim, 512), nn.GELU(), nn.Linear(512, 512), nn.GELU(), nn.Linear(512, classes)
        )

    def forward(self, ids):
        return self.net(self.emb(ids))


class Service:
    def __init__(self, model, cfg):
        self.model = model.eval()
        self.cfg = cfg
        self.queue = asyncio.Queue()
        self.batches = 0
        self.served = 0

    async def predict(self, tokens):
        fut = asyncio.get_running_loop().create_future()
        await self.queue.put((tokens, fut))
        return await fut

    async def collect(self):
        loop = asyncio.get_running_loop()
        items = [await self.queue.get()]
        deadline = loop.time() + self.cfg.max_wait
        while len(items) < self.cfg.max_batch:
            left = deadline - loop.time()
            if left <= 0:
                break
            try:
                items.append(await asyncio.wait_for(self.queue.get(), left))
            except TimeoutError:
                break
        return items

    @torch.inference_mode()
    def forward(self, token_lists):
        width = max(len(t) for t in token_lists)
        ids = torch.zeros(len(token_lists), width, dtype=torch.long)
        for row, tokens in enumerate(token_lists):
            ids[row, : len(tokens)] = torch.tensor(tokens)
        return self.model(ids).softmax(-1).max(-1)

    async def run(self):
        while True:
            items = await self.collect()
            scores, labels = self.forward([tokens for tokens, _ in items])
            for (_, fut), score, label in zip(items, scores.tolist(), labels.tolist()):
                fut.set_result((label, score))
            self.batches += 1
            self.served += len(items)


async def client(service, seed, n, latencies):
    rng = random.Random(seed)
    for _ in range(n):
        tokens = [rng.randrange(1, VOCAB) for _ in range(rng.randint(20, 120))]
        start = time.perf_counter()
        await service.predict(tokens)
        latencies.append(time.perf_counter() - start)


async def main():
    torch.manual_seed(0)
    cfg = ServerConfig()
    service = Service(Classifier(), cfg)
    worker = asyncio.create_task(service.run())
    latencies, start = [], time.perf_counter()
    await asyncio.gather(*(client(service, s, cfg.requests_per_client, latencies) for s in range(cfg.clients)))
    took = time.perf_counter() - start
    worker.cancel()
    latencies.sort()
    print(
        f"{service.served} requests in {took:.1f}s, {service.served / took:.0f} rps, mean batch {service.served / service.batches:.1f}"
    )
    print(
        f"p50 {latencies[len(latencies) // 2] * 1e3:.1f} ms  p99 {latencies[int(len(latencies) * 0.99)] * 1e3:.1f} ms"
    )


if __name__ == "__main__":
    asyncio.run(main())
