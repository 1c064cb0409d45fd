"""Verification in the worker: every side against the reference on inputs it has not seen, before anything is timed.

For each size (ragged smoke sizes first, then the timed ones) and each repeat: other inputs, the reference on private
copies, then every side on copies of its own, with free memory poisoned. In the second repeat the copies lie where the
first ones lay: an answer kept under an address no longer fits. Then the proof itself is tested: wrong answers must
fail and every argument must matter at the last size. At all sizes variants must be right wherever the baseline is.
"""

import math
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch

from perfproof.core.documents import Check
from perfproof.core.generators import renewed
from perfproof.core.options import SLOW_SECONDS
from perfproof.core.tolerance import SCALED
from perfproof.core.training import round_settings, tensor_to_double, to_double
from perfproof.core.trees import (
    clone,
    is_stateful,
    is_tensor,
    leaves,
    map_leaves,
    settings,
    size_in_bytes,
    whole,
)
from perfproof.worker import leftovers
from perfproof.worker.load import Side
from perfproof.worker.measure.arguments import ArgumentPool
from perfproof.worker.measure.device_clocks import wait_for
from perfproof.worker.measure.memory import fits
from perfproof.worker.raised import defined_at, imported_from
from perfproof.worker.verify import distribution, extremes, fixed_seeds, relevance, watch
from perfproof.worker.verify.case import Answer, Case, Contract, attempt, changed_arguments
from perfproof.worker.verify.compare import Difference, Part, difference
from perfproof.worker.verify.controls import test_the_checker
from perfproof.worker.verify.numbers import EXACT, MOST_TERMS, honest_rounding, is_dense, size
from perfproof.worker.verify.oracle import Oracle
from perfproof.worker.verify.outputs import (
    Layout,
    alias_problem,
    changed_problem,
    gradient_difference,
    kind_problem,
    layout_of,
    layout_problem,
    same_bits,
    scrub_allocator,
    shared_container,
    type_problem,
)
from perfproof.worker.verify.precision_meant import PRECISELY, meant
from perfproof.worker.verify.reused_memory import copied_into
from perfproof.worker.verify.shown_inputs import inputs_shown
from perfproof.worker.verify.side_by_side import side_by_side
from perfproof.worker.verify.sway import apart_from
from perfproof.worker.verify.training_state import changed_by_reference

__all__ = [
    "Contract",
    "Findings",
    "call_side",
    "changed_arguments",
    "expect",
    "judge_precision",
    "sameness_problem",
    "verify_sides",
]
MORE_DRAWS = 3
LOOSE = 1000.0  # times what rounding explains in the longest sums
ENOUGH_SECONDS = 10.0  # for repeats, and for more draws: where calls are long, the first ones have to do
NUDGES = 4.0  # roundings
SINGLE = 2.0**-23  # spacing of float32: kernels take numbers of Python in it
BESIDE = 4  # times an answer: what a reference may need to make another one
OF_A_STEP = 4  # spacings of a lower precision: a gradient is a long chain of products
TWICE = 2.0  # the baseline's error, or the spacing of the format that is declared
MOST_NAMED = 3  # parts in a note
ALL_ROUNDING = "where a gradient is all rounding, as before a batch norm, a step is all that can be told"
OTHER_PLACES = "returns other places of equal values than the baseline, whose places are in no order"
RANDOM = (
    "results are random: two calls on equal arguments differ. Take a generator as an argument (`inputs` returns a "
    "seeded torch.Generator, and every side draws from it), or declare `distribution = True`"
)


@dataclass
class Findings:
    """What was found for each side; the first problem of a side is kept, in the words of the check that found it."""

    checks: dict[str, Check] = field(default_factory=dict)
    errors: dict[str, Difference] = field(default_factory=dict)
    of_baseline: tuple[Part, ...] = ()  # its errors in a process of its own, for one without the baseline
    calls: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # said, but nothing fails by them
    reference_seconds: float = 0.0
    oracle: Oracle | None = None  # of a pair without a reference
    proof_is_left: bool = False  # to smaller sizes
    lends_containers: bool = False  # lists and dicts of the arguments are part of the baseline's result
    agree: Callable[[float], float] = float  # of several ranks: one goes on only where all do
    rounded: Callable[[], list[tuple[float, float, float]]] = list  # per part of the last answer: see `_rounded`

    def note(self, name: str, problem: str, detail: str = "") -> None:
        old = self.checks.get(name)
        if old is None or (old.result != "fail" and problem):
            self.checks[name] = Check(name=name, result="fail" if problem else "pass", detail=problem or detail)

    def error(self, side: str, apart: Difference) -> None:
        self.errors[side] = apart.worse(self.errors[side]) if side in self.errors else apart
        self.calls[side] = self.calls.get(side, 0) + 1

    def tell_untold(self, parts: tuple[str, ...]) -> None:
        """Say once which parts were not compared closely."""
        if parts and not any(ALL_ROUNDING in note for note in self.notes):
            more = f" and {len(parts) - MOST_NAMED} more" if len(parts) > MOST_NAMED else ""
            self.notes.append(f"{', '.join(parts[:MOST_NAMED])}{more}: {ALL_ROUNDING}")

    def tell(self, side: str, what: str) -> None:
        said = f"{side} {what}"
        if what and said not in self.notes:
            self.notes.append(said)

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
    last: bool,
    first: bool,
    may_leave: bool = False,
    load_again: Callable[[str], Side] | None = None,
    values: str = "",
) -> None:
    """Verify all sides at one size, the baseline first; `where` names it in the findings, `values` the sizes.

    At the `last` size the proof itself is tested. It `may_leave` that to smaller sizes if calls take seconds.
    `load_again` gives another instance of a side: results that are drawn must not be the same ones there.
    """
    copies: dict[str, tuple | None] = {side.name: None for side in sides}
    outputs: dict[str, Answer] = {}
    former: list[Answer] = []
    baseline = partial(call_side, sides[0], contract)
    started = time.perf_counter()
    for repeat in range(repeats):
        if repeat and findings.agree(time.perf_counter() - started) > ENOUGH_SECONDS:
            break
        outputs.clear()  # large ones make room for the next
        arguments = pool.draw()
        expected = _aside(expect(reference, arguments, contract, findings), contract.device)
        layouts: list[Layout] = []
        for side in sides:
            copies[side.name] = own = copied_into(contract, arguments, copies[side.name] if repeat == 1 else None)
            look = last and repeat == 0
            against = "expected is the baseline's answer" if findings.oracle and side is not sides[0] else ""
            drawn = f" ({', '.join(filter(None, [against, values, f'draw {repeat + 1}']))})"
            outputs[side.name] = _verify_once(
                side, own, arguments, expected, outputs, layouts, contract, findings, where, drawn, look, baseline
            )
            if findings.failed:
                _tell_if_random(sides[0], arguments, contract, findings, where)
                return
        if repeat < repeats - 1:
            former = [expected]
    copies.clear()
    if contract.distribution:
        found = _compare_distributions(sides, load_again, reference, arguments, contract, findings)
        findings.note(f"{distribution.POWER_NAME} at {where}", found.powerless, found.detail)
        findings.note(f"{distribution.NAME} at {where}", found.problem, found.detail)
        if first and not findings.failed:
            _compare_with_an_outlier(sides, arguments, contract, findings)
        return
    case = Case(
        contract,
        arguments,
        expected,
        outputs["baseline"],
        partial(_answer, reference, contract, findings),
        {side.name: partial(call_side, side, contract) for side in sides},
        pool.draw_everything,
        findings.agree,
    )
    outputs.clear()
    slow = bool(findings.agree(math.fsum(side.call_seconds for side in sides) > SLOW_SECONDS))
    findings.proof_is_left = last and may_leave and slow
    if last and not findings.proof_is_left:  # what is proved there need not be proved before
        _test_the_proof(case, pool, where, findings, former)
    if not findings.failed:  # a variant may go another way at larger sizes
        problem, detail, notes = extremes.check(case, first)
        if findings.agree(bool(problem)):  # a lower precision is the better word for numbers that leave its range
            judge_precision(findings, contract)
        findings.note(extremes.NAME, problem, detail)
        findings.notes += notes if first else []


def _compare_distributions(
    sides: list[Side],
    load_again: Callable[[str], Side] | None,
    reference: Any,
    arguments: tuple,
    contract: Contract,
    findings: Findings,
) -> distribution.Found:
    """Results that are samples: many draws of each side and of the reference, all on the same arguments."""
    instances = {side.name: [side, *([load_again(side.name)] if load_again else [])] for side in sides}
    return distribution.check(
        reference_draws(reference, arguments, contract, findings),
        {name: [_side_draws(one, arguments, contract) for one in loaded] for name, loaded in instances.items()},
        contract.tolerance,
        findings.agree,
    )


def _compare_with_an_outlier(sides: list[Side], arguments: tuple, contract: Contract, findings: Findings) -> None:
    """What samples a normal distribution with the right mean and spread looks right for normal values alone.

    The baseline stands for the reference: in double precision that has no equal values, where an outlier makes some.
    """
    values = dict(extremes.transformed(arguments, contract)).get(extremes.OUTLIER)
    if not isinstance(values, tuple):
        return
    usual, *others = [_side_draws(side, values, contract) for side in sides]
    first = attempt(usual)
    if findings.agree(isinstance(first, Exception) or not extremes.is_finite(first)):
        return
    names = [side.name for side in sides[1:]]
    found = distribution.check(
        usual, {name: [one] for name, one in zip(names, others, strict=True)}, contract.tolerance, findings.agree
    )
    problem = f"values {extremes.OUTLIER}: {found.problem}: {extremes.REMEDY}" if found.problem else ""
    findings.note(extremes.NAME, problem.replace("the reference's", "the baseline's"), f"values {extremes.OUTLIER}")


def _side_draws(side: Side, arguments: tuple, contract: Contract) -> Callable[[], Any]:
    own, rng = contract.copied(arguments), random.Random()

    def draw() -> Any:
        values = contract.copied(arguments) if contract.mutates else own
        return only_compared(call_side(side, contract, renewed(values, rng)))

    return draw


def reference_draws(reference: Any, arguments: tuple, contract: Contract, findings: Findings) -> Callable[[], Any]:
    """The reference on these arguments, as often as it is called; a generator among them is in another state."""
    rng = random.Random()
    return lambda: only_compared(_answer(reference, contract, findings, renewed(arguments, rng)))


def _tell_if_random(baseline: Side, arguments: tuple, contract: Contract, findings: Findings, where: str) -> None:
    """A side does not match. If the baseline does not match itself either, say that instead."""
    name = f"matches the reference at {where}"
    failed = name in findings.checks and findings.checks[name].result == "fail"
    if not findings.agree(failed):
        return
    first, second = (attempt(call_side, baseline, contract, contract.copied(arguments)) for _ in range(2))
    found = isinstance(first, tuple) and isinstance(second, tuple)
    if failed and found and difference(first, second, contract.tolerance).problem:
        findings.checks[name] = Check(name=name, result="fail", detail=f"baseline at {where}: {RANDOM}")


def _test_the_proof(case: Case, pool: ArgumentPool, where: str, findings: Findings, former: list[Answer]) -> None:
    contract, baseline = case.contract, case.sides["baseline"]

    def draws() -> Iterator[tuple[Any, tuple, Any]]:
        yield only_compared(case.expected), case.arguments, only_compared(case.example)
        started = time.perf_counter()
        for _ in range(MORE_DRAWS):
            if findings.agree(time.perf_counter() - started) > ENOUGH_SECONDS:
                break
            arguments = pool.draw()
            yield only_compared(case.answer(arguments)), arguments, only_compared(baseline(contract.copied(arguments)))

    def another() -> Any:
        return only_compared(former.pop() if former else case.answer(pool.draw()))

    check = test_the_checker(draws(), contract.tolerance, another, findings.agree)
    findings.note(f"tolerance can fail at {where}", check.detail if check.result == "fail" else "", check.detail)
    if not findings.failed:
        problem, notes = relevance.check(case)
        findings.note(relevance.NAME, problem, relevance.PASSED)
        findings.notes += notes


def sameness_problem(pool: ArgumentPool, contract: Contract, inputs: Any = None) -> str:
    """Values that never change prove nothing: one answer, kept, would always be right.

    Two draws tell it. `inputs` is the function that made them, to name the line of a fixed seed.
    """
    changing = [at for at, name in enumerate(contract.names) if name not in contract.constant]
    if not changing:
        return "every argument is constant: let the values of at least one change"
    draws = [tuple(arguments[at] for at in changing) for arguments in (pool.draw(), pool.draw())]
    if not same_bits(*draws) or settings(draws[0]) != settings(draws[1]):  # of a scheduler there is nothing else
        return ""
    if any(isinstance(leaf, str) for _, leaf in leaves(draws[0])):  # a path that leads to other contents
        return ""
    return f"`inputs` gives the same values for every seed: {fixed_seeds.remedy(inputs)}"


def expect(reference: Any, arguments: tuple, contract: Contract, findings: Findings) -> Answer:
    """The reference's result and what it made of the arguments that are changed, those in double precision."""
    findings.rounded = partial(_rounded, reference, arguments, contract, findings)
    return _answer(reference, contract, findings, arguments, drawn=True)


def _aside(answer: Answer, device: str) -> Answer:
    """An answer that is kept while others are made: on the host, if they would not find room beside it."""
    if not device.startswith("cuda") or fits(BESIDE * size_in_bytes(answer), device):
        return answer
    return map_leaves(answer, lambda leaf: leaf.cpu() if is_tensor(leaf) else leaf)


def _answer(
    reference: Any,
    contract: Contract,
    findings: Findings,
    arguments: tuple,
    device: str | None = None,
    drawn: bool = False,
) -> Answer:
    """The right answer to the arguments, which `inputs` has `drawn`, or which were made of drawn ones."""
    before = dict(zip(contract.names, arguments, strict=True))
    if isinstance(reference, Oracle):
        findings.oracle, started = reference, time.perf_counter()
        found = reference.answer(arguments, contract, device or contract.device, drawn)
        findings.reference_seconds = max(findings.reference_seconds, time.perf_counter() - started)
        return found[0], changed_by_reference(found[1], before)
    private, types = list(contract.copied(arguments)), _types_of_lent(arguments, contract)
    for index, name in enumerate(contract.names):
        if name in contract.mutates:
            private[index] = _doubled(private[index])
    started = time.perf_counter()
    with torch.device(device or contract.device):
        result = reference(*private)
    findings.reference_seconds = max(findings.reference_seconds, time.perf_counter() - started)
    if types != _types_of_lent(arguments, contract):
        raise ValueError(f"the reference changes {' or '.join(sorted(contract.lent))}, which is too large to be copied")
    changed = changed_arguments(tuple(private), contract, settings(arguments))
    return result, changed_by_reference(changed, before)


def _types_of_lent(arguments: tuple, contract: Contract) -> list[Any]:
    """The types of lent constants. A reference that calls `model.double()` changes them for all sides."""
    lent = [value for name, value in zip(contract.names, arguments, strict=True) if name in contract.lent]
    return [getattr(leaf, "dtype", None) for _, leaf in leaves(lent)]


def _rounded(
    reference: Any, arguments: tuple, contract: Contract, findings: Findings
) -> list[tuple[float, float, float]]:
    """Per part of the reference's answer: what a rounding of the arguments does to it, how many terms it has, and what
    it does to it to round numbers of Python (1 - beta, of a beta near 1) to float32.

    Arguments are moved by several roundings: in a histogram one alone may by chance move no value over an edge.
    One element of the largest argument changes a share of the outputs; each of them has that share of it as terms.
    """
    values = (
        arguments,
        extremes.nudged(arguments, 0.0, NUDGES),
        extremes.poked(arguments),
        _with_rounded_numbers(contract.copied(arguments)),
    )
    answers = [attempt(_answer, reference, contract, findings, value) for value in values]
    if any(isinstance(answer, Exception) for answer in answers):
        return []
    right, near, poked, steered = answers
    largest = max((size(pair.ours) for pair in side_by_side(arguments, arguments, EXACT)[0]), default=1)
    moved = [part.relative / NUDGES for part in difference(near, right, EXACT).parts]
    terms = [largest * difference(one.ours, one.theirs, EXACT).wrong for one in side_by_side(poked, right, EXACT)[0]]
    numbers = [part.relative for part in difference(steered, right, EXACT).parts]
    return list(zip(moved, terms, numbers, strict=False))


def _with_rounded_numbers(arguments: tuple) -> tuple:
    for _, leaf in whole(arguments):
        round_settings(leaf, SINGLE / 2)
    return map_leaves(arguments, lambda leaf: leaf * (1 - SINGLE / 2) if type(leaf) is float else leaf)


def judge_precision(findings: Findings, contract: Contract) -> None:
    """A less precise answer than the baseline's must be declared, and the format that is declared must explain it."""
    if not parts_of_baseline(findings) or not findings.errors.keys() - {"baseline", "twin"}:
        return
    if findings.oracle and findings.agree(not findings.oracle.in_double):  # then the baseline's own error is unknown
        if findings.agree(any(apart.max_absolute or apart.problem for apart in findings.errors.values())):
            unknown = Check(name="precision", result="not-run", detail=findings.oracle.said)
            findings.checks.setdefault("precision", unknown)
            findings.notes += [one for one in _loosely(findings, contract) if one not in findings.notes]
        else:
            findings.note("precision", "", "every answer equals the baseline's")
        return
    problem = _precision_problem(findings, contract, [])
    if findings.agree(bool(problem)):  # do the number of terms, or digits that cancel, explain it?
        problem = _precision_problem(findings, contract, findings.rounded())
    findings.note("precision", problem, "no side has more than twice the baseline's own error, rounding aside")


def _loosely(findings: Findings, contract: Contract) -> Iterator[str]:
    """Where nothing else judges the error, a tolerance that the pair declares may let anything through."""
    if contract.tolerance.get(SCALED) or contract.lowers_precision:
        return
    for side, apart in findings.errors.items():
        of = max(apart.parts, key=lambda part: part.relative / part.spacing, default=None)
        if of and not apart.problem and of.relative > LOOSE * honest_rounding(of.spacing, MOST_TERMS):
            most = 10.0 ** math.ceil(math.log10(of.relative))
            yield (
                f"{side} differs from the baseline by up to {most:.0e} of its size, where rounding explains "
                f"{honest_rounding(of.spacing, MOST_TERMS):.0e}: only the declared tolerance lets it pass"
            )


def parts_of_baseline(findings: Findings) -> tuple[Part, ...]:
    return findings.errors["baseline"].parts if "baseline" in findings.errors else findings.of_baseline


def _precision_problem(findings: Findings, contract: Contract, rounded: list[tuple[float, float, float]]) -> str:
    baseline, lowered = parts_of_baseline(findings), contract.lowers_precision
    for side, apart in findings.errors.items():
        if side in ("baseline", "twin") or apart.problem:  # a wrong answer is another matter
            continue
        for at, (ours, theirs) in enumerate(zip(apart.parts, baseline, strict=False)):
            moved, terms, numbers = rounded[at] if at < len(rounded) else (0.0, 1.0, 0.0)
            honest = honest_rounding(ours.spacing, terms) * max(1.0, moved / ours.spacing)  # times the condition
            steered = numbers * min(1.0, ours.spacing / SINGLE)
            spacing = contract.spacing * (OF_A_STEP if ours.of_state else 1)
            if ours.relative > TWICE * max(theirs.relative, spacing, honest / TWICE, steered):
                found = f"{side} has {ours.relative:.2g} relative error, the baseline {theirs.relative:.2g}"
                if lowered:
                    return f"{found}: more than twice, and more than {lowered} loses; declare the format that is used"
                return f"{found}: more than twice; {PRECISELY}"
    return ""


def _verify_once(
    side: Side,
    own: tuple,
    arguments: tuple,
    expected: Answer,
    outputs: dict[str, Answer],
    layouts: list[Layout],
    contract: Contract,
    findings: Findings,
    where: str,
    drawn: str,
    after_return: bool,
    baseline: Callable[[tuple], Answer],
) -> Answer:
    """One call of one side on its `own` copies of `arguments`, with everything that can be wrong about it looked at."""
    if outputs:
        scrub_allocator(next(iter(outputs.values())))
    switches = watch.flags()
    output = _call(side, contract, own)
    who = f"{side.name} at {where}"

    def note(name: str, problem: str) -> None:
        findings.note(name, f"{who}: {problem}" if problem else "")

    odd = kind_problem(output, contract.device)
    note("plain result", f"{odd}{defined_at(side.function)}" if odd else "")
    if findings.failed:
        return None, {}
    held = clone(output)
    note("own memory", alias_problem(output, own, contract.names, contract.mutates))
    held_too = shared_container(output, own, contract.names, contract.mutates)
    if held_too and not outputs:
        findings.lends_containers = True  # the baseline does: so may all sides
    note("own memory", "" if findings.lends_containers else held_too)
    note("arguments unchanged", changed_problem(arguments, own, contract.names, contract.mutates))
    note("switches restored", "; ".join(watch.switched(switches)))
    layouts.append(layout_of(output))
    if outputs:
        note("same types", type_problem(output, outputs["baseline"][0]))
        note("same layout", "" if contract.layout == "any" else layout_problem(layouts[-1], layouts[0]))
        findings.tell(side.name, gradient_difference(layouts[-1], layouts[0]))
    changed = changed_arguments(own, contract, settings(arguments))
    if not contract.distribution:
        apart = apart_from((held, changed), expected, contract, arguments, baseline)
        findings.error(side.name, apart)
        findings.tell_untold(apart.untold)
        findings.tell(side.name, OTHER_PLACES if apart.other_places and not apart.problem else "")
        lowered = side.name == "baseline" or contract.lowers_precision
        lower = "" if lowered else meant(apart, (held, arguments))
        problem = ""
        if apart.problem:
            given = inputs_shown(contract.names, arguments, expected[0], apart.problem)
            problem = f"{apart.problem}{drawn}{lower}{imported_from(side.function)}{given}"
        note(f"matches the reference at {where}", problem)
    if after_return:
        leftovers.after_call(
            findings, side.name, held, output, lambda: call_side(side, contract, contract.copied(arguments))
        )
    return held, clone(changed)


def call_side(side: Side, contract: Contract, own: tuple) -> Answer:
    before = settings(own)
    output = _call(side, contract, own)
    return clone(output), changed_arguments(own, contract, before)


def _call(side: Side, contract: Contract, own: tuple) -> Any:
    started = time.perf_counter()
    output = side.function(*side.state, *own)
    wait_for(contract.device)
    side.call_seconds = min(side.call_seconds, time.perf_counter() - started)
    return output


def only_compared(result: Answer) -> Any:
    output, changed = result
    return (output, changed) if changed else output


def _doubled(value: Any) -> Any:
    """Higher precision for what the reference changes in place."""
    for _, leaf in whole(value):
        if is_stateful(leaf):
            to_double(leaf)
        elif is_dense(leaf) and is_tensor(leaf) and leaf.is_floating_point():
            tensor_to_double(leaf)
    return value
