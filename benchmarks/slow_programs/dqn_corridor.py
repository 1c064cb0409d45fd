"""DQN on a toy navigation task with an array of distance sensors."""

import random
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

OBS_DIM = 98
N_ACTIONS = 4


class Arena:
    """Agent moves on a plane with beacons; reward for getting near the goal beacon."""

    MOVES = np.array([[0, 1], [0, -1], [1, 0], [-1, 0]], dtype=np.float32) * 0.2

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.beacons = self.rng.uniform(-3, 3, size=(OBS_DIM - 2, 2)).astype(np.float32)

    def reset(self):
        self.pos = self.rng.uniform(-3, 3, size=2).astype(np.float32)
        self.t = 0
        return self._observe()

    def _observe(self):
        dist = np.sqrt(((self.beacons - self.pos) ** 2).sum(1))
        return np.concatenate([self.pos, dist]).astype(np.float32)

    def step(self, action):
        self.pos = np.clip(self.pos + self.MOVES[action], -4, 4)
        self.t += 1
        obs = self._observe()
        reached = obs[2] < 0.3
        reward = 10.0 if reached else -0.1 * float(obs[2])
        return obs, reward, bool(reached or self.t >= 100)


class ReplayMemory:
    def __init__(self, capacity):
        self.capacity = capacity
        self.size = 0
        self.obs = np.zeros((capacity, OBS_DIM), dtype=np.float32)
        self.next_obs = np.zeros((capacity, OBS_DIM), dtype=np.float32)
        self.action = np.zeros(capacity, dtype=np.int64)
        self.reward = np.zeros(capacity, dtype=np.float32)
        self.done = np.zeros(capacity, dtype=np.float32)

    def push(self, obs, action, reward, next_obs, done):
        self.obs = np.roll(self.obs, -1, axis=0)
        self.next_obs = np.roll(self.next_obs, -1, axis=0)
        self.action = np.roll(self.action, -1)
        self.reward = np.roll(self.reward, -1)
        self.done = np.roll(self.done, -1)
        self.obs[-1] = obs
        self.next_obs[-1] = next_obs
        self.action[-1] = action
        self.reward[-1] = reward
        self.done[-1] = done
        self.size = min(self.size + 1, self.capacity)

    def sample(self, n):
        idx = self.capacity - 1 - np.random.randint(0, self.size, size=n)
        pick = lambda a: torch.from_numpy(a[idx])
        return pick(self.obs), pick(self.action), pick(self.reward), pick(self.next_obs), pick(self.done)


class Agent:
    def __init__(self, gamma=0.97, lr=5e-4):
        self.gamma = gamma
        self.q = self._net()
        self.target = self._net()
        self.target.load_state_dict(self.q.state_dict())
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)

    @staticmethod
    def _net():
        return nn.Sequential(nn.Linear(OBS_DIM, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, N_ACTIONS))

    @torch.no_grad()
    def act(self, obs, epsilon):
        if random.random() < epsilon:
            return random.randrange(N_ACTIONS)
        return int(self.q(torch.from_numpy(obs)).argmax())

    def learn(self, batch):
        obs, action, reward, next_obs, done = batch
        with torch.no_grad():
            best = self.target(next_obs).max(1).values
            goal = reward + self.gamma * (1 - done) * best
        value = self.q(obs).gather(1, action.unsqueeze(1)).squeeze(1)
        loss = F.smooth_l1_loss(value, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    def sync(self):
        self.target.load_state_dict(self.q.state_dict())


def main():
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    env, agent, memory = Arena(1), Agent(), ReplayMemory(100_000)
    obs, returns, total, loss = env.reset(), [], 0.0, 0.0
    started = time.perf_counter()
    for step in range(1, 1101):
        epsilon = max(0.1, 1.0 - step / 600)
        action = agent.act(obs, epsilon)
        next_obs, reward, done = env.step(action)
        memory.push(obs, action, reward, next_obs, float(done))
        total += reward
        obs = next_obs
        if done:
            returns.append(total)
            obs, total = env.reset(), 0.0
        if step > 64 and step % 4 == 0:
            loss = agent.learn(memory.sample(64))
        if step % 100 == 0:
            agent.sync()
            recent = np.mean(returns[-10:]) if returns else float("nan")
            print(f"step {step} loss {loss:.4f} return {recent:.2f} {time.perf_counter() - started:.1f}s", flush=True)


if __name__ == "__main__":
    main()
