"""A table that is made at first use and kept, as modules of many projects do."""

import torch

_TABLES = {}
HITS = 0


def get_table(n):
    global HITS
    if n not in _TABLES:
        _TABLES[n] = torch.sin(torch.arange(n) * (2 * torch.pi / n))
    else:
        HITS += 1
    return _TABLES[n]
