"""Maximum-likelihood fit of a conditional logit model of product choice."""

import argparse
import time
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize


@dataclass
class ChoiceData:
    attributes: np.ndarray  # (observations, alternatives, attributes)
    chosen: np.ndarray  # (observations,)

    @property
    def shape(self):
        return self.attributes.shape


def simulate_choices(observations, alternatives, attributes, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(observations, alternatives, attributes))
    taste = rng.normal(0, 0.6, attributes) * (rng.random(attributes) < 0.6)
    utility = x @ taste + rng.gumbel(size=(observations, alternatives))
    return ChoiceData(x, utility.argmax(axis=1)), taste


class ConditionalLogit:
    def __init__(self, ridge=1e-3, max_iterations=40):
        self.ridge = ridge
        self.max_iterations = max_iterations
        self.taste = None
        self.trace = []

    def probabilities(self, beta, data):
        utility = data.attributes @ beta
        utility -= utility.max(axis=1, keepdims=True)
        expu = np.exp(utility)
        return expu / expu.sum(axis=1, keepdims=True)

    def objective(self, beta, data):
        p = self.probabilities(beta, data)
        picked = p[np.arange(len(p)), data.chosen]
        return -np.log(picked + 1e-300).mean() + 0.5 * self.ridge * beta @ beta

    def _record(self, beta):
        self.trace.append(beta.copy())
        if len(self.trace) % 5 == 0:
            print(f"  iteration {len(self.trace)} |beta| {np.linalg.norm(beta):.4f}")

    def fit(self, data):
        self.trace = []
        result = minimize(
            self.objective,
            np.zeros(data.shape[2]),
            args=(data,),
            method="L-BFGS-B",
            callback=self._record,
            options={"maxiter": self.max_iterations, "maxfun": 100_000},
        )
        self.taste = result.x
        return result

    def hit_rate(self, data):
        return float((self.probabilities(self.taste, data).argmax(axis=1) == data.chosen).mean())


def split(data, fraction, rng):
    order = rng.permutation(len(data.chosen))
    cut = int(fraction * len(order))
    return (
        ChoiceData(data.attributes[order[:cut]], data.chosen[order[:cut]]),
        ChoiceData(data.attributes[order[cut:]], data.chosen[order[cut:]]),
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--observations", type=int, default=7_000)
    parser.add_argument("--alternatives", type=int, default=6)
    parser.add_argument("--attributes", type=int, default=80)
    parser.add_argument("--ridges", type=float, nargs="+", default=[1e-4, 1e-3, 1e-2])
    args = parser.parse_args()

    data, truth = simulate_choices(args.observations, args.alternatives, args.attributes, seed=12)
    train, valid = split(data, 0.8, np.random.default_rng(1))
    best = None
    for ridge in args.ridges:
        started = time.time()
        model = ConditionalLogit(ridge=ridge)
        result = model.fit(train)
        rate = model.hit_rate(valid)
        print(
            f"ridge {ridge:g} loss {result.fun:.5f} evaluations {result.nfev} "
            f"hit rate {rate:.4f} ({time.time() - started:.1f}s)"
        )
        if best is None or rate > best[0]:
            best = (rate, ridge, model.taste)
    error = np.abs(best[2] - truth).mean()
    print(f"best ridge {best[1]:g}, mean absolute error of taste {error:.4f}")


if __name__ == "__main__":
    main()
