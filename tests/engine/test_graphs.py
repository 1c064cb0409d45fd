"""The integers of a step that is a CUDA graph, without a device."""

from types import SimpleNamespace

import numpy as np
import torch

from perfproof.engine.graphs import PER_TOKEN, padded


def test_a_step_without_tokens_is_padding_in_whole_numbers():
    runner = SimpleNamespace(cache=SimpleNamespace(blocks=5, size=16), latest=torch.zeros(3))
    room = SimpleNamespace(tokens=4, tiles=2, sampled=3)
    found = padded(runner, np.empty((PER_TOKEN, 0), np.int64), np.empty((4, 0), np.int64), [], room)
    assert found.dtype == np.int64
    assert found.tolist() == [0] * 8 + [80] * 4 + [2] * 4 + [0] * (8 + 3)  # block 5 and row 2 belong to no request
