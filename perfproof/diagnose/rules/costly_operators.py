"""Without a GPU: one kind of costly operator takes much of every step, and a cheaper one often gives what is needed."""

from typing import NamedTuple

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose import cpu_traces, host
from perfproof.diagnose.evidence import Evidence
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


def find(evidence: Evidence) -> Finding | Abstained | None:
    return cpu_traces.strongest(evidence, "costly_operators", _judge)


def _judge(trace: Trace) -> Finding | None:
    found = [_judge_kind(trace, kind) for kind in KINDS if cpu_traces.trains(trace) or not kind.only_in_training]
    return max((one for one in found if one), key=lambda one: one.share or 0.0, default=None)


def _judge_kind(trace: Trace, kind: Costly) -> Finding | None:
    names = {f"aten::{name}" for name in kind.names}
    rows = [row for row in host.outermost_operators(trace) if trace.events.name(row) in names]
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
                f"of shape {_shape(trace, longest)}",
                place=trace.place(longest),
                values={"share": share, "times_per_step": len(rows) / steps},
            )
        ],
        share=share,
        advice=kind.advice,
        experiment=COMPARE_CHANGE,
        refuted_by=kind.refuted_by,
    )


def _shape(trace: Trace, row: int) -> str:
    dims = trace.args(row).get("Input Dims")
    return str(dims[0]) if isinstance(dims, list) and dims and isinstance(dims[0], list) else "unknown"
