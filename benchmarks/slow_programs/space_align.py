"""Align embedding spaces of model snapshots with orthogonal maps (Procrustes)."""

import time

import torch

ROWS, DIM, SNAPSHOTS = 9000, 1152, 7
TOL, MAX_ITER = 1e-4, 30


def reflect(x, gen, count=6):
    x = x.clone()
    for _ in range(count):
        v = torch.randn(DIM, generator=gen)
        v /= v.norm()
        x.addr_(x @ v, v, alpha=-2.0)
    return x


def snapshot(base, gen, noise):
    moved = reflect(base, gen)
    return moved.add_(torch.randn(ROWS, DIM, generator=gen), alpha=noise)


def spectral_norm(m, gen, rounds=12):
    v = torch.randn(DIM, generator=gen)
    for _ in range(rounds):
        v = m.T @ (m @ v)
        v /= v.norm()
    return (m @ v).norm().item()


def polar_factor(m, gen):
    x = m / (1.02 * spectral_norm(m, gen))
    gram = torch.empty(DIM, DIM)
    nxt = torch.empty(DIM, DIM)
    for it in range(1, MAX_ITER + 1):
        torch.mm(x.T, x, out=gram)
        torch.addmm(x, x, gram, beta=1.5, alpha=-0.5, out=nxt)
        gram.diagonal().sub_(1.0)
        gap = gram.norm().item() / DIM**0.5
        x, nxt = nxt, x
        if gap < TOL:
            break
    return x, it, gap


def align(source, target, gen):
    cross = source.T @ target
    rotation, iters, gap = polar_factor(cross, gen)
    mapped = source @ rotation
    residual = ((mapped - target).norm() / target.norm()).item()
    return rotation, mapped, residual, iters, gap


def neighbour_agreement(a, b, gen, probes=256, k=10):
    pick = torch.randperm(ROWS, generator=gen)[:probes]
    near_a = (a[pick] @ a.T).topk(k + 1).indices
    near_b = (b[pick] @ b.T).topk(k + 1).indices
    shared = (near_a[:, :, None] == near_b[:, None, :]).any(-1).float()
    return shared.mean().item()


def main():
    gen = torch.Generator().manual_seed(0)
    base = torch.randn(ROWS, DIM, generator=gen)
    total = torch.zeros(ROWS, DIM)
    start = time.time()
    with torch.inference_mode():
        for n in range(SNAPSHOTS):
            target = snapshot(base, gen, 0.1 + 0.1 * n)
            rotation, mapped, residual, iters, gap = align(target, base, gen)
            total += mapped
            agree = neighbour_agreement(base, mapped, gen)
            print(
                f"snapshot {n} residual {residual:.4f} iterations {iters} gap {gap:.1e} "
                f"neighbours {agree:.3f} {time.time() - start:.1f}s",
                flush=True,
            )
        mean_gap = ((total / SNAPSHOTS - base).norm() / base.norm()).item()
    print(f"consensus distance {mean_gap:.4f}")


if __name__ == "__main__":
    main()
