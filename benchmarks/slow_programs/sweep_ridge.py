# Exported from probe_sweep.ipynb

# In[1]:
import time

import numpy as np

rng = np.random.default_rng(11)


# In[2]:
# Hidden states from a few layers of a model, and a scalar property to be read off by a linear probe.
N, D, LAYERS = 4_000, 48, 3


def hidden_states(layer):
    mix = rng.standard_normal((D, D)) / np.sqrt(D)
    base = rng.standard_normal((N, D)) * np.linspace(2.0, 0.1, D)
    return np.tanh(base @ mix * (1 + 0.2 * layer)) + 0.1 * rng.standard_normal((N, D))


states = {layer: hidden_states(layer) for layer in range(LAYERS)}
direction = rng.standard_normal(D)
target = states[1] @ direction + 0.5 * rng.standard_normal(N)


# In[3]:
def folds(n, k=4):
    order = np.random.default_rng(0).permutation(n)
    for part in np.array_split(order, k):
        mask = np.ones(n, bool)
        mask[part] = False
        yield np.flatnonzero(mask), part


def standardize(train, test):
    mu, sd = train.mean(0), train.std(0) + 1e-8
    return (train - mu) / sd, (test - mu) / sd


def decompose(x):
    u, s, vt = np.linalg.svd(x)
    return u[:, : len(s)], s, vt


def probe_path(x, y, alphas):
    u, s, vt = decompose(x)
    proj = u.T @ y
    shrink = s[None, :] / (s[None, :] ** 2 + alphas[:, None])
    return (shrink * proj[None, :]) @ vt


def r2(pred, y):
    return 1.0 - ((pred - y) ** 2).sum(-1) / ((y - y.mean()) ** 2).sum()


# In[4]:
alphas = np.logspace(-3, 5, 40)
results = {}
for layer, x in states.items():
    start = time.time()
    scores = []
    for train, test in folds(N):
        xtr, xte = standardize(x[train], x[test])
        mean = target[train].mean()
        coefs = probe_path(xtr, target[train] - mean, alphas)
        scores.append(r2(coefs @ xte.T + mean, target[test]))
    results[layer] = np.mean(scores, axis=0)
    best = results[layer].argmax()
    print(f"layer {layer}: r2 {results[layer][best]:.3f} at alpha {alphas[best]:.2g} ({time.time() - start:.1f}s)")


# In[5]:
layer = max(results, key=lambda k: results[k].max())
print("best layer", layer)
boot = []
for b in range(4):
    pick = rng.integers(0, N, N)
    xb, xo = standardize(states[layer][pick], states[layer])
    coef = probe_path(xb, target[pick] - target[pick].mean(), alphas[[results[layer].argmax()]])[0]
    boot.append(r2(xo @ coef + target[pick].mean(), target))
print(f"bootstrap r2 {np.mean(boot):.3f} +- {np.std(boot):.3f}")
