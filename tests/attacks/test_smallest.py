"""The attacks again, on the smallest pair: no reference, no tolerance, no cost. The baseline is the oracle then.

What a file declares beyond `inputs`, its sides and its sizes is taken out of it, so that each attack is the same as in
its own file. What those declarations themselves did wrong (a loose tolerance) is no attack here.
"""

import ast
from pathlib import Path

import pytest

from tests.attacks.test_attacks import HERE, LENDER, TIMED_WITHOUT_A_REFERENCE

DROPPED = {"reference", "tolerance", "cost", "tier"}


def smallest(path: Path, folder: Path) -> Path:
    """The file, and what it borrows from, without what a pair of one's own may leave out."""
    for one in (path, path.with_name(f"{LENDER}.py")):
        tree = ast.parse(one.read_text())
        kept = [node for node in map(_without, tree.body[1:]) if node]
        (folder / one.name).write_text(ast.unparse(ast.Module(kept, [])))
    return folder / path.name


def _without(node: ast.stmt) -> ast.stmt | None:
    """The statement, or what is left of it: `inputs = reference = "product"` is `inputs = "product"` then."""
    if isinstance(node, ast.FunctionDef):
        return None if node.name in DROPPED else node
    if isinstance(node, ast.Assign):
        node.targets = [one for one in node.targets if not (isinstance(one, ast.Name) and one.id in DROPPED)]
        return node if node.targets else None
    return node


STOPPED = {
    "answer_as_argument": ("refused", "the input passes"),
    "answer_in_preparation": ("failed-verification", "wrong answer: optimized"),
    "cached_by_pointer": ("failed-verification", "wrong answer: optimized"),
    "cached_by_shape": ("failed-verification", "wrong answer: optimized"),
    "constant_output": ("failed-verification", "wrong answer: optimized"),
    "fixed_inputs": ("refused", "the same values for every seed"),
    "frozen_inputs": ("failed-verification", "wrong answer: optimized"),
    "half_precision": ("failed-verification", "wrong answer: optimized"),
    "input_returned": ("failed-verification", "shares memory with the argument `x`"),
    "partial_work": ("failed-verification", "wrong answer: optimized"),
    "patched_reference": ("rejected", "reference's own.product replaced"),
    "stale_memory": ("failed-verification", "wrong answer: optimized at timed sizes"),
}
STOPPED_WHEN_TIMED = {
    "baseline_leaves_the_answer": ("failed-verification", "timed outputs: optimized"),
    "garbage_later": ("failed-verification", "timed outputs: optimized"),
    "old_answer_later": ("failed-verification", "timed outputs: optimized"),
}
DOUBLE, ITSELF = "in double precision", "precision was not judged"
HONEST = {
    "arrays": ITSELF,
    "copy": DOUBLE,
    "in_place": DOUBLE,
    "layer": DOUBLE,
    "static_buffer": DOUBLE,
    "table_in_preparation": DOUBLE,
    "short_body": ITSELF,
    "sorted_values": ITSELF,
    "whole_numbers": ITSELF,
}
EQUAL = ("sorted_values", "whole_numbers")  # answers that equal the baseline's lose no precision

# The baseline mixes its argument with float32 of its own: it cannot run in double precision.
FIXED = """
import torch

WEIGHT = torch.ones(64, 64) / 3

def inputs():
    return torch.randn(32, 64)

def baseline(x):
    return x @ WEIGHT

def optimized(x):
    {body}
"""


@pytest.mark.parametrize("name", STOPPED | STOPPED_WHEN_TIMED)
def test_an_attack_is_stopped_without_a_reference_too(run_attack, tmp_path, name):
    status, reason = (STOPPED | STOPPED_WHEN_TIMED)[name]
    result = run_attack(smallest(HERE / f"{name}.py", tmp_path))
    assert (result.status, result.ratios) == (status, {}), result.reason
    assert reason in result.reason


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_pair_is_measured_and_its_oracle_is_named(run_attack, few_outputs_checked, tmp_path, name):
    result = run_attack(smallest(HERE / "honest" / f"{name}.py", tmp_path))
    assert result.status == "ok", result.reason
    warnings = {warning.code: warning.text for warning in result.warnings}
    assert HONEST[name] in warnings["W114"]
    assert "tolerance" in warnings["W144"] and "cost" in warnings["W144"]
    if name in EQUAL:
        assert [check.result for check in result.checks if check.name == "precision"] == ["pass"]


def test_what_is_only_verified_with_its_reference_is_timed_here():
    assert {*HONEST} == {*TIMED_WITHOUT_A_REFERENCE}


@pytest.mark.parametrize(
    "body",
    [
        "return torch.zeros(32, 64)",
        "return x.clone()",
        "return globals().setdefault('kept', x @ WEIGHT).clone()",
        "return (x.bfloat16() @ WEIGHT.bfloat16()).float()",
    ],
    ids=["zeros", "the input", "an old answer", "half precision"],
)
def test_a_wrong_answer_fails_where_the_baseline_itself_is_the_oracle(run_attack, body):
    result = run_attack(FIXED.format(body=body))
    assert result.status == "failed-verification" and "wrong answer: optimized" in result.reason


def test_another_order_of_terms_passes_where_the_baseline_itself_is_the_oracle(run_attack):
    result = run_attack(FIXED.format(body="return x.sum(-1, keepdim=True).expand(32, 64) / 3 + 0.0"))
    assert result.status == "ok", result.reason
    assert any(ITSELF in warning.text for warning in result.warnings)
    assert [check.result for check in result.checks if check.name == "precision"] == ["not-run"]
