"""Pseudo-spectral simulation of decaying two-dimensional turbulence."""

import time

import numpy as np

N = 256
STEPS = 560
DT = 2e-3
VISCOSITY = 2e-4


class Flow:
    """Vorticity formulation on a periodic square."""

    def __init__(self, seed=1):
        freq = np.fft.fftfreq(N, 1.0 / N)
        half = np.fft.rfftfreq(N, 1.0 / N)
        self.kx = 1j * half[None, :]
        self.ky = 1j * freq[:, None]
        self.k2 = half[None, :] ** 2 + freq[:, None] ** 2
        self.inverse = 1.0 / np.where(self.k2 == 0, 1.0, self.k2)
        self.keep = (np.abs(freq)[:, None] < N / 3) & (half[None, :] < N / 3)
        self.decay = np.exp(-VISCOSITY * self.k2 * DT)
        self.decay_half = np.exp(-0.5 * VISCOSITY * self.k2 * DT)
        self.vorticity = self._initial(np.random.default_rng(seed))
        self.time = 0.0

    def _initial(self, rng):
        noise = np.fft.rfft2(rng.normal(size=(N, N)))
        k = np.sqrt(self.k2)
        shaped = noise * np.exp(-((k - 8.0) ** 2) / 8.0) * self.keep
        field = np.fft.irfft2(shaped, s=(N, N))
        return np.fft.rfft2(field * (5.0 / field.std()))

    def velocity(self, vorticity):
        stream = vorticity * self.inverse
        u = np.fft.irfft2(self.ky * stream, s=(N, N))
        v = np.fft.irfft2(-self.kx * stream, s=(N, N))
        return u, v

    def advection(self, vorticity):
        u, v = self.velocity(vorticity)
        u *= np.fft.irfft2(self.kx * vorticity, s=(N, N))
        v *= np.fft.irfft2(self.ky * vorticity, s=(N, N))
        u += v
        change = np.fft.rfft2(u)
        change *= self.keep
        return np.negative(change, out=change)

    def step(self):
        """Classical fourth-order Runge-Kutta with an integrating factor."""
        w = self.vorticity
        half = self.decay_half
        k1 = self.advection(w)
        k2 = self.advection(half * (w + 0.5 * DT * k1))
        k3 = self.advection(half * w + 0.5 * DT * k2)
        k4 = self.advection(self.decay * w + DT * half * k3)
        self.vorticity = self.decay * (w + DT / 6 * k1) + DT / 3 * half * (k2 + k3) + DT / 6 * k4
        self.time += DT

    def diagnostics(self):
        u, v = self.velocity(self.vorticity)
        energy = 0.5 * np.mean(u * u + v * v)
        field = np.fft.irfft2(self.vorticity, s=(N, N))
        return energy, 0.5 * np.mean(field * field), max(np.abs(u).max(), np.abs(v).max())


def main():
    flow = Flow()
    started = time.time()
    for step in range(1, STEPS + 1):
        flow.step()
        if step % 80 == 0:
            energy, enstrophy, speed = flow.diagnostics()
            courant = speed * DT * N / (2 * np.pi)
            print(
                f"t={flow.time:.3f}  energy {energy:.5f}  enstrophy {enstrophy:.4f}  "
                f"courant {courant:.2f}  {time.time() - started:.1f}s",
                flush=True,
            )
    print("simulation complete")


if __name__ == "__main__":
    main()
