"""Verification in the worker: every side against the reference on inputs it has not seen, before anything is timed.

For each size (ragged smoke sizes first, then the timed ones) and each repeat: other inputs, the reference on private
copies, then every side on copies of its own, with free memory poisoned. The second time the copies lie where the first
ones lay, and a small part of their values is another: an answer kept under an address or a few elements no longer fits.
The last time every tensor is changed by itself: an answer that `inputs` worked out beforehand no longer fits.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from perfproof.bench.sides import Side
from perfproof.core.documents import Check
from perfproof.core.trees import clone, is_array, is_stateful, is_tensor, leaves, map_leaves
from perfproof.measure.arguments import ArgumentPool
from perfproof.verify import watch
from perfproof.verify.compare import Difference, difference
from perfproof.verify.controls import test_the_checker
from perfproof.verify.outputs import (
    alias_problem,
    changed_problem,
    kind_problem,
    same_bits,
    scrub_allocator,
    type_problem,
)


@dataclass
class Contract:
    """What verification needs to know of a pair."""

    names: tuple[str, ...]
    constant: tuple[str, ...]
    mutates: tuple[str, ...]
    tolerance: dict[str, Any]
    lowers_precision: bool | str
    device: str


@dataclass
class Findings:
    """What was found for each side; the first problem of a side is kept, in the words of the check that found it."""

    checks: dict[str, Check] = field(default_factory=dict)
    errors: dict[str, Difference] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)
    reference_seconds: float = 0.0
    agree: Callable[[float], float] = float  # of several ranks: one goes on only where all do

    def note(self, name: str, problem: str, detail: str = "") -> None:
        old = self.checks.get(name)
        if old is None or (old.result != "fail" and problem):
            self.checks[name] = Check(name=name, result="fail" if problem else "pass", detail=problem or detail)

    def error(self, side: str, apart: Difference) -> None:
        self.errors[side] = apart.worse(self.errors[side]) if side in self.errors else apart
        self.calls[side] = self.calls.get(side, 0) + 1

    @property
    def failed(self) -> bool:
        return bool(self.agree(any(check.result == "fail" for check in self.checks.values())))


def verify_sides(
    sides: list[Side],
    pool: ArgumentPool,
    reference: Any,
    contract: Contract,
    findings: Findings,
    *,
    repeats: int,
    where: str,
    after_return: bool,
) -> None:
    """Verify all sides at one size; `where` names it in the findings."""
    arguments = pool.draw()
    copies: dict[str, tuple | None] = {side.name: None for side in sides}
    for repeat in range(repeats):
        if repeat == 1 and pool.can_change_in_place:
            pool.touch(arguments)
        elif repeat > 0:
            arguments = pool.draw()
        if repeat == repeats - 1 and repeat > 1 and pool.can_change_in_place:
            pool.change_in_place(arguments)
        expected = expect(reference, arguments, contract, findings)
        outputs: dict[str, Any] = {}
        for side in sides:
            copies[side.name] = own = _copied(arguments, copies[side.name] if repeat == 1 else None)
            outputs[side.name] = _verify_once(
                side, own, arguments, expected, outputs, contract, findings, where, after_return and repeat == 0
            )
            if findings.failed:
                return
        if repeat == 0:
            example = (outputs["baseline"][0], outputs["baseline"][1])
            check = test_the_checker(_only_compared(expected), arguments, _only_compared(example), contract.tolerance)
            findings.note(
                f"tolerance can fail at {where}", check.detail if check.result == "fail" else "", check.detail
            )
            if findings.failed:
                return


def sameness_problem(pool: ArgumentPool, contract: Contract) -> str:
    """Values that never change prove nothing: one answer, kept, would always be right."""
    changing = [at for at, name in enumerate(contract.names) if name not in contract.constant]
    if not changing:
        return "every argument is constant: let the values of at least one change"
    draws = [tuple(arguments[at] for at in changing) for arguments in (pool.draw(), pool.draw())]
    if any(isinstance(leaf, str) for _, leaf in leaves(draws[0])):  # a path that leads to other contents
        return ""
    return "" if not same_bits(*draws) else "`inputs` gives the same values for every seed: draw them at random"


def expect(reference: Any, arguments: tuple, contract: Contract, findings: Findings) -> tuple[Any, dict[str, Any]]:
    """The reference's result and what it made of the arguments that are changed, those in double precision."""
    private = list(clone(arguments))
    for index, name in enumerate(contract.names):
        if name in contract.mutates:
            private[index] = _doubled(private[index])
    started = time.perf_counter()
    with torch.device(contract.device):
        result = reference(*private)
    findings.reference_seconds = max(findings.reference_seconds, time.perf_counter() - started)
    return result, changed_arguments(tuple(private), contract)


def changed_arguments(arguments: tuple, contract: Contract) -> dict[str, Any]:
    return {name: value for name, value in zip(contract.names, arguments, strict=True) if name in contract.mutates}


def judge_precision(findings: Findings, contract: Contract) -> None:
    """An answer with more than twice the baseline's own error in a part is a less precise one, and must be declared."""
    if contract.lowers_precision or "baseline" not in findings.errors:
        return
    theirs = findings.errors["baseline"].parts
    for side, apart in findings.errors.items():
        if apart.problem:  # a wrong answer is another matter
            continue
        problem = ""
        for (error, spacing), (usual, _) in zip(apart.parts, theirs, strict=False):
            floor = spacing * (8 if spacing < 1e-6 else 1)  # sums in another order differ by a few roundings of float32
            if side not in ("baseline", "twin") and error > max(2 * usual, floor):
                errors = f"{side} has {error:.2g} relative error, the baseline {usual:.2g}"
                remedy = "compute in the baseline's precision, or declare lowers_precision (True, or 'bf16')"
                problem = problem or f"{errors}: more than twice; {remedy}"
        findings.note("precision", problem, "no side has more than twice the baseline's own error")


def _verify_once(
    side: Side,
    own: tuple,
    arguments: tuple,
    expected: tuple[Any, dict[str, Any]],
    outputs: dict[str, Any],
    contract: Contract,
    findings: Findings,
    where: str,
    after_return: bool,
) -> tuple[Any, dict[str, Any]]:
    """One call of one side on its `own` copies of `arguments`, with everything that can be wrong about it looked at."""
    if outputs:
        scrub_allocator(next(iter(outputs.values())))
    switches = watch.flags()
    output = side.function(*side.state, *own)
    _synchronize(contract.device)
    who = f"{side.name} at {where}"

    def note(name: str, problem: str) -> None:
        findings.note(name, f"{who}: {problem}" if problem else "")

    note("plain result", kind_problem(output, contract.device))
    if findings.failed:
        return None, {}
    held = clone(output)
    note("own memory", alias_problem(output, own, contract.names, contract.mutates))
    note("arguments unchanged", changed_problem(arguments, own, contract.names, contract.mutates))
    note("switches restored", "; ".join(watch.switched(switches)))
    if outputs:
        note("same types", type_problem(output, outputs["baseline"][0]) if "baseline" in outputs else "")
    apart = difference((held, changed_arguments(own, contract)), expected, contract.tolerance, arguments)
    findings.error(side.name, apart)
    note(f"matches the reference at {where}", apart.problem)
    if after_return:
        look_for_leftovers(findings, side.name)
        note("finished on return", "" if same_bits(held, output) else "the result still changed after it had returned")
    return held, clone(changed_arguments(own, contract))


def look_for_leftovers(findings: Findings, who: str = "a side") -> None:
    share = watch.busy_after_return()
    problem = f"{who}: work goes on after the function has returned ({share:.0%} of a core): join what it started"
    findings.note("finished on return", problem if share > watch.IDLE_SHARE else "")


def _copied(arguments: tuple, into: tuple | None) -> tuple:
    """Copies at new addresses, or in the memory of earlier ones where all of them have memory."""
    if into is None or not _fits(arguments, into):
        return clone(arguments)
    with torch.no_grad():
        for (_, old), (_, new) in zip(leaves(into), leaves(arguments), strict=True):
            if is_tensor(old):
                old.copy_(new)
                old.grad = None
            else:
                old[...] = new
    return into


def _fits(arguments: tuple, into: tuple) -> bool:
    """The same parts with memory of the same shapes: a list of ragged rows has others at every draw."""
    new, old = list(leaves(arguments)), list(leaves(into))
    return [path for path, _ in new] == [path for path, _ in old] and all(
        _is_buffer(one) and type(one) is type(other) and one.shape == other.shape and one.dtype == other.dtype
        for (_, one), (_, other) in zip(new, old, strict=True)
    )


def _is_buffer(leaf: Any) -> bool:
    return is_tensor(leaf) or (is_array(leaf) and leaf.flags.writeable)


def _only_compared(result: tuple[Any, dict[str, Any]]) -> Any:
    output, changed = result
    return (output, changed) if changed else output


def _doubled(value: Any) -> Any:
    """Higher precision for what the reference changes in place."""
    if is_stateful(value):
        return value.double() if isinstance(value, torch.nn.Module) else value
    return map_leaves(
        value,
        lambda leaf: (
            leaf.detach().double().requires_grad_(leaf.requires_grad)
            if is_tensor(leaf) and leaf.is_floating_point()
            else leaf
        ),
    )


def _synchronize(device: str) -> None:
    if device.startswith("cuda"):
        torch.cuda.synchronize()
