"""Federated averaging simulated in one process: a coordinator and several sites."""

import json
import time

import torch
import torch.nn.functional as F
from torch import nn

FEATURES, CLASSES = 64, 10


def build_model():
    return nn.Sequential(nn.Linear(FEATURES, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, CLASSES))


def pack(state, meta):
    body = {name: {"shape": list(t.shape), "data": t.flatten().tolist()} for name, t in state.items()}
    return json.dumps({"meta": meta, "weights": body})


def unpack(message):
    msg = json.loads(message)
    state = {n: torch.tensor(w["data"]).view(w["shape"]) for n, w in msg["weights"].items()}
    return state, msg["meta"]


class Channel:
    def __init__(self):
        self.bytes = 0

    def send(self, message):
        self.bytes += len(message)
        return message


class Site:
    def __init__(self, ident, teacher, n=2000):
        g = torch.Generator().manual_seed(ident)
        shift = torch.randn(FEATURES, generator=g) * 0.3
        self.x = torch.randn(n, FEATURES, generator=g) + shift
        self.y = (self.x @ teacher).argmax(1)
        self.ident = ident
        self.model = build_model()
        self.gen = g

    def local_update(self, message, steps=3, batch=64):
        state, meta = unpack(message)
        self.model.load_state_dict(state)
        opt = torch.optim.SGD(self.model.parameters(), lr=meta["lr"], momentum=0.9)
        total = 0.0
        for _ in range(steps):
            idx = torch.randint(0, len(self.x), (batch,), generator=self.gen)
            loss = F.cross_entropy(self.model(self.x[idx]), self.y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        return pack(self.model.state_dict(), {"site": self.ident, "n": len(self.x), "loss": total / steps})


class Coordinator:
    def __init__(self, sites, channel, lr=0.05):
        self.sites, self.channel, self.lr = sites, channel, lr
        self.model = build_model()

    def aggregate(self, replies):
        total = sum(meta["n"] for _, meta in replies)
        merged = {k: torch.zeros_like(v) for k, v in self.model.state_dict().items()}
        for state, meta in replies:
            for name, value in state.items():
                merged[name].add_(value, alpha=meta["n"] / total)
        self.model.load_state_dict(merged)

    def round(self, number):
        message = pack(self.model.state_dict(), {"round": number, "lr": self.lr})
        replies = []
        for site in self.sites:
            reply = self.channel.send(site.local_update(self.channel.send(message)))
            replies.append(unpack(reply))
        self.aggregate(replies)
        return sum(meta["loss"] for _, meta in replies) / len(replies)


def main(rounds=8, n_sites=6):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    teacher = torch.randn(FEATURES, CLASSES)
    channel = Channel()
    coordinator = Coordinator([Site(i, teacher) for i in range(n_sites)], channel)
    start = time.time()
    for r in range(rounds):
        loss = coordinator.round(r)
        print(f"round {r} loss {loss:.3f} traffic {channel.bytes / 1e6:.0f} MB {time.time() - start:.1f}s")


if __name__ == "__main__":
    main()
