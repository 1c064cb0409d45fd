"""Without a GPU: products take one row at a time, so that all weights are read for each row.

Rows that depend on each other cannot be taken together. Signs of that are operators of a sequence: a token that is
looked up or chosen, a cache that is added to, a recurrent cell.
"""

import re
from math import prod

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose import cpu_traces, host
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.tensors import shapes_of
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import COMPARE_CHANGE, percent
from perfproof.profile.intervals import total

MUCH = 0.35  # of the step
LARGE, MOSTLY = 2**14, 0.5  # elements of the weights; of the time of such products, with weights so large
TIMES = 4  # in the recording; fewer may be one request
PRODUCTS = frozenset({"aten::linear", "aten::addmm", "aten::mm", "aten::matmul", "aten::mv"})
TAKES_A_ROW = frozenset({"aten::select", "aten::unsqueeze", "aten::unbind", "aten::slice", "aten::index"})
SEQUENCE = re.compile(
    r"aten::(embedding|cat|argmax|multinomial|scaled_dot_product\w*|(\w+_)?(lstm|gru|rnn)\w*|tanh|sigmoid)"
)


def find(evidence: Evidence) -> Finding | Abstained | None:
    return cpu_traces.strongest(evidence, "single_rows", _judge)


def _judge(trace: Trace) -> Finding | None:
    every = host.outermost_operators(trace)
    names = {trace.events.name(row) for row in every}
    rows = [row for row in every if trace.events.name(row) in PRODUCTS and _has_one_row(trace, row)]
    large = [row for row in rows if _has_one_row(trace, row, LARGE)]
    share = trace.share(total(trace.covered(rows)))
    if trace.share(total(trace.covered(large))) <= MOSTLY * share:
        return None
    if share <= MUCH or len(rows) < TIMES or not names & TAKES_A_ROW or any(map(SEQUENCE.fullmatch, names)):
        return None
    text = f"{len(rows) / len(trace.steps):.1f} products per step have a single row; they take {percent(share)} of it"
    return Finding(
        rule="single_rows",
        title="one row at a time is multiplied with the weights",
        confidence="medium",
        evidence=[Proof(text=text, place=trace.place(rows[0]), values={"share": share})],
        share=share,
        advice="take many rows together (a batch): the weights are then read once for all of them",
        experiment=COMPARE_CHANGE,
        refuted_by="each row needs the answer of the one before, or has to be answered before the next one is there",
    )


def _has_one_row(trace: Trace, row: int, least: int = 0) -> bool:
    """The smaller of two inputs has one row, and the other one several, or `least` elements."""
    sizes = sorted(shapes_of(trace, row), key=prod)[-2:]
    return len(sizes) == 2 and prod(sizes[0]) == max(sizes[0]) and prod(sizes[1]) >= max(least, 4 * prod(sizes[0]))
