"""Share out work by what it costs, not by how many pieces there are: the slowest rank sets everybody's pace.

Queries are scored against documents that are sorted by length, as a corpus often is to save padding. Half of the
documents for each rank gives the second one three quarters of the tokens, and the first waits for it in the collective
that follows. Cut where the tokens are halved, both end together: 0.75 / 0.5 = 1.5x, and nothing was made faster. What
is computed, sent and summed is the same; gathering the queries and summing the scores are not shared out and bound the
gain. To find a straggler, time the ranks before they meet: after a collective all of them look slow.
"""

from bisect import bisect_right
from itertools import accumulate

import torch
import torch.distributed as dist

workload = dict(queries=2_048, documents=20, tokens=1_024, width=1_024)  # the longest has 20 times 1,024 tokens
workload_cpu = dict(queries=64, documents=20, tokens=48, width=128)
smoke = dict(queries=3, documents=5, tokens=2, width=7)
ranks = 2
constant = ("documents",)
tolerance = dict(rtol=1e-5, atol=2e-6)  # sums near 1 of products rounded at 2**-24 (6e-8)
tier = "idiomatic"
menu = ("both", "imbalance")


def inputs(queries, documents, tokens, width):
    """The queries of a rank are its own; the documents, each longer than the last, are the same everywhere."""
    lengths = [tokens * (place + 1) for place in range(documents)]
    return torch.randn(queries, width), [torch.randn(length, width) / width**0.5 for length in lengths]


def reference(queries, documents):
    everyone = gathered(queries.double())
    return torch.stack([(everyone @ document.double().T).amax(-1) for document in documents], dim=-1)


def gathered(queries):
    everyone = queries.new_empty(dist.get_world_size(), *queries.shape)
    dist.all_gather(list(everyone), queries)
    return everyone.flatten(0, 1)


def scored(queries, documents, begin, end):
    """This rank scores the documents from `begin` to `end`: each query's best token in each. Then all have all."""
    everyone = gathered(queries)
    scores = everyone.new_zeros(len(documents), len(everyone))
    for place in range(begin, end):
        scores[place] = (documents[place] @ everyone.T).amax(0)
    dist.all_reduce(scores)
    return scores.T


def baseline(queries, documents):
    rank, world = dist.get_rank(), dist.get_world_size()
    begin, end = (len(documents) * part // world for part in (rank, rank + 1))
    return scored(queries, documents, begin, end)


def optimized(queries, documents):
    rank, world = dist.get_rank(), dist.get_world_size()
    ends = list(accumulate(len(document) for document in documents))
    begin, end = (bisect_right(ends, ends[-1] * part / world) for part in (rank, rank + 1))
    return scored(queries, documents, begin, end)


def cost(queries, documents, tokens, width):
    lengths = [place + 1 for place in range(documents)]
    cut = documents // ranks
    return dict(predicted_optimized=max(sum(lengths[:cut]), sum(lengths[cut:])) / (sum(lengths) / ranks))
