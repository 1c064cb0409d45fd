"""The gradient of a large embedding table is as large as the table, although a step reads few rows.

Each step then fills, adds up and updates all rows. Only tables that nothing else reads are meant: one that is also
multiplied, as the output layer of a language model, gets a gradient in every row.
"""

from math import prod

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose.cpu_traces import MISSING
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.launched import covered_share
from perfproof.diagnose.operators import PRODUCTS
from perfproof.diagnose.tensors import Shape, nested_shapes, shapes_of
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent

MUCH, MOST = 0.20, 0.40  # of the step
FEW = 0.10  # of the rows are read in a step
READS = "aten::embedding"
GRADIENT = "aten::embedding_dense_backward"
MULTIPLIES = frozenset({*PRODUCTS, "aten::linear", "aten::matmul"})


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not evidence.traces:
        return Abstained(rule="dense_embedding", missing=MISSING)
    found = [finding for trace in evidence.traces if (finding := _judge(trace)) is not None]
    return max(found, key=lambda finding: finding.share or 0.0, default=None)


def _judge(trace: Trace) -> Finding | None:
    names = {row: trace.events.name(row) for row in trace.rows(Kind.OPERATOR)}
    indices: dict[Shape, list[Shape]] = {}
    for row in (row for row, name in names.items() if name == READS):
        match shapes_of(trace, row):
            case [table, read]:
                indices.setdefault(table, []).append(read)
    multiplied = {shape for row, name in names.items() if name in MULTIPLIES for shape in shapes_of(trace, row)}
    found = [
        _judge_table(trace, names, table, read)
        for table, read in indices.items()
        if not {table, table[::-1]} & multiplied
    ]
    return max((one for one in found if one), key=lambda one: one.share or 0.0, default=None)


def _judge_table(trace: Trace, names: dict[int, str], table: Shape, read: list[Shape]) -> Finding | None:
    used = sum(map(prod, read)) / len(trace.steps)
    gradients = [row for row, name in names.items() if name == GRADIENT and shapes_of(trace, row)[1:2] == read[:1]]
    if not gradients or used > FEW * table[0]:
        return None
    rows = [*gradients, *(row for row, name in names.items() if name != READS and _is_mostly(trace, row, table))]
    share = covered_share(trace, rows)
    if share <= MUCH:
        return None
    text = (
        f"a step reads at most {used:.0f} of the {table[0]} rows of a table of shape {list(table)}; "
        f"making its gradient and updating all of its rows take {percent(share)} of the step"
    )
    return Finding(
        rule="dense_embedding",
        title="all rows of an embedding table are updated for the few that were read",
        confidence=confidence_of(share, MUCH, MOST),
        evidence=[Proof(text=text, place=trace.place(gradients[0]), values={"share": share, "rows_read": used})],
        share=share,
        advice="sparse gradients: nn.Embedding(..., sparse=True) with torch.optim.SparseAdam, Adagrad or SGD for the "
        "table, and another optimizer for the other weights. This changes the training: Adam and weight decay also "
        "move rows that were not read, and sparse optimizers do not, so compare the loss after a whole training",
        experiment=COMPARE_CHANGE,
        refuted_by="the loss becomes worse: rows that were not read have to be changed too (momentum, weight decay)",
    )


def _is_mostly(trace: Trace, row: int, table: Shape) -> bool:
    """Whether most of what the operator works on has the table's shape; an optimizer may work on lists of tensors."""
    shapes = list(nested_shapes(trace.args(row).get("Input Dims")))
    return 2 * prod(table) * shapes.count(table) > sum(map(prod, shapes))
