"""Pseudo-spectral solver for decaying two-dimensional turbulence on a periodic box."""

import time

import numpy as np


class SpectralGrid:
    def __init__(self, n, length=2 * np.pi):
        self.n = n
        k = np.fft.fftfreq(n, d=length / (2 * np.pi * n))
        kr = np.fft.rfftfreq(n, d=length / (2 * np.pi * n))
        self.ky, self.kx = np.meshgrid(k, kr, indexing="ij")
        self.k2 = self.kx**2 + self.ky**2
        self.inv_k2 = np.where(self.k2 > 0, 1.0 / np.where(self.k2 > 0, self.k2, 1.0), 0.0)
        kmax = n // 3
        self.mask = (np.abs(self.kx) < kmax) & (np.abs(self.ky) < kmax)

    def forward(self, field):
        return np.fft.rfft2(field)

    def inverse(self, coeff):
        return np.fft.irfft2(coeff, s=(self.n, self.n))


class Turbulence:
    def __init__(self, n=384, viscosity=2e-4, dt=2e-3, seed=0):
        self.grid = SpectralGrid(n)
        self.nu = viscosity
        self.dt = dt
        self.omega = self.initial(seed)
        g = self.grid
        self.decay = np.exp(-self.nu * g.k2 * dt)
        self.half_decay = np.exp(-self.nu * g.k2 * dt / 2)
        self.time = 0.0

    def initial(self, seed):
        g = self.grid
        rng = np.random.default_rng(seed)
        noise = g.forward(rng.normal(size=(g.n, g.n)))
        k = np.sqrt(g.k2)
        envelope = k**2 * np.exp(-((k / 6.0) ** 2))
        w = noise * envelope * g.mask
        field = g.inverse(w)
        return g.forward(field / field.std() * 5.0)

    def rhs(self, omega):
        g = self.grid
        psi = omega * g.inv_k2
        u = g.inverse(1j * g.ky * psi)
        v = g.inverse(-1j * g.kx * psi)
        wx = g.inverse(1j * g.kx * omega)
        wy = g.inverse(1j * g.ky * omega)
        return -g.forward(u * wx + v * wy) * g.mask

    def step(self):
        w, dt = self.omega, self.dt
        k1 = self.rhs(w)
        mid = self.half_decay * (w + 0.5 * dt * k1)
        k2 = self.rhs(mid)
        self.omega = self.decay * w + dt * self.half_decay * k2
        self.time += dt

    def diagnostics(self):
        g = self.grid
        power = np.abs(self.omega) ** 2
        power[:, 1:-1] *= 2
        norm = g.n**4
        energy = 0.5 * (power * g.inv_k2).sum() / norm
        enstrophy = 0.5 * power.sum() / norm
        return energy, enstrophy


def main(steps=300, report=60):
    sim = Turbulence()
    t0 = time.perf_counter()
    snapshots = []
    for i in range(1, steps + 1):
        sim.step()
        if i % report == 0:
            energy, enstrophy = sim.diagnostics()
            snapshots.append(sim.grid.inverse(sim.omega).astype(np.float32)[::4, ::4])
            rate = i / (time.perf_counter() - t0)
            print(f"t={sim.time:.3f} E={energy:.5f} Z={enstrophy:.4f} {rate:.1f} steps/s")
    stack = np.stack(snapshots)
    print("snapshots", stack.shape, float(stack.std()))


if __name__ == "__main__":
    main()
