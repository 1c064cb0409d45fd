import numpy as np


def windows(series, width):
    return np.lib.stride_tricks.sliding_window_view(series, width)


class TrendModel:
    def __init__(self, rank):
        self.rank = rank

    def fit(self, matrix):
        centred = matrix - matrix.mean(axis=0)
        u, s, vt = np.linalg.svd(centred, full_matrices=False)
        self.components = vt[: self.rank]
        self.scale = s[: self.rank]
        return self

    def residual(self, matrix):
        scores = matrix @ self.components.T
        return float(np.abs(matrix - scores @ self.components).mean())


rng = np.random.default_rng(3)
for sensor in range(12):
    t = np.arange(2200)
    series = np.sin(t / 30) + 0.3 * np.sin(t / 7 + sensor) + 0.1 * rng.standard_normal(t.size)
    data = windows(series, 700)
    model = TrendModel(rank=4).fit(data)
    print(sensor, model.residual(data), model.scale[0])
