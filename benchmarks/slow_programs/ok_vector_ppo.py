"""PPO with 256 vectorised point-mass environments."""

import time

import torch
from torch import nn
from torch.distributions import Normal

ENVS, HORIZON, OBS, ACT = 256, 32, 12, 4


class PointMasses:
    """All environments advance together; the goal is to park at a random spot."""

    def __init__(self, n, seed=0):
        self.n = n
        self.gen = torch.Generator().manual_seed(seed)
        self.pos = torch.zeros(n, ACT)
        self.vel = torch.zeros(n, ACT)
        self.goal = torch.zeros(n, ACT)
        self.age = torch.zeros(n)
        self.reset(torch.ones(n, dtype=torch.bool))

    def reset(self, which):
        k = int(which.sum())
        self.pos[which] = torch.rand(k, ACT, generator=self.gen) * 2 - 1
        self.goal[which] = torch.rand(k, ACT, generator=self.gen) * 2 - 1
        self.vel[which] = 0
        self.age[which] = 0

    def observe(self):
        return torch.cat([self.pos, self.vel, self.goal], 1)

    def step(self, action):
        self.vel.mul_(0.9).add_(action.clamp(-1, 1), alpha=0.1)
        self.pos.add_(self.vel, alpha=0.2)
        self.age += 1
        reward = -(self.pos - self.goal).norm(dim=1)
        done = (self.age >= 50) | (reward > -0.05)
        self.reset(done)
        return self.observe(), reward, done.float()


class ActorCritic(nn.Module):
    def __init__(self, hidden=256):
        super().__init__()

        def tower(out):
            return nn.Sequential(
                nn.Linear(OBS, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, out)
            )

        self.actor, self.critic = tower(ACT), tower(1)
        self.log_std = nn.Parameter(torch.full((ACT,), -0.5))

    def policy(self, obs):
        return Normal(self.actor(obs), self.log_std.exp(), validate_args=False)

    def value(self, obs):
        return self.critic(obs).squeeze(-1)


@torch.no_grad()
def rollout(env, net, obs):
    keep = {k: [] for k in ("obs", "act", "logp", "rew", "done", "val")}
    for _ in range(HORIZON):
        dist = net.policy(obs)
        act = dist.sample()
        nxt, rew, done = env.step(act)
        for key, item in zip(keep, (obs, act, dist.log_prob(act).sum(-1), rew, done, net.value(obs))):
            keep[key].append(item)
        obs = nxt
    data = {k: torch.stack(v) for k, v in keep.items()}
    adv, last, after = torch.zeros_like(data["rew"]), 0.0, net.value(obs)
    for t in reversed(range(HORIZON)):
        live = 1 - data["done"][t]
        delta = data["rew"][t] + 0.98 * after * live - data["val"][t]
        last = delta + 0.98 * 0.95 * live * last
        adv[t], after = last, data["val"][t]
    data["adv"], data["ret"] = adv, adv + data["val"]
    return {k: v.flatten(0, 1) for k, v in data.items()}, obs


def update(net, opt, data, epochs=3, minibatch=1024):
    adv = (data["adv"] - data["adv"].mean()) / (data["adv"].std() + 1e-6)
    for _ in range(epochs):
        for idx in torch.randperm(len(adv)).split(minibatch):
            dist = net.policy(data["obs"][idx])
            ratio = (dist.log_prob(data["act"][idx]).sum(-1) - data["logp"][idx]).exp()
            surrogate = torch.minimum(ratio * adv[idx], ratio.clamp(0.8, 1.2) * adv[idx])
            value_loss = (net.value(data["obs"][idx]) - data["ret"][idx]).square().mean()
            loss = -surrogate.mean() + 0.5 * value_loss - 0.003 * dist.entropy().sum(-1).mean()
            opt.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            opt.step()


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(2)
    env, net = PointMasses(ENVS), ActorCritic()
    opt = torch.optim.Adam(net.parameters(), lr=7e-4)
    obs, t0 = env.observe(), time.perf_counter()
    for it in range(1, 6):
        data, obs = rollout(env, net, obs)
        update(net, opt, data)
        fps = it * ENVS * HORIZON / (time.perf_counter() - t0)
        print(f"iteration {it} reward {data['rew'].mean():.3f} {fps:,.0f} frames/s")
