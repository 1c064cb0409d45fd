"""Bayesian optimisation of a noisy laboratory process with a Gaussian process surrogate."""

import math
import time

import torch

torch.set_default_dtype(torch.float64)
torch.set_num_threads(2)


def process_yield(x):
    """The (unknown) response surface, six dimensionless settings in [0, 1]."""
    peak = torch.tensor([0.3, 0.7, 0.5, 0.2, 0.6, 0.4])
    bowl = -((x - peak) ** 2).sum(-1)
    ripple = 0.1 * torch.cos(9 * x).sum(-1)
    return bowl + ripple


class GaussianProcess:
    def __init__(self, lengthscale=0.5, noise=1e-2):
        self.lengthscale = lengthscale
        self.noise = noise
        self.x = torch.empty(0, 6)
        self.y = torch.empty(0)

    def kernel(self, a, b):
        d = torch.cdist(a, b) / self.lengthscale
        s = math.sqrt(5.0) * d
        return (1 + s + s * s / 3) * torch.exp(-s)

    def add(self, x, y):
        self.x = torch.cat([self.x, x])
        self.y = torch.cat([self.y, y])

    def posterior(self, query):
        gram = self.kernel(self.x, self.x)
        gram.diagonal().add_(self.noise)
        chol = torch.linalg.cholesky(gram)
        centred = (self.y - self.y.mean())[:, None]
        cross = self.kernel(self.x, query)
        mean = cross.T @ torch.cholesky_solve(centred, chol)
        half = torch.linalg.solve_triangular(chol, cross, upper=False)
        var = (1.0 - half.square().sum(0)).clamp(min=1e-9)
        return mean.squeeze(1) + self.y.mean(), var


def expected_improvement(mean, var, best):
    sigma = var.sqrt()
    z = (mean - best) / sigma
    pdf = torch.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    cdf = 0.5 * (1 + torch.erf(z / math.sqrt(2)))
    return (mean - best) * cdf + sigma * pdf


class Searcher:
    def __init__(self, gp, seed=0):
        self.gp = gp
        self.gen = torch.Generator().manual_seed(seed)

    def hill_climb(self, start, moves):
        """Local random search on the acquisition surface."""
        best_y = self.gp.y.max()
        here = start
        value = expected_improvement(*self.gp.posterior(here), best_y)
        width = 0.2
        for _ in range(moves):
            step = width * torch.randn(4, 6, generator=self.gen)
            cand = (here + step).clamp(0, 1)
            ei = expected_improvement(*self.gp.posterior(cand), best_y)
            k = ei.argmax()
            if ei[k] > value:
                here, value = cand[k : k + 1], ei[k : k + 1]
            else:
                width *= 0.93
        return here, value

    def propose(self, restarts=3, moves=14):
        found = []
        for _ in range(restarts):
            start = torch.rand(1, 6, generator=self.gen)
            found.append(self.hill_climb(start, moves))
        return max(found, key=lambda f: f[1].item())[0]


def main(rounds=6, history=340):
    gen = torch.Generator().manual_seed(7)
    gp = GaussianProcess()
    x0 = torch.rand(history, 6, generator=gen)
    gp.add(x0, process_yield(x0) + 0.02 * torch.randn(history, generator=gen))
    searcher = Searcher(gp)
    for r in range(rounds):
        t0 = time.perf_counter()
        x = searcher.propose()
        gp.add(x, process_yield(x) + 0.02 * torch.randn(1, generator=gen))
        print(f"round {r:2d} best {gp.y.max():.4f} ({time.perf_counter() - t0:.2f}s)")


if __name__ == "__main__":
    main()
