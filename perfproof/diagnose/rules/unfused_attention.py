"""Attention writes its scores to memory: between two batched products, softmax and its neighbours read and write them.

A fused kernel (scaled_dot_product_attention) keeps the scores on the chip. What it saves is at most the time of what
lies between the two products; those remain.
"""

import re

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose import host
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.tensors import largest
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent, time
from perfproof.profile.breakdown import is_communication
from perfproof.profile.intervals import total

COSTS, COSTS_MUCH = 0.10, 0.25  # of the step
MOST_BETWEEN = 8  # pieces of work between two products: scale, mask, softmax, dropout, a copy
LARGE = 2**20  # elements of a softmax's input, where shapes were recorded: fewer stay in a cache
PRODUCT = re.compile(r"gemm|xmma|cutlass|nvjet|wgmma|gemv|bmm|Cijk_", re.IGNORECASE)
SOFTMAX = re.compile(r"soft_?max", re.IGNORECASE)
FUSED = re.compile(r"flash|fmha|attention|cross_entropy|log_?soft_?max|nll|topk|moe|rout", re.IGNORECASE)
OTHER = re.compile(r"multinomial|argmax|sort|topk|embedding|index|gather|scatter|nll|norm|distribution", re.IGNORECASE)
HOST_PRODUCTS = frozenset({"aten::bmm", "aten::matmul", "aten::baddbmm", "aten::einsum"})
VIEWS = frozenset(
    f"aten::{name}"
    for name in ("transpose", "view", "reshape", "expand", "permute", "unsqueeze", "t", "size", "_unsafe_view")
)
HOST_BETWEEN = re.compile(
    r"aten::(mul|div|add|sub|masked_fill|where|softmax|_softmax|dropout|native_dropout|to|copy)_?"
)


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not evidence.traces:
        return Abstained(rule="unfused_attention", missing="a trace with kernels or operators: `perfproof profile`")
    found = [finding for trace in evidence.traces if (finding := _judge(trace)) is not None]
    return max(found, key=lambda finding: finding.share or 0.0) if found else None


def _judge(trace: Trace) -> Finding | None:
    chains = _device_chains(trace) if trace.devices else _host_chains(trace)
    rows = [row for chain in chains for row in chain]
    share = trace.share(total(trace.alone(rows)))
    if share <= COSTS:
        return None
    steps = len(trace.steps)
    return Finding(
        rule="unfused_attention",
        title="attention scores are written to memory",
        confidence=confidence_of(share, COSTS, COSTS_MUCH),
        evidence=[
            Proof(
                text=f"{len(chains) / steps:.1f} times per step, softmax and {len(rows) / len(chains) - 1:.1f} other "
                f"pieces of work lie between two matrix products: {time(share * trace.step_ns)}, {percent(share)} of "
                "the step; without the products themselves",
                place=trace.place(rows[0]),
                values={"share": share, "chains_per_step": len(chains) / steps},
            )
        ],
        share=share,
        advice="torch.nn.functional.scaled_dot_product_attention, or another fused attention",
        experiment=COMPARE_CHANGE,
        refuted_by="with fused attention the step takes as long",
    )


def _device_chains(trace: Trace) -> list[list[int]]:
    """Kernels between two products of one stream, if a softmax is among them."""
    events = trace.events
    steady = set(trace.rows(Kind.KERNEL))
    talking = {place for place, name in enumerate(events.names) if is_communication(name)}
    rows = [row for row in events.where(Kind.KERNEL) if events.name_id[row] not in talking]
    rows.sort(key=lambda row: events.start_ns[row])  # those outside too: a product before the first step begins a chain
    streams: dict[tuple[int, int], list[int]] = {}
    for row in rows:
        streams.setdefault((events.device[row], events.stream[row]), []).append(row)
    is_product = [PRODUCT.search(name) is not None and SOFTMAX.search(name) is None for name in events.names]
    softmax = [SOFTMAX.search(name) is not None and FUSED.search(name) is None for name in events.names]
    other = [OTHER.search(name) is not None for name in events.names]  # a loss, or the choice of a token
    chains: list[list[int]] = []
    for own in streams.values():
        between: list[int] | None = None
        for row in own:
            if is_product[events.name_id[row]]:
                names = {events.name_id[one] for one in between or ()}
                few = between is not None and 0 < len(between) <= MOST_BETWEEN
                if between and few and any(softmax[name] for name in names) and not any(other[name] for name in names):
                    chains.append([one for one in between if one in steady])
                between = []
            elif between is not None:
                between.append(row)
    return [chain for chain in chains if chain]


def _host_chains(trace: Trace) -> list[list[int]]:
    """Operators of the main thread between two batched products; views cost nothing and are passed over."""
    events = trace.events
    chains: list[list[int]] = []
    between: list[int] | None = None
    for row in host.outermost_operators(trace):
        name = events.name(row)
        if name in VIEWS:
            continue
        if name in HOST_PRODUCTS:
            if between and any(_large_softmax(trace, one) for one in between):
                chains.append(between)
            between = []
        elif between is not None and HOST_BETWEEN.fullmatch(name) and len(between) < MOST_BETWEEN:
            between.append(row)
        else:
            between = None
    return chains


def _large_softmax(trace: Trace, row: int) -> bool:
    if not SOFTMAX.search(trace.events.name(row)):
        return False
    size = largest(trace, row)
    return size is None or size >= LARGE
