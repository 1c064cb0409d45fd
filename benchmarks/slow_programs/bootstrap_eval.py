"""Bootstrap confidence intervals for a retrieval model's quality."""

import time
from concurrent.futures import ProcessPoolExecutor, as_completed

import numpy as np

DOCS, DIM, QUERIES = 60_000, 96, 400
RESAMPLES = 280


def make_corpus(rng):
    docs = rng.normal(size=(DOCS, DIM)).astype(np.float32)
    docs /= np.linalg.norm(docs, axis=1, keepdims=True)
    gold = rng.integers(0, DOCS, QUERIES)
    queries = docs[gold] + 0.25 * rng.normal(size=(QUERIES, DIM)).astype(np.float32)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    return docs, queries, gold


def reciprocal_rank(scores, own):
    rank = 1 + (scores > own[:, None]).sum(axis=1)
    return 1.0 / rank


def resample_metric(docs, queries, gold, seed):
    rng = np.random.default_rng(seed)
    pick = rng.integers(0, len(queries), 24)
    pool = rng.choice(len(docs), 3000, replace=False, shuffle=False)
    q, own_docs = queries[pick], docs[gold[pick]]
    own = np.einsum("ij,ij->i", q, own_docs)
    rr = reciprocal_rank(q @ docs[pool].T, own)
    return {"seed": seed, "mrr": float(rr.mean()), "hit10": float((rr >= 0.1).mean())}


def run_bootstrap(docs, queries, gold):
    rows = []
    start = time.time()
    with ProcessPoolExecutor(max_workers=2) as pool:
        jobs = [pool.submit(resample_metric, docs, queries, gold, s) for s in range(RESAMPLES)]
        for done, job in enumerate(as_completed(jobs), 1):
            rows.append(job.result())
            if done % 50 == 0:
                print(f"{done}/{RESAMPLES} {time.time() - start:.1f}s", flush=True)
    return rows


def summarize(rows, key):
    values = np.array([r[key] for r in rows])
    low, mid, high = np.percentile(values, [2.5, 50, 97.5])
    print(f"{key}: {mid:.4f} [{low:.4f}, {high:.4f}]")


def main():
    rng = np.random.default_rng(0)
    docs, queries, gold = make_corpus(rng)
    rows = run_bootstrap(docs, queries, gold)
    for key in ("mrr", "hit10"):
        summarize(rows, key)


if __name__ == "__main__":
    main()
