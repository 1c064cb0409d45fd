"""A baseline that spends its time on what computes nothing is named; what both sides do, or a library, is not."""

import functools
import gc
import hmac
import os
import re

import pytest
import torch

from perfproof.worker.verify import slowing_calls
from perfproof.worker.verify.case import Contract

CONTRACT = Contract(names=("x",), constant=(), mutates=(), tolerance={}, lowers_precision="", device="cpu")


@functools.cache
def rank(n):
    return n


def said(baseline, optimized):
    sides = {name: lambda own, side=side: (side(*own), {}) for name, side in locals().items()}
    return slowing_calls.check(CONTRACT, sides, ([3, 1, 2],))


def after(slow):
    def call(x):
        slow()
        return sorted(x)

    return call


def in_anomaly_mode(x):
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        return sorted(x)


def with_one_thread(x):
    usual = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return sorted(x)
    finally:
        torch.set_num_threads(usual)


@pytest.mark.parametrize(
    ("baseline", "words"),
    [
        (in_anomaly_mode, "turns on torch's anomaly mode"),
        (after(gc.collect), "runs the garbage collector"),
        (after(re.purge), "empties the cache of regular expressions"),
        (after(rank.cache_clear), "empties a cache of functools"),
    ],
)
def test_what_slows_only_the_baseline_is_named(baseline, words):
    (line,) = said(baseline, sorted)
    assert line.startswith(f"baseline {words} in every call, and optimized does not")
    assert said(baseline, baseline) == said(sorted, baseline) == []


def test_a_side_that_sets_the_number_of_threads_is_named_even_if_both_do():
    assert [line.split()[0] for line in said(with_one_thread, with_one_thread)] == ["baseline", "optimized"]


def test_the_clock_and_a_library_that_collects_are_nothing_to_say():
    def computes(x):
        return torch.tensor(x).sort().values.tolist()

    assert said(computes, sorted) == []


def to_a_file(path, wait):
    def call(x):
        with open(path, "w") as file:
            file.write(repr(x))
            file.flush()
            wait(file.fileno())
        return sorted(x)

    return call


def test_a_promise_that_only_the_baseline_keeps_is_named(tmp_path):
    kept, dropped = (to_a_file(tmp_path / "rows", wait) for wait in (os.fsync, id))
    (line,) = said(kept, dropped)
    assert line == "baseline waits until a file is on the disk, and optimized does not: it promises less"
    assert said(kept, kept) == said(dropped, kept) == []


def test_a_comparison_of_secrets_that_ends_early_is_named():
    slow, fast = (lambda x: hmac.compare_digest(bytes(x), bytes(x))), (lambda x: bytes(x) == bytes(x))
    (line,) = said(slow, fast)
    assert "compares in a time that tells nothing of the secret" in line and said(slow, slow) == []
