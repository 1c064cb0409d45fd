"""Implicit-feedback matrix factorisation by alternating least squares."""

import argparse
import time
from dataclasses import dataclass

import torch


@dataclass
class Interactions:
    """Padded adjacency: for each row the ids it touched, their weights, and a mask."""

    ids: torch.Tensor
    conf: torch.Tensor

    def __len__(self):
        return self.ids.shape[0]


def simulate(n_users, n_items, per_user, gen):
    taste = torch.randn(n_users, 6, generator=gen)
    trait = torch.randn(n_items, 6, generator=gen)
    rows = []
    for chunk in taste.split(1000):
        noise = torch.rand(chunk.shape[0], n_items, generator=gen).log_().neg_().log_().neg_()
        rows.append((chunk @ trait.T + noise).topk(per_user, dim=1).indices)
    items = torch.cat(rows)
    counts = 1.0 + torch.rand(items.shape, generator=gen) * 8.0
    return items, counts


def pad_rows(row_ids, col_ids, values, n_rows, width):
    """Group coordinate entries by row into fixed-width arrays; padding has zero weight."""
    order = torch.argsort(row_ids, stable=True)
    row_ids, col_ids, values = row_ids[order], col_ids[order], values[order]
    counts = torch.bincount(row_ids, minlength=n_rows)
    first = torch.cumsum(counts, 0) - counts
    slot = torch.arange(len(row_ids)) - first[row_ids]
    keep = slot < width
    ids = torch.zeros(n_rows, width, dtype=torch.long)
    conf = torch.zeros(n_rows, width)
    ids[row_ids[keep], slot[keep]] = col_ids[keep]
    conf[row_ids[keep], slot[keep]] = values[keep]
    return Interactions(ids, conf)


def solve_side(factors, other, inter, reg, chunk):
    rank = other.shape[1]
    base = other.T @ other + reg * torch.eye(rank)
    for start in range(0, len(inter), chunk):
        ids = inter.ids[start : start + chunk]
        conf = inter.conf[start : start + chunk]
        rows = other[ids]
        weighted = rows * conf.unsqueeze(-1)
        gram = torch.baddbmm(base.expand(len(ids), rank, rank), weighted.transpose(1, 2), rows)
        rhs = ((conf > 0) * (1.0 + conf)).unsqueeze(1) @ rows
        chol = torch.linalg.cholesky(gram)
        factors[start : start + chunk] = torch.cholesky_solve(rhs.transpose(1, 2), chol).squeeze(-1)


def weighted_error(users, items, inter, chunk):
    total, weight = 0.0, 0.0
    for start in range(0, len(inter), chunk):
        ids = inter.ids[start : start + chunk]
        conf = inter.conf[start : start + chunk]
        pred = (items[ids] @ users[start : start + chunk].unsqueeze(-1)).squeeze(-1)
        total += (conf * (1.0 - pred) ** 2).sum().item()
        weight += conf.sum().item()
    return total / weight


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=6000)
    parser.add_argument("--items", type=int, default=3000)
    parser.add_argument("--per-user", type=int, default=40)
    parser.add_argument("--rank", type=int, default=64)
    parser.add_argument("--sweeps", type=int, default=10)
    parser.add_argument("--chunk", type=int, default=256)
    args = parser.parse_args()

    torch.set_grad_enabled(False)
    gen = torch.Generator().manual_seed(0)
    items, counts = simulate(args.users, args.items, args.per_user, gen)
    user_ids = torch.arange(args.users).repeat_interleave(args.per_user)
    by_user = Interactions(items, counts)
    by_item = pad_rows(items.flatten(), user_ids, counts.flatten(), args.items, width=160)
    user_f = 0.1 * torch.randn(args.users, args.rank, generator=gen)
    item_f = 0.1 * torch.randn(args.items, args.rank, generator=gen)
    print(f"{items.numel()} interactions")

    t0 = time.perf_counter()
    for sweep in range(1, args.sweeps + 1):
        solve_side(user_f, item_f, by_user, reg=5.0, chunk=args.chunk)
        solve_side(item_f, user_f, by_item, reg=5.0, chunk=args.chunk)
        err = weighted_error(user_f, item_f, by_user, args.chunk)
        print(f"sweep {sweep}: error {err:.4f} {time.perf_counter() - t0:.1f}s", flush=True)


if __name__ == "__main__":
    main()
