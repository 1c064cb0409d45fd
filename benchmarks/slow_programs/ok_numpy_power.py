"""Leading eigenvectors by subspace iteration: numpy alone."""

import numpy as np

rng = np.random.default_rng(0)
a = rng.normal(size=(1500, 1500)).astype(np.float32)
a = a @ a.T / 1500
v = rng.normal(size=(1500, 600)).astype(np.float32)
for turn in range(30):
    v = a @ v
    v /= np.linalg.norm(v, axis=0)
print(float(np.abs(v[0]).sum()))
