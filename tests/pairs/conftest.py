"""A valid pair to change, and two ways to read the result: accepted, or refused with one line."""

import pytest

from perfproof.core.errors import ContractError
from perfproof.pairs.contract import read_pair

PAIR = '''\
"""Add in one call.

Why it works.
"""

import torch

EPS = 1e-6

workload = dict(rows=4096, cols=64)
workload_cpu = dict(rows=512, cols=64)
smoke = dict(rows=5, cols=7)
tolerance = dict(rtol=1e-5, atol=1e-6)  # one rounding of float32
tier = "idiomatic"


def inputs(rows, cols):
    return torch.randn(rows, cols), torch.randn(cols)


def reference(x, weight):
    return x.double() + weight.double()


def baseline(x, weight):
    return x + 1.0 * weight


def optimized(x, weight):
    return x + weight


def cost(rows, cols):
    return dict(flops=rows * cols, bytes=8 * rows * cols)
'''


@pytest.fixture
def valid():
    """The text of a pair that keeps the contract."""
    return PAIR


@pytest.fixture
def accepted(tmp_path):
    """Write a text as a pair file and read it."""

    def read(text, chapter="ch01", stem="pair"):
        path = tmp_path / f"{stem}.py"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_pair(path, f"{chapter}:{stem}", chapter)

    return read


@pytest.fixture
def refused(accepted):
    """Read a text that breaks the contract; the message without the file's name, such as `:9: ...`."""

    def read(text, chapter="ch01", stem="pair"):
        with pytest.raises(ContractError) as caught:
            accepted(text, chapter, stem)
        message = str(caught.value)
        assert len(message.splitlines()) == 1
        assert f"{stem}.py" in caught.value.where
        return message.partition(f"{stem}.py")[2]

    return read


@pytest.fixture
def changed(valid):
    """The valid pair with one piece replaced; the piece must be there."""

    def change(old, new):
        assert old in valid
        return valid.replace(old, new)

    return change
