import numpy as np
from scipy.stats import rankdata


def inputs():
    n = 1500
    labels = np.random.rand(n) < 0.3
    scores = np.random.randn(n) + 0.8 * labels
    return scores, labels


def baseline(scores, labels):
    positive = scores[labels]
    negative = scores[~labels]
    wins = (positive[:, None] > negative[None, :]).sum()
    ties = (positive[:, None] == negative[None, :]).sum()
    return float((wins + 0.5 * ties) / (len(positive) * len(negative)))


def optimized(scores, labels):
    ranks = rankdata(scores)
    n = int(labels.sum())
    m = len(labels) - n
    return float((ranks[labels].sum() - n * (n + 1) / 2) / (n * m))
