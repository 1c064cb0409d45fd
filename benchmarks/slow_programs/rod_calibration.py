"""Calibrate conductivities of a layered rod from temperature readings (Gauss-Newton)."""

import time

import torch
from torch.autograd.functional import jacobian

torch.set_num_threads(2)
torch.set_default_dtype(torch.float64)

LAYERS = 10
CELLS = 96
STEPS = 20


class HeatRod:
    """Explicit heat equation; the parameters are log-conductivities per layer."""

    def __init__(self):
        self.layer_of_cell = torch.arange(CELLS + 1) * LAYERS // (CELLS + 1)
        x = torch.linspace(0, 1, CELLS)
        self.initial = torch.exp(-((x - 0.3) ** 2) / 0.01) + 0.5 * torch.sin(9 * x) ** 2
        self.dt = 0.2

    def conductivity(self, theta):
        return torch.exp(theta)[self.layer_of_cell].clamp(max=2.0)

    def simulate(self, theta):
        k = self.conductivity(theta)
        u = self.initial
        for _ in range(STEPS):
            padded = torch.cat([u[:1], u, u[-1:]])
            flux = k * (padded[1:] - padded[:-1])
            u = u + self.dt * (flux[1:] - flux[:-1])
        return u


class GaussNewton:
    def __init__(self, model, readings, damping=1e-3):
        self.model = model
        self.readings = readings
        self.damping = damping

    def residual(self, theta):
        return self.model.simulate(theta) - self.readings

    def step(self, theta):
        r = self.residual(theta)
        jac = jacobian(self.residual, theta)
        normal = jac.T @ jac + self.damping * torch.eye(theta.numel())
        delta = torch.linalg.solve(normal, -(jac.T @ r))
        scale = 1.0
        base = r.square().sum()
        while scale > 1e-3:
            trial = theta + scale * delta
            if self.residual(trial).square().sum() < base:
                return trial, base.item()
            scale /= 2
            self.damping *= 1.5
        return theta, base.item()


def readings_from(truth, rod, noise, seed):
    g = torch.Generator().manual_seed(seed)
    clean = rod.simulate(truth)
    return clean + noise * torch.randn(clean.shape, generator=g)


def calibrate(rod, sample, iterations):
    g = torch.Generator().manual_seed(100 + sample)
    truth = torch.log(0.2 + 1.2 * torch.rand(LAYERS, generator=g))
    solver = GaussNewton(rod, readings_from(truth, rod, 1e-4, sample))
    theta = torch.full((LAYERS,), -0.5)
    for it in range(iterations):
        t0 = time.perf_counter()
        theta, cost = solver.step(theta)
        print(f"  sample {sample} iter {it} cost {cost:.3e} ({time.perf_counter() - t0:.2f}s)")
    return (theta - truth).abs().max().item()


def main(samples=3, iterations=5):
    rod = HeatRod()
    for s in range(samples):
        err = calibrate(rod, s, iterations)
        print(f"sample {s}: worst log-conductivity error {err:.3f}")


if __name__ == "__main__":
    main()
