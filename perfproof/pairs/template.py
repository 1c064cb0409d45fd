"""The file that `perfproof new NAME` writes: a complete small pair that runs anywhere, to be changed into yours."""

import re
from pathlib import Path

from perfproof.core.errors import UsageError

TEXT = '''\
"""Sum the squares of a vector in one pass: the squares never go to memory."""

import torch

# The sizes that it is measured at: the parameters of `inputs`.
workload = dict(n=1 << 18)


def inputs(n):
    """The arguments of the functions below, drawn anew for every call; the harness sets seed and device."""
    return torch.randn(n)


def baseline(x):
    """What people write first; every line is timed."""
    return (x * x).sum()


def optimized(x):
    """The idea; every line is timed. Further variants are called optimized_<name>."""
    return torch.dot(x, x)


# All of this may be left out. All names: docs/pairs.md of perfproof.
# smoke = dict(n=1_003)                    small, ragged sizes to verify first
# tolerance = dict(rtol=1e-4, atol=1e-4)   how far an answer may be off, with the reason in a comment
# def reference(x): ...                    slow, obviously right, in higher precision
# def cost(n): ...                         dict(flops=..., bytes=...): what the model predicts
'''


def write_new(name: str, folder: Path) -> Path:
    """Write NAME.py into the folder; an existing file stays as it is."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or name.startswith("test_") or name == "conftest":
        remedy = (
            "use small letters, digits and _, beginning with a letter and not with test_: `perfproof new fused_norm`"
        )
        raise UsageError(f"{name!r} is not a name for a pair; {remedy}")
    path = folder / f"{name}.py"
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(TEXT)
    except FileExistsError:
        raise UsageError(f"{path} exists and is left as it is; choose another name or remove the file") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}; choose another folder") from None
    return path
