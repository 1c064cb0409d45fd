"""The matrix products of a steady step, in operations, and which share of the device's peak that is (MFU).

Counted from the shapes that torch recorded. Convolutions and fused attention are not counted, so the share is at least
what is said; what was left out is named.
"""

import re
from collections import defaultdict

from perfproof.core.ceilings import Ceilings
from perfproof.core.diagnosis import OperatorWork, StepWork
from perfproof.core.events import Kind
from perfproof.diagnose.operators import PRODUCTS, kernels_of_operators, roofs_of, work_of
from perfproof.diagnose.traces import Trace

LISTED = 10
UNCOUNTED = re.compile(r"aten::((cudnn_|mkldnn_)?convolution|_scaled_dot_product_\w+|_scaled_mm|_grouped_mm)")
NO_PEAK = "no peak: give a file of `perfproof peak`; the trace names no GPU with a data sheet"


def step_work(trace: Trace, ceilings: Ceilings | None) -> StepWork | None:
    """None if no product in the steady steps has its shapes."""
    events, steps = trace.events, max(1, len(trace.steps))
    calls: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    by_type: dict[str, float] = defaultdict(float)
    uncounted: set[str] = set()
    for row in _operators(trace):
        name = events.name(row)
        args = trace.args(row) if name in PRODUCTS else {}
        work = work_of(name, args) if args else None
        if work is not None:
            calls[name, str(args["Input Dims"]), work.dtype].append(work.flops)
            by_type[work.dtype] += work.flops / steps
        elif name in PRODUCTS or UNCOUNTED.fullmatch(name):
            uncounted.add(name)
    if not calls:
        return None
    listed = [
        OperatorWork(name=name, shapes=dims, dtype=dtype, calls=len(flops) / steps, flops=sum(flops) / steps)
        for (name, dims, dtype), flops in calls.items()
    ]
    mfu, basis = _share(trace, by_type, ceilings)
    return StepWork(
        flops=sum(by_type.values()),
        mfu=mfu,
        basis=basis,
        operators=sorted(listed, key=lambda one: -one.flops)[:LISTED],
        uncounted=sorted(uncounted),
    )


def _operators(trace: Trace) -> list[int]:
    """Those whose kernels ran in the steady steps: where the host runs ahead, it called many of them before."""
    launched = list(kernels_of_operators(trace))
    return launched if any(trace.events.name(row) in PRODUCTS for row in launched) else trace.rows(Kind.OPERATOR)


def _share(trace: Trace, by_type: dict[str, float], ceilings: Ceilings | None) -> tuple[float | None, str]:
    """Seconds that the products take at the peak of their type, over the step's; and whose peak it is."""
    roofs = roofs_of(trace, ceilings)
    if roofs is None or not trace.step_ns:
        return None, NO_PEAK
    lacking = sorted(dtype for dtype in by_type if not roofs.flops.get(dtype))
    if lacking:
        return None, f"no peak for {', '.join(lacking)}: {roofs.source}"
    devices = max(1, len(trace.used_devices))
    seconds = sum(flops / roofs.flops[dtype] for dtype, flops in by_type.items())
    share = seconds / devices / (trace.step_ns / 1e9)
    if share > 1:
        return None, f"more than the peak of {', '.join(by_type)}: the products ran in another type, such as tf32"
    return share, roofs.source
