"""Without a GPU: lines work on arrays that make them slow: a type without a fast product, long strides, mostly zeros or
padding, Python objects, numbers near zero, Fourier transforms of a slow length.

The stacks that `perfproof profile` samples mark such lines: see perfproof/profile/children/operands.py.
"""

from typing import NamedTuple

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose import sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.host_waits import HOW
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent
from perfproof.profile.children.fft_lengths import SLOW_LENGTH
from perfproof.profile.children.operands import (
    ALL_PAIRS,
    HALF,
    OBJECTS,
    PADDED,
    SLOW_TYPE,
    STRIDED,
    SUBNORMAL,
    ZEROS,
)

TAKES, TAKES_MUCH = 0.25, 0.60  # of the time


class Unusual(NamedTuple):
    mark: str
    title: str
    what: str
    advice: str
    refuted_by: str


KINDS = (
    Unusual(
        SLOW_TYPE,
        "matrix products of integers or float16",
        "multiply integers or float16, for which NumPy has no fast product",
        "convert both sides to float32 (exact up to 2**24) or float64 (up to 2**53) before the product",
        "in floating point the line takes as long",
    ),
    Unusual(
        HALF,
        "arithmetic in float16 on a CPU",
        "compute with arrays of float16, whose numbers NumPy converts one by one",
        "compute in float32, and keep float16 for what is stored: convert once after reading, and once before writing",
        "in float32 the line takes as long",
    ),
    Unusual(
        STRIDED,
        "arrays are read with long strides",
        "read an array whose neighbours lie apart in memory by a cache line or more",
        "work along the rows: transpose once and copy (numpy.ascontiguousarray), or compute all columns in one call",
        "on a contiguous copy the line takes as long",
    ),
    Unusual(
        ZEROS,
        "a matrix that is mostly zeros is multiplied as a dense one",
        "multiply a matrix of which nearly all elements are zero",
        "a sparse matrix (scipy.sparse, torch.sparse), or rows by their indices",
        "the matrix is not sparse later on, or as a sparse one the product takes as long",
    ),
    Unusual(
        ALL_PAIRS,
        "an array of all pairs is written to memory",
        "work on an array with one dimension more than what the function was given, too large for a cache",
        "expand the square, so that a matrix product does it (|a-b|² = |a|² - 2ab + |b|²), or compute it in blocks",
        "in blocks that fit into the cache the line takes as long",
    ),
    Unusual(
        OBJECTS,
        "arrays of Python objects",
        "work on arrays whose elements are Python objects (dtype=object), one by one",
        "make the array of numbers: nan in place of None, one type for all elements (astype), integers of cents in "
        "place of Decimal",
        "as an array of numbers the line takes as long",
    ),
    Unusual(
        PADDED,
        "most of a batch is padding",
        "work on batches of sequences of which most is filled up to one length",
        "fill only to the longest sequence of the batch, put sequences of like lengths together, or pack them",
        "with shorter batches the step takes as long",
    ),
    Unusual(
        SLOW_LENGTH,
        "Fourier transforms of a length with a large prime factor",
        "transform a length with a large prime factor, for which the library takes several times as long",
        "pad with zeros to the next length of small factors (scipy.fft.next_fast_len; for a correlation or convolution "
        "any length from both together on will do), or cut a few elements off",
        "the spectrum is needed at exactly this length, or with a padded one the line takes as long",
    ),
    Unusual(
        SUBNORMAL,
        "arrays hold subnormal numbers, which are slow",
        "compute with numbers so near to zero (1e-38 in float32, 1e-308 in float64) that processors take many times "
        "longer for each",
        "set to 0 what is too small to matter, or torch.set_flush_denormal(True), which holds for NumPy on the same "
        "thread too; find out what decays without end",
        "with small values set to 0 the line takes as long, as on processors that compute them at full speed",
    ),
)


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not sampled.working_samples(evidence):
        return Abstained(rule="operands", missing=HOW)
    found = [(kind, lines) for kind in KINDS if (lines := sampled.marked(evidence, kind.mark)) is not None]
    if evidence.uses_gpu or not found:
        return None
    kind, lines = max(found, key=lambda one: one[1].share)
    if lines.share <= TAKES:
        return None
    text = f"for {percent(lines.share)} of the time lines {kind.what}: {lines.listed()}"
    return Finding(
        rule="operands",
        title=kind.title,
        confidence=confidence_of(lines.share, TAKES, TAKES_MUCH),
        evidence=[Proof(text=text, place=lines.lines[0][0], values={"share": lines.share})],
        share=lines.share,
        advice=kind.advice,
        experiment=COMPARE_CHANGE,
        refuted_by=kind.refuted_by,
        parts={"repeated_calls": lines.share, "costly_operators": lines.share},
        basis="facts",
    )
