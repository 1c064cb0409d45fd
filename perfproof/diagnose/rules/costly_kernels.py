"""On a GPU: one kind of work takes much of the step that is often needless, or that can be done cheaper.

The kinds are told by the operators around the launch of a kernel, the outermost that has a kind first: sorting inside
of `coalesce` is the building of a sparse matrix.
"""

import re
from collections import Counter, defaultdict
from functools import lru_cache
from typing import NamedTuple

from perfproof.core.diagnosis import Abstained, Confidence, Finding, Proof
from perfproof.diagnose.evidence import NO_DEVICE_TRACE, Evidence
from perfproof.diagnose.launched import around_launches
from perfproof.diagnose.operators import ELEMENTWISE
from perfproof.diagnose.rules import costly_operators
from perfproof.diagnose.tensors import has_long_filter
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent, short, time
from perfproof.profile.intervals import total

OPTIMIZER = "Optimizer.step"
SORTING = re.compile(r"sort|indexing_backward", re.IGNORECASE)
BLUESTEIN = "bluestein_fft"  # in the names of cuFFT's kernels
LISTED = 3
CAUSES = ("strided_tensors", "product_order", "converted_weights", "discarded_results")


class Costly(NamedTuple):
    title: str
    advice: str
    refuted_by: str
    names: frozenset[str] = frozenset()  # of operators, without aten::
    much: float = 0.25  # of the step
    most: float = 0.45
    at_most: Confidence = "high"


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


BUILDING = Costly(
    "sparse matrices are built in the step",
    "build the matrix once, and in the form in which it is multiplied (to_sparse_csr): its order is sorted and equal "
    "places are added up each time that it is coalesced",
    "its values or places change in every step",
    _names("coalesce _coalesce to_sparse to_sparse_csr to_sparse_csc _to_sparse _to_sparse_csr sparse_coo_tensor"),
)
PLACES = Costly(
    "values are added at places by sorting the places",
    "index_add_, scatter_add_ or bincount, which add in place with atomics; index_select or embedding in place of "
    "x[index], whose gradient is index_put_ with accumulate=True",
    "with index_add_ or scatter_add_ the step takes as long",
)
SORTS = Costly(
    "whole tensors are sorted in the step",
    "torch.topk if only the largest values are needed; sort once and keep the order if it does not change; a histogram "
    "for quantiles",
    "all values are needed in order, and they change in every step",
    _names("sort argsort msort unique_dim _unique2 unique_consecutive median nanmedian quantile kthvalue mode"),
)
DECOMPOSES = Costly(
    "matrices are decomposed or inverted in the step",
    "do it every few steps and keep the result; Cholesky in place of an inverse; many small matrices in one batch; a "
    "few power or Newton-Schulz iterations are matrix products, which a GPU is made for",
    "the matrix changes in every step, and the step needs all of its decomposition",
    _names(
        "linalg_svd _linalg_svd linalg_svdvals linalg_eig linalg_eigh _linalg_eigh linalg_qr linalg_inv linalg_inv_ex "
        "linalg_pinv linalg_slogdet linalg_det _linalg_det linalg_matrix_exp linalg_cholesky linalg_cholesky_ex "
        "linalg_lstsq linalg_solve _linalg_solve_ex linalg_lu_factor linalg_solve_triangular cholesky_solve"
    ),
    at_most="medium",
)
COPIES = Costly(
    "memory is moved, not computed on",
    "work on views (expand, which copies nothing, in place of repeat), write into a kept tensor (out=), keep one type "
    "and one memory layout; attention and products take heads that several queries share without copies "
    "(enable_gqa=True)",
    "without these operators the step takes as long",
    _names(
        "copy_ clone contiguous cat stack repeat repeat_interleave _reshape_copy _to_copy roll flip constant_pad_nd "
        "expand_copy index_copy_ _reshape_alias_copy unfold_copy im2col"
    ),
    much=0.3,
    most=0.5,
)
RANDOM = Costly(
    "random numbers are drawn for much of the step",
    "draw fewer or smaller ones, or inside of the kernel that uses them (torch.compile, Triton)",
    "the numbers are what the program is for",
    _names("normal_ uniform_ bernoulli_ randn rand randint random_ multinomial exponential_ randperm"),
    at_most="low",
)
UPDATES = Costly(
    "the optimizer takes much of the step",
    "fused=True; a larger batch, or gradients added up over several batches, per update; for large tables of which a "
    "step reads few rows sparse gradients (nn.Embedding(sparse=True) with SparseAdam)",
    "with half as many updates the program is as fast per sample",
    much=0.35,
    most=0.6,
)
LONG_FILTER = Costly(
    costly_operators.LONG_FILTER.title, costly_operators.LONG_FILTER.advice, costly_operators.LONG_FILTER.refuted_by
)
AWKWARD_FFT = Costly(
    "Fourier transforms of an awkward length",
    "pad to a length with small prime factors only: scipy.fft.next_fast_len(length) as n= of rfft and irfft, then cut "
    "the result; a length with a large prime factor is done as a convolution (Bluestein), with several longer "
    "transforms",
    "at a length of powers of 2, 3, 5 and 7 the step takes as long, or the signal is periodic and must not be padded",
)
FUSIBLE = Costly(
    "elementwise operators go through memory one by one",
    "torch.compile, which fuses neighbours so that intermediate results stay on the chip; one kernel of Triton; fused "
    "forms (F.layer_norm, F.gelu, scaled_dot_product_attention, torch.addcmul)",
    "compiled, the step takes as long",
    frozenset(
        {
            *ELEMENTWISE,
            *_names(
                "eq ne lt gt le ge bitwise_and bitwise_or logical_and logical_or remainder floor round abs_ clamp_"
            ),
            *_names("exp_ sqrt_ neg_ pow_ masked_fill masked_fill_ clamp_min softplus elu leaky_relu roll"),
        }
    ),
    much=0.5,
    most=0.7,
)
KINDS = (BUILDING, SORTS, DECOMPOSES, COPIES, RANDOM)


def find(evidence: Evidence) -> Finding | Abstained | None:
    traces = evidence.device_traces
    if not traces:
        return Abstained(rule="costly_kernels", missing=NO_DEVICE_TRACE)
    found = [finding for trace in traces for finding in _judge(trace)]
    return max(found, key=_weight, default=None)


def _weight(finding: Finding) -> tuple[bool, float]:
    return finding.confidence != "low", finding.share or 0.0


def _judge(trace: Trace) -> list[Finding]:
    by_kind: dict[Costly, list[int]] = defaultdict(list)
    every = around_launches(trace)
    awkward = {around[-1] for kernel, around in every.items() if around and BLUESTEIN in trace.events.name(kernel)}
    for kernel, around in every.items():
        kind = AWKWARD_FFT if around and around[-1] in awkward else _kind(trace, trace.events.name(kernel), around)
        if kind is not None:
            by_kind[kind].append(kernel)
    found = [_finding(trace, kind, rows) for kind, rows in by_kind.items()]
    return [one for one in found if one is not None]


def _kind(trace: Trace, kernel: str, around: tuple[int, ...]) -> Costly | None:
    names = [trace.events.name(row) for row in around]
    if any(name.startswith(OPTIMIZER) for name in names):
        return UPDATES
    if any(has_long_filter(trace, row) for row in around):
        return LONG_FILTER
    bare = [name.removeprefix("aten::") for name in names if name.startswith("aten::")]
    for name in bare:
        if "index_put" in name and _sorts(kernel):
            return PLACES
        if (kind := next((one for one in KINDS if name in one.names), None)) is not None:
            return kind
    return FUSIBLE if bare and bare[-1] in FUSIBLE.names else None


@lru_cache(maxsize=10_000)  # a trace has few names, and many launches of each
def _sorts(kernel: str) -> bool:
    return SORTING.search(kernel) is not None


def _finding(trace: Trace, kind: Costly, rows: list[int]) -> Finding | None:
    share = trace.share(total(trace.alone(rows)))
    if share <= kind.much:
        return None
    confidence = confidence_of(share, kind.much, kind.most)
    return Finding(
        rule="costly_kernels",
        title=kind.title,
        confidence="low" if kind.at_most == "low" else "medium" if kind.at_most == "medium" else confidence,
        evidence=[
            Proof(
                text=f"{percent(share)} of the step, {time(share * trace.step_ns)}: {_listed(trace, rows)}",
                place=trace.place(rows[0]),
                values={"share": share},
            )
        ],
        share=share,
        advice=kind.advice,
        experiment=COMPARE_CHANGE,
        refuted_by=kind.refuted_by,
        parts={"dense_embedding": share} if kind is UPDATES else dict.fromkeys(CAUSES, share),
    )


def _listed(trace: Trace, rows: list[int]) -> str:
    """The innermost operators with most of the time of their kernels, else the kernels."""
    spent: Counter[str] = Counter()
    around = around_launches(trace)
    for row in rows:
        inner = trace.events.name(around[row][-1] if around[row] else row)
        spent[short(inner)] += trace.events.end_ns[row] - trace.events.start_ns[row]
    steps = len(trace.steps)
    return ", ".join(f"{name} {time(spent_ns / steps)} per step" for name, spent_ns in spent.most_common(LISTED))
