"""Lattice Boltzmann flow past a cylinder in a channel (D2Q9)."""

import time

import numpy as np

VEL = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]])
WEIGHT = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4, dtype=np.float32)
OPPOSITE = [0, 3, 4, 1, 2, 7, 8, 5, 6]


class Channel:
    def __init__(self, nx=420, ny=180, inflow=0.08, reynolds=120.0):
        self.nx, self.ny = nx, ny
        self.inflow = inflow
        radius = ny // 9
        nu = inflow * radius / reynolds
        self.omega = np.float32(1.0 / (3 * nu + 0.5))
        x, y = np.meshgrid(np.arange(nx), np.arange(ny), indexing="ij")
        self.solid = (x - nx // 4) ** 2 + (y - ny // 2) ** 2 < radius**2
        self.solid[:, 0] = self.solid[:, -1] = True
        self.cells = np.nonzero(self.solid)
        shape = 1 + 0.01 * np.sin(2 * np.pi * y / ny)
        self.profile = (inflow * shape).astype(np.float32)
        rho = np.ones((nx, ny), np.float32)
        self.f = self.equilibrium(rho, self.profile, np.zeros_like(rho))
        self.next = np.empty_like(self.f)

    def equilibrium(self, rho, ux, uy):
        usq = 1.5 * (ux * ux + uy * uy)
        feq = np.empty((9,) + rho.shape, np.float32)
        for i, (cx, cy) in enumerate(VEL):
            cu = 3.0 * (cx * ux + cy * uy)
            feq[i] = WEIGHT[i] * rho * (1 + cu + 0.5 * cu * cu - usq)
        return feq

    def macroscopic(self):
        f = self.f
        rho = f.sum(0)
        ux = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / rho
        uy = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / rho
        return rho, ux, uy

    def step(self):
        self.f[[3, 6, 7], -1] = self.f[[3, 6, 7], -2]
        rho, ux, uy = self.macroscopic()
        ux[0], uy[0] = self.profile[0], 0.0
        feq = self.equilibrium(rho, ux, uy)
        self.f[:, 0] = feq[:, 0]
        bounce = self.f[OPPOSITE][(slice(None),) + self.cells]
        feq -= self.f
        feq *= self.omega
        self.f += feq
        self.f[(slice(None),) + self.cells] = bounce
        for i, (cx, cy) in enumerate(VEL):
            self.next[i] = np.roll(self.f[i], (cx, cy), axis=(0, 1))
        self.f, self.next = self.next, self.f

    def vorticity(self):
        _, ux, uy = self.macroscopic()
        curl = np.gradient(uy, axis=0) - np.gradient(ux, axis=1)
        curl[self.solid] = 0
        return curl


def main(steps=450, report=75):
    flow = Channel()
    t0 = time.perf_counter()
    for s in range(1, steps + 1):
        flow.step()
        if s % report == 0:
            curl = flow.vorticity()
            mlups = s * flow.nx * flow.ny / (time.perf_counter() - t0) / 1e6
            print(f"step {s} max curl {np.abs(curl).max():.4f} {mlups:.2f} Mcells/s")


if __name__ == "__main__":
    main()
