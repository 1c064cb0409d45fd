"""Lennard-Jones fluid in a periodic box, cell lists, velocity Verlet."""

import time

import numpy as np
from numba import njit

SIDE = 18
CUT = 2.5
DT = 0.003
BLOCKS, STEPS_PER_BLOCK = 12, 55


@njit(fastmath=True)
def bin_particles(pos, box, ncell, head, nxt):
    head[:] = -1
    scale = ncell / box
    for i in range(pos.shape[0]):
        cx = int(pos[i, 0] * scale) % ncell
        cy = int(pos[i, 1] * scale) % ncell
        cz = int(pos[i, 2] * scale) % ncell
        c = (cx * ncell + cy) * ncell + cz
        nxt[i] = head[c]
        head[c] = i


@njit(fastmath=True)
def forces(pos, box, ncell, head, nxt, out):
    out[:] = 0.0
    energy = 0.0
    cut2 = CUT * CUT
    for cx in range(ncell):
        for cy in range(ncell):
            for cz in range(ncell):
                c = (cx * ncell + cy) * ncell + cz
                for k in range(27):
                    ox, oy, oz = k // 9 - 1, (k // 3) % 3 - 1, k % 3 - 1
                    o = (((cx + ox) % ncell) * ncell + (cy + oy) % ncell) * ncell + (cz + oz) % ncell
                    i = head[c]
                    while i >= 0:
                        j = head[o]
                        while j >= 0:
                            if j > i:
                                dx = pos[i, 0] - pos[j, 0]
                                dy = pos[i, 1] - pos[j, 1]
                                dz = pos[i, 2] - pos[j, 2]
                                dx -= box * np.rint(dx / box)
                                dy -= box * np.rint(dy / box)
                                dz -= box * np.rint(dz / box)
                                r2 = dx * dx + dy * dy + dz * dz
                                if r2 < cut2:
                                    inv2 = 1.0 / r2
                                    inv6 = inv2 * inv2 * inv2
                                    f = 24.0 * inv2 * inv6 * (2.0 * inv6 - 1.0)
                                    energy += 4.0 * inv6 * (inv6 - 1.0)
                                    out[i, 0] += f * dx
                                    out[i, 1] += f * dy
                                    out[i, 2] += f * dz
                                    out[j, 0] -= f * dx
                                    out[j, 1] -= f * dy
                                    out[j, 2] -= f * dz
                            j = nxt[j]
                        i = nxt[i]
    return energy


@njit
def advance(pos, vel, acc, box, ncell, head, nxt, steps):
    energy = 0.0
    for _ in range(steps):
        vel += 0.5 * DT * acc
        pos += DT * vel
        pos %= box
        bin_particles(pos, box, ncell, head, nxt)
        energy = forces(pos, box, ncell, head, nxt, acc)
        vel += 0.5 * DT * acc
    return energy


def main():
    rng = np.random.default_rng(0)
    n, box = SIDE**3, SIDE * 1.08
    grid = np.stack(np.meshgrid(*[np.arange(SIDE)] * 3, indexing="ij"), -1).reshape(-1, 3)
    pos = (grid + 0.5) * 1.08
    vel = rng.normal(0, 1, (n, 3))
    vel -= vel.mean(0)
    acc = np.zeros_like(pos)
    ncell = int(box / CUT)
    head, nxt = np.empty(ncell**3, np.int64), np.empty(n, np.int64)
    start = time.time()
    for block in range(BLOCKS):
        potential = advance(pos, vel, acc, box, ncell, head, nxt, STEPS_PER_BLOCK)
        kinetic = 0.5 * (vel**2).sum()
        print(
            f"block {block} T {2 * kinetic / (3 * n):.3f} E/N {(kinetic + potential) / n:.4f} {time.time() - start:.1f}s",
            flush=True,
        )


if __name__ == "__main__":
    main()
