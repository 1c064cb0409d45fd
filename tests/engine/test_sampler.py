"""Sampling: the distribution that was asked for, and nothing outside of it."""

import math

import pytest
import torch
from scipy.special import chdtrc, kolmogorov

from perfproof.engine.sampler import gumbel_noise, keep_likely, sample

LOGITS = torch.tensor([2.0, 1.5, 0.3, -0.2, -1.0, -4.0], dtype=torch.float64)
DRAWS = 20_000


def chance(counts, wanted):
    """The chance of counts that differ from the wanted ones as much as these: Pearson's test.

    scipy.stats has it too, but every process that collects tests would import that for a second.
    """
    assert counts.sum().item() == pytest.approx(wanted.sum().item())
    return chdtrc(len(counts) - 1, ((counts - wanted) ** 2 / wanted).sum().item())


def drawn(temperature=1.0, top_k=0, top_p=1.0, seed=11):
    rows = LOGITS.expand(DRAWS, -1)
    whole = torch.full((DRAWS,), 0)
    ids = sample(
        rows,
        torch.full((DRAWS,), temperature, dtype=torch.float64),
        whole + top_k,
        torch.full((DRAWS,), top_p, dtype=torch.float64),
        whole + seed,
        torch.arange(DRAWS),
    )
    return torch.bincount(ids, minlength=len(LOGITS))


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_draws_have_the_probabilities_of_the_softmax(temperature):
    wanted = (LOGITS / temperature).softmax(0) * DRAWS
    assert chance(drawn(temperature), wanted) > 1e-4


def test_the_check_finds_a_wrong_temperature():
    wanted = (LOGITS / 1.1).softmax(0) * DRAWS
    assert chance(drawn(1.0), wanted) < 1e-6


def test_temperature_0_takes_the_largest():
    assert drawn(0.0).tolist() == [DRAWS, 0, 0, 0, 0, 0]


def test_top_k_leaves_k_and_their_proportions():
    counts = drawn(top_k=2)
    assert counts[2:].sum() == 0
    wanted = LOGITS[:2].softmax(0) * DRAWS
    assert chance(counts[:2], wanted) > 1e-4


def test_top_p_leaves_the_fewest_entries_that_sum_to_p():
    shares = LOGITS.softmax(0)
    assert shares[0] < 0.8 < shares[:2].sum()
    kept = keep_likely(LOGITS[None], torch.tensor([0]), torch.tensor([0.8], dtype=torch.float64))
    assert torch.isfinite(kept)[0].tolist() == [True, True, False, False, False, False]


def test_a_top_p_of_1_keeps_every_entry_of_a_large_vocabulary():
    logits = torch.randn(1, 50_000, generator=torch.Generator().manual_seed(0)) * 4
    kept = keep_likely(logits, torch.tensor([0]), torch.tensor([1.0]))
    assert torch.equal(kept, logits)
    ordered = logits[0].sort(descending=True).values.softmax(0)
    assert (ordered.cumsum(0) - ordered).max() >= 1  # single precision alone would drop some


def test_top_k_and_top_p_together_leave_p_of_the_k_that_stay():
    shares = LOGITS.softmax(0)[:3] / LOGITS.softmax(0)[:3].sum()
    assert shares[:2].sum() < 0.95 < 1
    counts = drawn(top_k=3, top_p=0.85)
    assert counts[2:].sum() == 0 and shares[0] < 0.85 <= shares[:2].sum()
    assert chance(counts[:2], LOGITS[:2].softmax(0) * DRAWS) > 1e-4


@pytest.mark.parametrize("across", ["seeds", "positions"])
def test_seeds_and_positions_that_follow_each_other_draw_independently(across):
    """The pair of two neighbours has the product of their distributions."""
    counted = torch.arange(DRAWS // 2 * 2)
    seeds, positions = (counted, counted * 0 + 9) if across == "seeds" else (counted * 0 + 9, counted)
    ones = torch.ones(len(counted), dtype=torch.float64)
    ids = sample(LOGITS[:3].expand(len(counted), -1), ones, counted * 0, ones, seeds, positions)
    pairs = torch.bincount(ids[::2] * 3 + ids[1::2], minlength=9)
    single = LOGITS[:3].softmax(0)
    wanted = (single[:, None] * single).flatten() * pairs.sum()
    assert chance(pairs, wanted) > 1e-4


def test_a_tiny_top_p_leaves_one_entry():
    kept = keep_likely(LOGITS[None], torch.tensor([0]), torch.tensor([1e-6], dtype=torch.float64))
    assert torch.isfinite(kept)[0].tolist() == [True] + [False] * 5


def test_rows_of_a_batch_have_their_own_settings():
    ids = sample(
        LOGITS.expand(2, -1),
        torch.tensor([0.0, 1.0]),
        torch.tensor([0, 1]),
        torch.ones(2),
        torch.tensor([1, 2]),
        torch.tensor([0, 0]),
    )
    assert ids.tolist() == [0, 0]


def test_noise_depends_on_seed_and_position_and_on_nothing_else():
    seeds, positions = torch.tensor([1, 1, 2, 1]), torch.tensor([5, 6, 5, 5])
    noise = gumbel_noise(seeds, positions, 1000)
    assert torch.equal(noise[0], noise[3]) and torch.equal(noise[0], gumbel_noise(seeds[:1], positions[:1], 1000)[0])
    assert not torch.equal(noise[0], noise[1]) and not torch.equal(noise[0], noise[2])
    together = torch.corrcoef(gumbel_noise(torch.tensor([1, 2, -3]), torch.tensor([0, 0, 0]), 20_000))
    assert (together - torch.eye(3)).abs().max() < 0.04


def test_noise_has_the_gumbel_distribution():
    noise = gumbel_noise(torch.tensor([2**62]), torch.tensor([123]), 20_000)[0]
    shares, even = torch.exp(-torch.exp(-noise.sort().values)), torch.arange(20_001, dtype=torch.float64) / 20_000
    apart = max((even[1:] - shares).max().item(), (shares - even[:-1]).max().item())
    assert kolmogorov(math.sqrt(20_000) * apart) > 1e-4
