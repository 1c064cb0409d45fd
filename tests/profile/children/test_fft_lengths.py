"""Transforms of a slow length are told from those of a fast one, and short ones from long ones."""

import sys
from types import SimpleNamespace

import numpy
import pytest
import torch

from perfproof.profile.children.fft_lengths import SLOW_LENGTH, is_slow, mark

fft = pytest.importorskip("scipy.fft")
PRIME, SMOOTH, SHORT = 62_017, 62_208, 61


@pytest.mark.parametrize("length", [62_017, 143_999, 10_007, 2 * 62_017, 65_537])
def test_lengths_with_a_large_prime_factor_are_slow(length):
    assert is_slow(length)


@pytest.mark.parametrize("length", [2**16, 3 * 2**14, 86_400, 44_100, 10_000, 7_770, 93_600, 61, 997])
def test_products_of_small_factors_and_short_lengths_are_not(length):
    assert not is_slow(length)


def looked(function, *arguments, **options):
    """The marks that the frames of a library get while it transforms."""
    found = []

    def traced(frame, event, _):
        if event == "call":
            frame.f_trace_lines = False
        if event == "return":
            found.extend(mark([frame], []))
        return traced

    sys.settrace(traced)
    try:
        function(*arguments, **options)
    finally:
        sys.settrace(None)
    return found


CALLS = [
    (lambda n: numpy.fft.rfft(numpy.ones(n))),
    (lambda n: numpy.fft.irfft(numpy.ones(n // 2 + 1), n)),
    (lambda n: numpy.fft.fft(numpy.ones((2, n)), axis=1)),
    (lambda n: fft.rfft(numpy.ones(n // 2), n)),
    (lambda n: fft.irfft(numpy.ones(n // 2 + 1, complex), n)),
    (lambda n: fft.fft(numpy.ones((2, n)))),
    (lambda n: fft.fft2(numpy.ones((2, n)))),
    (lambda n: fft.rfftn(numpy.ones((n, 2)))),
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("length", "slow"), [(PRIME, True), (SMOOTH, False), (SHORT, False)])
def test_the_length_is_read_from_the_librarys_frames(call, length, slow):
    assert (SLOW_LENGTH in looked(call, length)) == slow


@pytest.mark.parametrize(("length", "slow"), [(PRIME, [SLOW_LENGTH]), (SMOOTH, [])])
def test_of_torch_the_length_is_what_the_line_gives(length, slow):
    def call(*arguments, **keywords):
        return SimpleNamespace(name="rfft", receiver=torch.fft, arguments=arguments, keywords=keywords)

    assert mark([], [call(torch.ones(length))]) == slow
    assert mark([], [call(torch.ones(10), length)]) == slow
    assert mark([], [call(torch.ones(10), n=length)]) == slow
    assert mark([], [call(torch.ones(length, 4), dim=0)]) == []  # not known


def test_functions_of_the_same_name_elsewhere_are_left_alone():
    call = SimpleNamespace(name="rfft", receiver=numpy, arguments=(numpy.ones(4), PRIME), keywords={})
    assert mark([sys._getframe()], [call]) == []
