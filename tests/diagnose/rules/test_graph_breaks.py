"""Graph breaks as torch 2.13 writes them for TORCH_LOGS=graph_breaks."""

from pathlib import Path

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.graph_breaks import find

HEAD = "V1115 10:17:40.049000 1001 torch/_dynamo/symbolic_convert.py:5124] [0/0] [__graph_breaks] "
BREAK = "\n".join(
    HEAD + line
    for line in (
        "Graph break in user code at train.py:4",
        "Graph Break Reason: Encountered graph break when attempting to trace CALL: a function call, e.g. f(x, y):",
        "",
        "Failed to trace builtin operator",
        "  Explanation: Dynamo does not know how to trace builtin operator `print` with argument types ['str']",
        "  Hint: Avoid calling builtin `print` with argument types ['str'].",
        "",
        "User code traceback:",
        '  File "train.py", line 4, in f',
        '    print("hello")',
        "",
    )
)
RECOMPILE = "\n".join(
    "V1115 10:17:40.210000 1001 torch/_dynamo/guards.py:5396] [0/1] [__recompiles] " + line
    for line in (
        "Recompiling function f in train.py:2",
        "    triggered by the following guard failure(s):",
        "    - 0/0: tensor 'x' size mismatch at index 1. expected 3, actual 4",
    )
)


def test_a_break_is_told_with_its_reason_and_line():
    finding = find(Evidence(compile_logs={"compile.log": BREAK}))
    assert finding.confidence == "medium" and finding.share is None and finding.basis == "facts"
    assert finding.evidence[0].values == {"graph_breaks": 1}
    assert finding.evidence[1].place.endswith("train.py:4") and "print" in finding.evidence[1].text


def test_a_trace_of_the_same_run_beside_the_log_counts_nothing_twice():
    traced = (Path(__file__).parents[2] / "profile" / "recorded_torch" / "torch_trace.log").read_text()
    alone, both = ({"compile.log": BREAK}, {"compile.log": BREAK, "trace.log": traced})
    assert find(Evidence(compile_logs=alone)).evidence == find(Evidence(compile_logs=both)).evidence


def test_a_log_without_breaks_does_not_prove_that_there_were_none():
    answer = find(Evidence(compile_logs={"compile.log": RECOMPILE}))
    assert isinstance(answer, Abstained) and "TORCH_LOGS" in answer.missing


def test_without_a_log_or_with_one_that_is_none_it_abstains():
    assert "TORCH_LOGS" in find(Evidence()).missing
    assert isinstance(find(Evidence(compile_logs={"x": "Graph break in user code, said somebody"})), Abstained)
