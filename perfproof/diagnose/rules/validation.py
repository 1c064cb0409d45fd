"""Without a GPU: a training step also runs the model without gradients, as a validation does.

A trace tells which operators may get a gradient. A teacher or a target network runs without gradients too: only the
name of a function tells a validation from them.
"""

import re

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose import cpu_traces, host, sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent
from perfproof.profile.intervals import total
from perfproof.profile.readers.kineto import GRADIENT

TAKES, TAKES_MUCH = 0.15, 0.35  # of the step
NAMED = re.compile(
    r"_?(valid|val_|eval|test_|back_?test|hold_?out|held_?out)|.*_(validation|valid|val|eval|evaluation|back_?test)$",
    re.IGNORECASE,
)
MODEL = frozenset(
    f"aten::{name}"
    for name in (
        *("linear", "matmul", "mm", "addmm", "bmm", "baddbmm", "einsum", "lstm", "gru"),
        *("conv1d", "conv2d", "conv3d", "scaled_dot_product_attention", "multi_head_attention"),
    )
)


def find(evidence: Evidence) -> Finding | Abstained | None:
    lines = sampled.called(evidence, NAMED)
    return cpu_traces.strongest(evidence, "validation", lambda trace: _judge(trace, lines))


def _without_gradients(trace: Trace) -> float:
    """The share of the step in passes of a model that get no gradient, if other operators have their backward.

    A pass lasts from one such operator of a model to the last before one that gets a gradient.
    """
    if not cpu_traces.trains(trace):
        return 0.0
    passes, numbered = list[list[int]]([[]]), False
    for row in host.outermost_operators(trace):
        if GRADIENT in trace.args(row) or "Backward" in trace.events.name(row):
            numbered = numbered or trace.events.name(row) in MODEL
            passes.append([])
        else:
            passes[-1].append(row)
    rows = [row for one in passes for row in _between(trace, one)]
    return trace.share(total(trace.covered(rows))) if numbered else 0.0


def _between(trace: Trace, rows: list[int]) -> list[int]:
    """From the first operator of a model to the last."""
    places = [place for place, row in enumerate(rows) if trace.events.name(row) in MODEL]
    return rows[places[0] : places[-1] + 1] if places else []


def _judge(trace: Trace, lines: sampled.Lines | None) -> Finding | None:
    share = _without_gradients(trace)
    if share <= TAKES:
        return None
    text = f"{percent(share)} of a training step is in operators of a model that get no gradient"
    named = [] if lines is None else [Proof(text=f"functions of that name take: {lines.listed()}")]
    return Finding(
        rule="validation",
        title="a training step also validates" if named else "a training step also runs a model without gradients",
        confidence=confidence_of(share, TAKES, TAKES_MUCH) if named else "low",
        evidence=[Proof(text=text, values={"share": share}), *named],
        share=share,
        advice="validate every few hundred steps, on a fixed part of the held-out data",
        experiment=COMPARE_CHANGE,
        refuted_by="the pass without gradients is a teacher or a target network, which every step needs",
    )
