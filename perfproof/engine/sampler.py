"""The next token from logits: temperature, top-k, top-p, and noise that depends on nothing but seed and position.

The draw is the Gumbel-max rule: add noise to the log-probabilities and take the largest. The noise of a vocabulary
entry is a hash of the request's seed, the position of the token and the entry. The same request therefore gets the
same answer alone or in a batch, before or after a preemption, with or without speculation.
"""

import torch
from torch import Tensor


def sample(
    logits: Tensor, temperature: Tensor, top_k: Tensor, top_p: Tensor, seeds: Tensor, positions: Tensor
) -> Tensor:
    """One token per row; a row with temperature 0 takes the largest logit."""
    logits = logits if logits.dtype == torch.float64 else logits.float()
    greedy = logits.argmax(-1)
    scaled = logits / temperature.clamp_min(1e-6).unsqueeze(-1)
    noisy = keep_likely(scaled, top_k, top_p) + gumbel_noise(seeds, positions, logits.shape[-1]).to(logits.dtype)
    return torch.where(temperature > 0, noisy.argmax(-1), greedy)


def keep_likely(logits: Tensor, top_k: Tensor, top_p: Tensor) -> Tensor:
    """Set to -inf what is not among the k largest, then what comes after the first entries that sum to p.

    A p of 1 keeps all: the running sum can round to 1 before the last entries.
    """
    ordered, order = torch.sort(logits, dim=-1, descending=True, stable=True)
    rank = torch.arange(logits.shape[-1], device=logits.device)
    most = torch.where(top_k > 0, top_k, logits.shape[-1]).unsqueeze(-1)
    ordered = ordered.masked_fill(rank >= most, -torch.inf)
    shares = ordered.softmax(-1)
    before = shares.cumsum(-1) - shares
    dropped = (before >= top_p.unsqueeze(-1)) & (rank > 0) & (top_p < 1).unsqueeze(-1)
    return torch.empty_like(logits).scatter_(-1, order, ordered.masked_fill(dropped, -torch.inf))


def gumbel_noise(seeds: Tensor, positions: Tensor, vocabulary: int) -> Tensor:
    """(rows, vocabulary); the uniform number has 31 bits and is never 0 or 1."""
    entries = torch.arange(vocabulary, device=seeds.device)
    row = _mixed(seeds ^ _mixed(positions + 1))
    bits = _mixed(row.unsqueeze(-1) + entries * -7046029254386353131) >> 33  # an arithmetic shift: signed
    uniform = ((bits & (2**31 - 1)).double() + 0.5) * 2.0**-31
    return -torch.log(-torch.log(uniform))


def _mixed(x: Tensor) -> Tensor:
    """Every input bit changes about half of the output bits (the finaliser of SplitMix64); products wrap around."""
    x = (x ^ _shifted(x, 30)) * -4658895280553007687
    x = (x ^ _shifted(x, 27)) * -7723592293110705685
    return x ^ _shifted(x, 31)


def _shifted(x: Tensor, by: int) -> Tensor:
    """A logical shift to the right; torch's own keeps the sign."""
    return (x >> by) & (2 ** (64 - by) - 1)
