"""Collect rollouts of many pendulums with one policy, then take a policy-gradient step."""

import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.mean = nn.Linear(64, 1)

    def forward(self, obs):
        return torch.distributions.Normal(self.mean(self.body(obs)), 0.5)


class Pendulums:
    def __init__(self, count):
        self.state = torch.randn(count, 3)

    def step(self, actions):
        self.state = 0.95 * self.state + 0.05 * actions
        return -self.state.square().sum(1)


policy, envs = Policy(), Pendulums(16)
opt = torch.optim.Adam(policy.parameters(), 1e-3)
for iteration in range(2):
    logps, rewards = [], []
    for t in range(40):
        actions, logp = [], []
        for obs in envs.state:
            choice = policy(obs.unsqueeze(0))
            action = choice.sample()
            actions.append(action)
            logp.append(choice.log_prob(action).sum())
        rewards.append(envs.step(torch.cat(actions)))
        logps.append(torch.stack(logp))
    loss = -(torch.stack(logps) * torch.stack(rewards).flip(0).cumsum(0).flip(0)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(iteration, loss.item())
