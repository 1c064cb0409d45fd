"""Train a listwise ranker with per-layer health monitoring."""

import logging
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
log = logging.getLogger("ranker")

FEATURES = 96
LIST = 24
STEPS = 230


class Ranker(nn.Module):
    def __init__(self, features, width=128, depth=4):
        super().__init__()
        self.inp = nn.Linear(features, width)
        self.mid = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        h = F.relu(self.inp(x))
        for layer in self.mid:
            h = h + F.relu(layer(h))
        return self.out(h).squeeze(-1)


class HealthMonitor:
    def __init__(self, model, every=50):
        self.model = model
        self.every = every
        self.norms = {}

    def after_backward(self, step):
        for name, param in self.model.named_parameters():
            log.debug(f"step {step} {name} value={param.data} grad={param.grad}")
        if step % self.every == 0:
            total = 0.0
            for name, param in self.model.named_parameters():
                self.norms[name] = param.grad.norm().item()
                total += self.norms[name] ** 2
            log.info("step %d grad norm %.4f", step, total**0.5)


def listwise_loss(scores, relevance):
    return -(F.softmax(relevance, dim=-1) * F.log_softmax(scores, dim=-1)).sum(-1).mean()


def ndcg(scores, relevance, k=10):
    order = scores.topk(k, dim=-1).indices
    discount = 1.0 / torch.log2(torch.arange(2, k + 2, dtype=torch.float32))
    gains = (2 ** relevance.gather(1, order) - 1) * discount
    ideal = (2 ** relevance.topk(k, dim=-1).values - 1) * discount
    return (gains.sum(-1) / ideal.sum(-1).clamp_min(1e-6)).mean().item()


def make_queries(n, gen):
    teacher = torch.randn(FEATURES, generator=gen) / FEATURES**0.5
    x = torch.randn(n, LIST, FEATURES, generator=gen)
    rel = (x @ teacher + 0.3 * torch.randn(n, LIST, generator=gen)).clamp(0, 4).round()
    return x, rel


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    gen = torch.Generator().manual_seed(1)
    x, rel = make_queries(3000, gen)
    vx, vrel = make_queries(200, gen)
    model = Ranker(FEATURES)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    monitor = HealthMonitor(model)
    start = time.time()
    for step in range(STEPS):
        idx = torch.randint(0, len(x), (16,), generator=gen)
        loss = listwise_loss(model(x[idx]), rel[idx])
        opt.zero_grad()
        loss.backward()
        monitor.after_backward(step)
        opt.step()
        if step % 50 == 0:
            with torch.no_grad():
                log.info("loss %.4f ndcg %.4f (%.1fs)", loss.item(), ndcg(model(vx), vrel), time.time() - start)
    log.info("finished in %.1fs", time.time() - start)


if __name__ == "__main__":
    main()
