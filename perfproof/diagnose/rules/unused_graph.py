"""Without a GPU: a model runs with gradients recorded, and no backward pass uses them.

torch numbers what a backward pass would visit. Numbers that grow, in a recording without a backward pass or an
optimizer, are graphs that are kept for nothing: every intermediate tensor stays in memory until its graph goes.
"""

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose import cpu_traces, host
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.validation import MODEL
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import COMPARE_CHANGE
from perfproof.profile.readers.kineto import GRADIENT
from perfproof.profile.steps import OPTIMIZER

CALLS = 10  # of operators of a model, at least: a few may belong to a step whose backward pass was not recorded


def find(evidence: Evidence) -> Finding | Abstained | None:
    return cpu_traces.strongest(evidence, "unused_graph", _judge)


def _judge(trace: Trace) -> Finding | None:
    events = trace.events
    if not trace.found:
        return None  # a backward pass may have come after the little that was recorded
    if cpu_traces.trains(trace) or any(OPTIMIZER.fullmatch(events.name(row)) for row in events.where(Kind.RANGE)):
        return None
    rows = [row for row in host.outermost_operators(trace) if events.name(row) in MODEL]
    numbers = {number for row in rows if isinstance(number := trace.args(row).get(GRADIENT), int)}
    if len(numbers) < CALLS or len(numbers) <= len(rows) / 2:
        return None
    text = (
        f"{len(numbers)} of {len(rows)} operators of a model are recorded for a backward pass, and none runs; "
        "what they would need stays in memory"
    )
    return Finding(
        rule="unused_graph",
        title="gradients are prepared and never computed",
        confidence="medium",
        evidence=[Proof(text=text, place=trace.place(rows[0]), values={"operators": float(len(numbers))})],
        share=None,  # memory that is not used again costs time by its faults and by its size
        advice="run the model under torch.inference_mode() or torch.no_grad()",
        experiment=COMPARE_CHANGE,
        refuted_by="a backward pass comes after the recording, or the program takes as long and as much memory without",
        basis="facts",
    )
