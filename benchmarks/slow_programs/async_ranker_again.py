"""Cross-encoder reranking service: asyncio front, one inference thread, greedy batching."""

import asyncio
import random
import time
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn

VOCAB, DIM, MAX_BATCH = 8000, 192, 32


class CrossEncoder(nn.Module):
    def __init__(self, layers=3):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, DIM, padding_idx=0)
        layer = nn.TransformerEncoderLayer(DIM, 6, 4 * DIM, batch_first=True, norm_first=True, dropout=0.0)
        self.body = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(DIM, 1)

    def forward(self, ids):
        pad = ids == 0
        x = self.body(self.emb(ids), src_key_padding_mask=pad)
        return self.head(x[:, 0]).squeeze(-1)


class Engine:
    def __init__(self, model):
        self.model = model.eval()
        self.queue = asyncio.Queue()
        self.pool = ThreadPoolExecutor(1)
        self.sizes = []

    @torch.inference_mode()
    def infer(self, rows):
        ids = nn.utils.rnn.pad_sequence([torch.tensor(r) for r in rows], batch_first=True)
        return self.model(ids).tolist()

    async def score(self, row):
        fut = asyncio.get_running_loop().create_future()
        self.queue.put_nowait((row, fut))
        return await fut

    async def run(self):
        loop = asyncio.get_running_loop()
        while True:
            items = [await self.queue.get()]
            while not self.queue.empty() and len(items) < MAX_BATCH:
                items.append(self.queue.get_nowait())
            scores = await loop.run_in_executor(self.pool, self.infer, [row for row, _ in items])
            self.sizes.append(len(items))
            for (_, fut), score in zip(items, scores):
                fut.set_result(score)


async def user(engine, seed, queries, latencies):
    rng = random.Random(seed)
    for _ in range(queries):
        query = [rng.randrange(1, VOCAB) for _ in range(8)]
        passages = [[rng.randrange(1, VOCAB) for _ in range(rng.randint(48, 64))] for _ in range(8)]
        start = time.perf_counter()
        scores = await asyncio.gather(*(engine.score(query + p) for p in passages))
        ranked = sorted(range(len(passages)), key=scores.__getitem__, reverse=True)
        latencies.append((time.perf_counter() - start, ranked[0]))


async def main(users=12, queries=22):
    torch.manual_seed(0)
    engine = Engine(CrossEncoder())
    worker = asyncio.create_task(engine.run())
    latencies, start = [], time.perf_counter()
    await asyncio.gather(*(user(engine, s, queries, latencies) for s in range(users)))
    took = time.perf_counter() - start
    worker.cancel()
    engine.pool.shutdown()
    times = sorted(t for t, _ in latencies)
    print(f"{len(times)} queries in {took:.1f}s, mean batch {sum(engine.sizes) / len(engine.sizes):.1f}")
    print(f"p50 {times[len(times) // 2] * 1e3:.0f} ms  p95 {times[int(len(times) * 0.95)] * 1e3:.0f} ms")


if __name__ == "__main__":
    asyncio.run(main())
