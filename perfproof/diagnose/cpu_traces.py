"""Traces of programs without a GPU: there the operators themselves take the time."""

from collections.abc import Callable

from perfproof.core.diagnosis import Abstained, Finding
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.operators import PRODUCTS
from perfproof.diagnose.traces import Trace

MISSING = "a trace of a CPU's operators: `perfproof profile --tool torch -- python train.py`"
PARALLEL = frozenset({*PRODUCTS, "aten::mkldnn_convolution", "aten::_convolution", "aten::convolution"})
BACKWARD = "autograd::engine::evaluate_function"  # how rows of a backward pass begin


def strongest(evidence: Evidence, rule: str, judge: Callable[[Trace], Finding | None]) -> Finding | Abstained | None:
    """The finding with the largest share; None if all traces are of GPUs."""
    if not evidence.traces:
        return Abstained(rule=rule, missing=MISSING)
    found = [finding for trace in evidence.traces if not trace.devices and (finding := judge(trace)) is not None]
    return max(found, key=lambda finding: finding.share or 0.0, default=None)


def trains(trace: Trace) -> bool:
    return any(name.startswith(BACKWARD) for name in trace.events.names)
