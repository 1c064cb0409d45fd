"""DQN on a home-made pole balancing task, warm-started from logged transitions."""

import random
import time
from collections import deque, namedtuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

Transition = namedtuple("Transition", "state action reward next_state done")


class Pole:
    """Cart-pole dynamics with Euler integration."""

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)
        self.reset()

    def reset(self):
        self.s = self.rng.uniform(-0.05, 0.05, 4)
        self.t = 0
        return self.s.astype(np.float32)

    def step(self, action):
        x, v, th, w = self.s
        force = 10.0 if action else -10.0
        c, s = np.cos(th), np.sin(th)
        tmp = (force + 0.05 * w * w * s) / 1.1
        acc = (9.8 * s - c * tmp) / (0.5 * (4 / 3 - 0.1 * c * c / 1.1))
        xacc = tmp - 0.05 * acc * c / 1.1
        self.s = np.array([x + 0.02 * v, v + 0.02 * xacc, th + 0.02 * w, w + 0.02 * acc])
        self.t += 1
        done = abs(self.s[0]) > 2.4 or abs(self.s[2]) > 0.21 or self.t >= 300
        return self.s.astype(np.float32), 1.0, done


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        return random.sample(self.memory, batch_size)

    def __len__(self):
        return len(self.memory)


class QNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))

    def forward(self, x):
        return self.net(x)


class Agent:
    def __init__(self, capacity=1_000_000, batch_size=128, gamma=0.99):
        self.q, self.target = QNet(), QNet()
        self.target.load_state_dict(self.q.state_dict())
        self.opt = torch.optim.Adam(self.q.parameters(), lr=1e-3)
        self.memory = ReplayMemory(capacity)
        self.batch_size = batch_size
        self.gamma = gamma
        self.updates = 0

    def act(self, state, eps):
        if random.random() < eps:
            return random.randrange(2)
        with torch.no_grad():
            return int(self.q(torch.from_numpy(state)).argmax())

    def learn(self):
        batch = Transition(*zip(*self.memory.sample(self.batch_size)))
        s = torch.from_numpy(np.stack(batch.state))
        s2 = torch.from_numpy(np.stack(batch.next_state))
        a = torch.tensor(batch.action)
        r = torch.tensor(batch.reward)
        d = torch.tensor(batch.done, dtype=torch.float32)
        q = self.q(s).gather(1, a[:, None]).squeeze(1)
        with torch.no_grad():
            y = r + self.gamma * (1 - d) * self.target(s2).max(1).values
        loss = F.smooth_l1_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.updates += 1
        if self.updates % 100 == 0:
            self.target.load_state_dict(self.q.state_dict())


def load_logged(memory, n, seed=1):
    rng = np.random.default_rng(seed)
    states = rng.normal(0, 0.1, (n + 1, 4)).astype(np.float32)
    actions = rng.integers(0, 2, n).tolist()
    ends = (rng.random(n) < 0.03).tolist()
    for i in range(n):
        memory.push(states[i], actions[i], 1.0, states[i + 1], ends[i])


def main():
    random.seed(0)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    env, agent = Pole(), Agent()
    load_logged(agent.memory, 600_000)
    state, ret, returns, t0 = env.reset(), 0.0, [], time.time()
    for step in range(1, 361):
        action = agent.act(state, eps=0.1)
        nxt, reward, done = env.step(action)
        agent.memory.push(state, action, reward, nxt, done)
        state, ret = nxt, ret + reward
        if done:
            returns.append(ret)
            state, ret = env.reset(), 0.0
        agent.learn()
        if step % 60 == 0:
            print(f"{step} updates, {step / (time.time() - t0):.0f}/s, return {np.mean(returns[-10:]):.1f}")


if __name__ == "__main__":
    main()
