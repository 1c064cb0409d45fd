import numpy as np
import torch
from ..features import featurize, weights


def score_rows(x):
    w = weights()
    return np.array([featurize(r[None])[0] @ w for r in x])


def score_batch(x):
    return featurize(x) @ weights()


@torch.compile
def softplus_scores(x):
    return torch.log1p(torch.exp(-x.abs())) + x.clamp(min=0)


def eager_softplus(x):
    return torch.log1p(torch.exp(-x.abs())) + x.clamp(min=0)
