"""Neighbour-sampled node classification on a synthetic citation graph."""

import time

import numpy as np
import scipy.sparse as sp
import torch
import torch.nn as nn
import torch.nn.functional as F

NODES, DEGREE, DIM, CLASSES = 30_000, 14, 64, 8
BATCH, FANOUT, STEPS = 64, (6, 4), 14


def build_graph(rng):
    community = rng.integers(0, CLASSES, NODES)
    src = np.repeat(np.arange(NODES), DEGREE)
    dst = rng.integers(0, NODES, NODES * DEGREE)
    members = [np.flatnonzero(community == c) for c in range(CLASSES)]
    for c, nodes in enumerate(members):
        same = np.flatnonzero((community[src] == c) & (rng.random(len(src)) < 0.6))
        dst[same] = rng.choice(nodes, len(same))
    weights = np.ones(len(src), np.float32)
    links = sp.coo_matrix((weights, (src, dst)), shape=(NODES, NODES))
    adjacency = (links + links.T).tocsc()
    feats = rng.normal(0, 1, (NODES, DIM)).astype(np.float32)
    feats[np.arange(NODES), community] += 1.0
    return adjacency, feats, community


class NeighbourSampler:
    def __init__(self, adjacency, rng):
        self.adjacency = adjacency
        self.rng = rng

    def neighbours(self, node):
        return self.adjacency[node, :].nonzero()[1]

    def draw(self, nodes, fanout):
        out = np.empty((len(nodes), fanout), np.int64)
        for i, node in enumerate(nodes):
            found = self.neighbours(node)
            out[i] = self.rng.choice(found, fanout) if len(found) else node
        return out

    def block(self, seeds):
        first = self.draw(seeds, FANOUT[0])
        flat, inverse = np.unique(first.ravel(), return_inverse=True)
        second = self.draw(flat, FANOUT[1])
        return first, second[inverse].reshape(len(seeds), FANOUT[0], FANOUT[1])


class Sage(nn.Module):
    def __init__(self, width=128):
        super().__init__()
        self.one = nn.Linear(2 * DIM, width)
        self.two = nn.Linear(2 * width, CLASSES)

    def forward(self, x0, x1, x2):
        h1 = F.relu(self.one(torch.cat([x1, x2.mean(2)], -1)))
        h0 = F.relu(self.one(torch.cat([x0, x1.mean(1)], -1)))
        return self.two(torch.cat([h0, h1.mean(1)], -1))


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    adjacency, feats, labels = build_graph(rng)
    print("edges", adjacency.nnz)
    sampler = NeighbourSampler(adjacency, rng)
    feats, targets = torch.from_numpy(feats), torch.from_numpy(labels)
    model = Sage()
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    start = time.time()
    for step in range(STEPS):
        seeds = rng.choice(NODES, BATCH, replace=False)
        first, second = sampler.block(seeds)
        logits = model(feats[seeds], feats[first], feats[second])
        loss = F.cross_entropy(logits, targets[seeds])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 5 == 0:
            acc = (logits.argmax(1) == targets[seeds]).float().mean()
            print(f"step {step} loss {loss.item():.3f} acc {acc:.2f} {time.time() - start:.1f}s", flush=True)


if __name__ == "__main__":
    main()
