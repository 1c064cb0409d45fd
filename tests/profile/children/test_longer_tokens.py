"""A sequence that is computed again with one token more is marked; one with a cache is not, nor are batches."""

import sys

import pytest

from perfproof.profile.children.longer_tokens import FEWEST_LOOKS, LONGER, LongerTokens

torch = pytest.importorskip("torch")


def forward(rows, tokens):
    return tokens.mark([sys._getframe(1), sys._getframe()])


def generate(tokens, ids, cached=False):
    for token in range(FEWEST_LOOKS + 1):
        found = forward(torch.zeros(*(ids[:, -1:] if cached else ids).shape, 8), tokens)
        ids = torch.cat([ids, torch.full((len(ids), 1), token)], dim=1)
    return found


def test_a_prefix_that_is_computed_again_for_every_token_is_marked():
    (mark,) = generate(LongerTokens(), torch.arange(32).view(2, 16))
    assert mark.startswith(f"{LONGER}generate (test_longer_tokens.py:") and mark.endswith(" ids")


def test_a_token_that_is_computed_with_a_cache_is_not():
    assert generate(LongerTokens(), torch.arange(32).view(2, 16), cached=True) == []


def test_batches_that_are_sorted_by_length_are_not():
    tokens = LongerTokens()

    def train(ids):
        return forward(torch.zeros(*ids.shape, 8), tokens)

    assert not any(train(torch.arange(length, 2 * length).view(1, -1)) for length in range(16, 40))
