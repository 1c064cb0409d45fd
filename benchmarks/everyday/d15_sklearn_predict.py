"""predict_proba of a fitted logistic regression against the formula."""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

X, y = make_classification(n_samples=400, n_features=20, random_state=0)
clf = LogisticRegression(max_iter=200).fit(X, y)


def inputs():
    return np.random.randn(1000, 20)


def baseline(x):
    return clf.predict_proba(x)


def optimized(x):
    p = 1 / (1 + np.exp(-(x @ clf.coef_[0] + clf.intercept_[0])))
    return np.stack([1 - p, p], axis=1)
