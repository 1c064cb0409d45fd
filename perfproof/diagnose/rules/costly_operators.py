"""Without a GPU: one kind of costly operator takes much of every step, and a cheaper one often gives what is needed."""

from typing import NamedTuple

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose import cpu_traces, host
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.tensors import has_long_filter, shape_text, shapes_of
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent, short
from perfproof.profile.intervals import total

MUCH, MOST = 0.25, 0.45  # of the step


class Costly(NamedTuple):
    title: str
    names: frozenset[str]
    advice: str
    refuted_by: str
    only_in_training: bool = False  # elsewhere it may be what the program is for


# fmt: off
SORTS = frozenset({"sort", "argsort", "msort", "unique_dim", "_unique2", "unique_consecutive", "median"})
DECOMPOSITIONS = frozenset({
    "linalg_svd", "_linalg_svd", "svd", "linalg_svdvals", "linalg_eig", "linalg_eigh", "_linalg_eigh",
    "linalg_eigvalsh", "linalg_qr", "linalg_inv", "linalg_inv_ex", "inverse", "linalg_pinv", "linalg_matrix_norm",
    "linalg_slogdet", "logdet", "linalg_det", "_linalg_det", "linalg_matrix_exp", "linalg_cholesky",
    "linalg_cholesky_ex", "linalg_lstsq",
})
# fmt: on
KINDS = (
    Costly(
        "whole tensors are sorted in every step",
        SORTS,
        "torch.topk if only the largest values are needed; sort once and keep the order if it does not change",
        "all values are needed in order, and they change in every step",
    ),
    Costly(
        "every training step decomposes or inverts a matrix",
        DECOMPOSITIONS,
        "do it every few steps and keep the result; for a norm or the largest values a few power iterations do "
        "(torch.nn.utils.parametrizations.spectral_norm, torch.svd_lowrank); solve instead of inverting",
        "the matrix changes in every step, and the step needs all of its decomposition",
        only_in_training=True,
    ),
)


ONE_HOT = Costly(
    "one-hot rows are multiplied with a table",
    frozenset({"one_hot"}),
    "take the rows of the table instead: torch.nn.Embedding, EmbeddingBag for sums of rows, or table[indices]",
    "the rows have more than one element that is not zero",
)
LONG_FILTER = Costly(
    "a long filter is applied directly",
    frozenset({"conv1d", "convolution"}),
    "convolve by FFT: torch.fft.rfft of both, the product, irfft (torchaudio.functional.fftconvolve, "
    "scipy.signal.oaconvolve); its time grows with the length's logarithm, not with the length",
    "by FFT the step takes as long",
)
TABLE_PRODUCTS = frozenset({"aten::linear", "aten::matmul", "aten::mm", "aten::einsum", "aten::addmm"})


def find(evidence: Evidence) -> Finding | Abstained | None:
    return cpu_traces.strongest(evidence, "costly_operators", _judge)


def _judge(trace: Trace) -> Finding | None:
    found = [_judge_kind(trace, kind) for kind in KINDS if cpu_traces.trains(trace) or not kind.only_in_training]
    found.append(_judge_rows(trace, ONE_HOT, _one_hot_products(trace)))
    found.append(_judge_rows(trace, LONG_FILTER, _long_filters(trace)))
    return max((one for one in found if one), key=lambda one: one.share or 0.0, default=None)


def _judge_kind(trace: Trace, kind: Costly) -> Finding | None:
    names = {f"aten::{name}" for name in kind.names}
    return _judge_rows(trace, kind, [row for row in host.outermost_operators(trace) if trace.events.name(row) in names])


def _one_hot_products(trace: Trace) -> list[int]:
    """Operators that make one-hot rows and all that read them, if one is a product."""
    rows = host.outermost_operators(trace)
    made = [row for row in rows if trace.events.name(row) == "aten::one_hot"]
    indices = {shapes[0] for row in made if (shapes := shapes_of(trace, row))}
    reads = [row for row in rows if indices & {shape[:-1] for shape in shapes_of(trace, row)[:1]}]
    product = any(trace.events.name(row) in TABLE_PRODUCTS for row in reads)
    return sorted({*made, *reads}, key=lambda row: trace.events.start_ns[row]) if product else []


def _long_filters(trace: Trace) -> list[int]:
    names = {f"aten::{name}" for name in LONG_FILTER.names}
    rows = [row for row in host.outermost_operators(trace) if trace.events.name(row) in names]
    return [row for row in rows if has_long_filter(trace, row)]


def _judge_rows(trace: Trace, kind: Costly, rows: list[int]) -> Finding | None:
    share = trace.share(total(trace.covered(rows)))
    if share <= MUCH:
        return None
    longest = max(rows, key=lambda row: trace.events.end_ns[row] - trace.events.start_ns[row])
    name, steps = trace.events.name(longest), len(trace.steps)
    return Finding(
        rule="costly_operators",
        title=kind.title,
        confidence=confidence_of(share, MUCH, MOST),
        evidence=[
            Proof(
                text=f"{percent(share)} of the step is in {short(name)}, {len(rows) / steps:.1f} times per step, "
                f"of shape {shape_text(trace, longest)}",
                place=trace.place(longest),
                values={"share": share, "times_per_step": len(rows) / steps},
            )
        ],
        share=share,
        advice=kind.advice,
        experiment=COMPARE_CHANGE,
        refuted_by=kind.refuted_by,
    )
