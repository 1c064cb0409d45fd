"""Random search over a feature-selection + ridge pipeline, spread over two processes."""

import multiprocessing as mp
import random
import time
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Config:
    alpha: float
    n_features: int
    fold: int
    seed: int


@dataclass
class Trial:
    config: Config
    features: np.ndarray
    target: np.ndarray


def make_table(rows=60_000, cols=120, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, cols))
    w = rng.normal(size=cols) * (rng.random(cols) < 0.2)
    y = x @ w + rng.normal(scale=2.0, size=rows)
    return x, y


def draw_configs(n, seed=0):
    rng = random.Random(seed)
    for i in range(n):
        yield Config(
            alpha=10 ** rng.uniform(-3, 3), n_features=rng.choice([8, 12, 16]), fold=i % 5, seed=rng.randrange(1 << 30)
        )


def fit_ridge(x, y, alpha):
    gram = x.T @ x
    gram[np.diag_indices_from(gram)] += alpha
    return np.linalg.solve(gram, x.T @ y)


def run_trial(trial):
    cfg = trial.config
    rng = np.random.default_rng(cfg.seed)
    cols = np.sort(rng.choice(trial.features.shape[1], cfg.n_features, replace=False))
    n = len(trial.target)
    lo, hi = cfg.fold * n // 5, (cfg.fold + 1) * n // 5
    rows = rng.integers(0, n - (hi - lo), size=4000)
    rows = np.where(rows >= lo, rows + (hi - lo), rows)
    xs = trial.features[np.ix_(rows, cols)]
    coef = fit_ridge(xs, trial.target[rows], cfg.alpha)
    held = trial.features[lo:hi][:, cols]
    resid = trial.target[lo:hi] - held @ coef
    score = 1.0 - resid.var() / trial.target[lo:hi].var()
    return cfg, float(score)


class Leaderboard:
    def __init__(self, keep=5):
        self.keep = keep
        self.rows = []

    def add(self, cfg, score):
        self.rows.append((score, cfg))
        self.rows.sort(key=lambda r: -r[0])
        del self.rows[self.keep :]

    def show(self):
        for score, cfg in self.rows:
            print(f"  r2={score:.4f} alpha={cfg.alpha:9.3f} k={cfg.n_features} fold={cfg.fold}")


def main(trials=36):
    x, y = make_table()
    board = Leaderboard()
    t0 = time.time()
    with mp.get_context("fork").Pool(2) as pool:
        jobs = (Trial(cfg, x, y) for cfg in draw_configs(trials))
        for i, (cfg, score) in enumerate(pool.imap_unordered(run_trial, jobs), 1):
            board.add(cfg, score)
            if i % 6 == 0:
                print(f"{i} trials, {i / (time.time() - t0):.2f}/s")
    board.show()


if __name__ == "__main__":
    main()
