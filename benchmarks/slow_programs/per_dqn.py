"""DQN with prioritised replay on a small navigation task."""

import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

OBS, ACTIONS = 12, 5


class PointWorld:
    moves = np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]], dtype=np.float32) * 0.1

    def __init__(self, rng):
        self.rng = rng

    def reset(self):
        self.pos = self.rng.uniform(-1, 1, 2).astype(np.float32)
        self.goal = self.rng.uniform(-1, 1, 2).astype(np.float32)
        self.walls = self.rng.uniform(-1, 1, 6).astype(np.float32)
        self.t = 0
        return self.obs()

    def obs(self):
        return np.concatenate([self.pos, self.goal, self.goal - self.pos, self.walls])

    def step(self, action):
        self.pos = np.clip(self.pos + self.moves[action], -1, 1)
        self.t += 1
        dist = float(np.abs(self.goal - self.pos).sum())
        done = dist < 0.15 or self.t >= 60
        return self.obs(), (1.0 if dist < 0.15 else -0.02 * dist), done


class Replay:
    def __init__(self, capacity, rng, alpha=0.6, beta=0.4):
        self.obs = np.zeros((capacity, OBS), np.float32)
        self.next_obs = np.zeros((capacity, OBS), np.float32)
        self.act = np.zeros(capacity, np.int64)
        self.rew = np.zeros(capacity, np.float32)
        self.done = np.zeros(capacity, np.float32)
        self.prio = np.zeros(capacity, np.float64)
        self.capacity, self.alpha, self.beta, self.rng = capacity, alpha, beta, rng
        self.size = self.head = 0
        self.top = 1.0

    def add(self, o, a, r, o2, d):
        i = self.head
        self.obs[i], self.act[i], self.rew[i], self.next_obs[i], self.done[i] = o, a, r, o2, d
        self.prio[i] = self.top
        self.head = (i + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, n):
        scaled = self.prio[: self.size] ** self.alpha
        probs = scaled / scaled.sum()
        idx = self.rng.choice(self.size, n, p=probs)
        weights = (self.size * probs[idx]) ** -self.beta
        batch = (self.obs[idx], self.act[idx], self.rew[idx], self.next_obs[idx], self.done[idx])
        return idx, [torch.from_numpy(b) for b in batch], torch.from_numpy((weights / weights.max()).astype(np.float32))

    def update(self, idx, errors):
        self.prio[idx] = np.abs(errors) + 1e-3
        self.top = max(self.top, float(self.prio[idx].max()))


def q_net():
    return nn.Sequential(nn.Linear(OBS, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, ACTIONS))


def load_offline(replay, rng, n):
    obs = rng.uniform(-1, 1, (n, OBS)).astype(np.float32)
    obs[:, 4:6] = obs[:, 2:4] - obs[:, 0:2]
    act = rng.integers(0, ACTIONS, n)
    nxt = obs.copy()
    nxt[:, 0:2] = np.clip(obs[:, 0:2] + PointWorld.moves[act], -1, 1)
    nxt[:, 4:6] = nxt[:, 2:4] - nxt[:, 0:2]
    dist = np.abs(nxt[:, 4:6]).sum(1)
    replay.obs[:n], replay.act[:n], replay.next_obs[:n] = obs, act, nxt
    replay.done[:n] = dist < 0.15
    replay.rew[:n] = np.where(dist < 0.15, 1.0, -0.02 * dist)
    replay.prio[:n] = replay.top
    replay.size = replay.head = n


def main(steps=400, offline=900_000):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    env, replay = PointWorld(rng), Replay(1_000_000, rng)
    online, target = q_net(), q_net()
    opt = torch.optim.Adam(online.parameters(), lr=5e-4)
    load_offline(replay, rng, offline)
    obs, start, ret = env.reset(), time.time(), 0.0
    for step in range(steps):
        with torch.no_grad():
            greedy = int(online(torch.from_numpy(obs)).argmax())
        a = int(rng.integers(ACTIONS)) if rng.random() < 0.1 else greedy
        nxt, r, done = env.step(a)
        replay.add(obs, a, r, nxt, done)
        ret += r
        obs = env.reset() if done else nxt
        idx, (o, act, rew, o2, d), w = replay.sample(64)
        with torch.no_grad():
            goal = rew + 0.98 * (1 - d) * target(o2).max(1).values
        q = online(o).gather(1, act[:, None]).squeeze(1)
        loss = (w * F.smooth_l1_loss(q, goal, reduction="none")).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        replay.update(idx, (goal - q.detach()).numpy())
        if step % 50 == 0:
            target.load_state_dict(online.state_dict())
            print(f"step {step} loss {loss.item():.4f} return {ret:.2f} {time.time() - start:.1f}s")


if __name__ == "__main__":
    main()
