from concurrent.futures import ThreadPoolExecutor, as_completed

import numpy as np

rng = np.random.default_rng(0)
table = rng.standard_normal((40_000, 16))


def norm(row):
    return float(row @ row)


def norms(rows):
    with ThreadPoolExecutor(8) as pool:
        futures = {pool.submit(norm, row): n for n, row in enumerate(rows)}
        result = [0.0] * len(futures)
        for future in as_completed(futures):
            result[futures[future]] = future.result()
    return result


for epoch in range(5):
    values = norms(table)
    print(epoch, sum(values) / len(values))
