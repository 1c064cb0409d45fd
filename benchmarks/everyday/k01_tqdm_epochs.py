import logging
import sys
import time

import torch
from tqdm import tqdm, trange

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stdout)


def inputs():
    return torch.randn(512, 16), torch.randn(512)


def fit(x, y, batches, log_every):
    started = time.perf_counter()
    w = torch.zeros(x.shape[1])
    losses = []
    for epoch in trange(3, desc="epochs"):
        for xb, yb in tqdm(batches(x, y), leave=False):
            e = xb @ w - yb
            w -= 0.01 * 2 * (xb.T @ e) / len(yb)
        losses.append((x @ w - y).square().mean().item())
        logging.info("epoch %d loss %.4f after %.2f s", epoch, losses[-1], time.perf_counter() - started)
    return w, losses


def baseline(x, y):
    def batches(x, y):
        for i in range(0, len(x), 32):
            rows = [x[j] for j in range(i, min(i + 32, len(x)))]
            yield torch.stack(rows), torch.stack([y[j] for j in range(i, min(i + 32, len(x)))])

    return fit(x, y, batches, 1)


def optimized(x, y):
    return fit(x, y, lambda x, y: zip(x.split(32), y.split(32), strict=False), 1)
