"""Bytes that a step reads, where layers share a cache."""

from dataclasses import replace

import pytest

from perfproof.calc.kv_bytes import Cache, per_sequence
from perfproof.calc.step_time import decode_step
from perfproof.calc.weighed_model import weigh


def test_layers_that_share_a_cache_keep_nothing_but_read_it(shape, h200):
    plain = shape("llama-3.1-8b")
    layers = tuple(replace(layer, shares_cache=number >= 16) for number, layer in enumerate(plain.layers))
    shared = replace(plain, layers=layers)
    assert per_sequence(shared, Cache(), 1000) == per_sequence(plain, Cache(), 1000) / 2
    read, of_plain = (decode_step(weigh(one), h200, 4, 1000).kv_bytes for one in (shared, plain))
    assert read == of_plain == pytest.approx(4 * 1000 * 131_072)
