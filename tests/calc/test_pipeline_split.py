"""Every calculator with --pp refuses more stages than layers."""

import pytest

from perfproof.calc.calculators import fit, kv_cache, training, weights
from perfproof.core.errors import UsageError


def test_more_stages_than_layers_are_refused(shape, h200):
    llama = shape("llama-3.1-8b")  # 32 layers
    for run in (
        lambda pp: fit.calculate(llama, h200, pp=pp),
        lambda pp: kv_cache.calculate(llama, pp=pp),
        lambda pp: weights.calculate(llama, pp=pp),
        lambda pp: training.calculate(llama, h200, pp=pp),
    ):
        with pytest.raises(UsageError, match=r"--pp 33.*32 layers"):
            run(33)
        run(32)
