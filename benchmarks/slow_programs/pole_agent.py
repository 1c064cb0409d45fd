"""Off-policy agent on a toy balancing task with prioritized replay."""

import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

CAPACITY = 400_000
BATCH = 64
STEPS = 600


class Pole:
    def __init__(self, rng):
        self.rng = rng
        self.reset()

    def reset(self):
        self.state = self.rng.uniform(-0.05, 0.05, 4).astype(np.float32)
        self.age = 0
        return self.state

    def step(self, action):
        x, v, a, w = self.state
        force = 10.0 if action == 1 else -10.0
        tmp = (force + 0.05 * w * w * np.sin(a)) / 1.1
        acc_a = (9.8 * np.sin(a) - np.cos(a) * tmp) / (0.5 * (4 / 3 - 0.1 * np.cos(a) ** 2 / 1.1))
        acc_x = tmp - 0.05 * acc_a * np.cos(a) / 1.1
        self.state = np.array([x + 0.02 * v, v + 0.02 * acc_x, a + 0.02 * w, w + 0.02 * acc_a], np.float32)
        self.age += 1
        done = abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.21 or self.age >= 500
        return self.state, 1.0, bool(done)


class ReplayMemory:
    def __init__(self, capacity, rng, alpha=0.6):
        self.rng = rng
        self.alpha = alpha
        self.capacity = capacity
        self.obs = np.zeros((capacity, 4), np.float32)
        self.nxt = np.zeros((capacity, 4), np.float32)
        self.act = np.zeros(capacity, np.int64)
        self.rew = np.zeros(capacity, np.float32)
        self.end = np.zeros(capacity, np.float32)
        self.prio = np.zeros(capacity)
        self.size = self.pos = 0

    def add(self, o, a, r, n, d, prio=1.0):
        i = self.pos
        self.obs[i], self.act[i], self.rew[i], self.nxt[i], self.end[i] = o, a, r, n, d
        self.prio[i] = prio
        self.pos = (i + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def preload(self, rows):
        n = self.size = len(rows)
        self.obs[:n], self.nxt[:n] = rows[:, :4], rows[:, 4:]
        self.act[:n], self.rew[:n] = rows[:, 0] > 0, 1.0
        self.prio[:n] = np.abs(rows[:, 5]) + 1e-3

    def sample(self, n, beta):
        probs = self.prio[: self.size] ** self.alpha
        probs /= probs.sum()
        idx = self.rng.choice(self.size, n, p=probs)
        weights = (self.size * probs[idx]) ** (-beta)
        weights /= weights.max()
        batch = [self.obs[idx], self.act[idx], self.rew[idx], self.nxt[idx], self.end[idx], weights.astype(np.float32)]
        return idx, [torch.from_numpy(b) for b in batch]

    def update(self, idx, errors):
        self.prio[idx] = np.abs(errors) + 1e-3


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    env, memory = Pole(rng), ReplayMemory(CAPACITY, rng)
    memory.preload(rng.normal(size=(CAPACITY, 8)).astype(np.float32))
    net = nn.Sequential(nn.Linear(4, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 2))
    target = nn.Sequential(nn.Linear(4, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 2))
    target.load_state_dict(net.state_dict())
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    obs, lengths, start = env.reset(), [], time.time()
    for step in range(STEPS):
        with torch.no_grad():
            action = int(net(torch.from_numpy(obs)).argmax()) if rng.random() > 0.1 else int(rng.integers(2))
        nxt, reward, done = env.step(action)
        memory.add(obs, action, reward, nxt, float(done))
        obs = nxt
        if done:
            lengths.append(env.age)
            obs = env.reset()
        idx, (o, a, r, n, d, w) = memory.sample(BATCH, min(1.0, 0.4 + step / STEPS))
        q = net(o).gather(1, a[:, None]).squeeze(1)
        with torch.no_grad():
            goal = r + 0.99 * (1 - d) * target(n).max(1).values
        loss = (w * F.smooth_l1_loss(q, goal, reduction="none")).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        memory.update(idx, (goal - q).detach().numpy())
        if step % 100 == 0:
            target.load_state_dict(net.state_dict())
            print(step, round(loss.item(), 4), lengths[-3:], f"{time.time() - start:.1f}s", flush=True)


if __name__ == "__main__":
    main()
