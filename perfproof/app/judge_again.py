"""Judge a saved run again, by another delta or quantity, from what it measured; the saved run stays as it is."""

from perfproof.core.documents import Run, TargetResult
from perfproof.core.errors import NothingMatched, UsageError
from perfproof.core.warnings import warn
from perfproof.report.gate import decision
from perfproof.stats.judged_again import with_delta

CHOSEN_LATER = "the samples were taken before that was asked, and are as many as the first question needed"


def judge_again(
    saved: Run,
    delta: float | None,
    quantity: str | None,
    gate: bool,
    output_may_differ: bool = False,
    guards: tuple[str, ...] = (),
    strict: bool = False,
) -> Run:
    """A copy with other verdicts. Each target says that it was judged again, and how; a gate is decided again too."""
    if not any(target.ratios for target in saved.targets):
        raise NothingMatched(f"{saved.run} has no result with a ratio: there is nothing to judge again")
    before = saved.options.get("delta", 0.01)
    options = {**saved.options, "delta": before if delta is None else delta}
    options["gate"] = bool(gate or saved.options.get("gate"))
    if output_may_differ:
        options["ab"] = {**(saved.options.get("ab") or {}), "output_may_differ": True}
    options |= {"strict": True} if strict else {}
    targets = [_judged(target, delta, quantity, before) if target.ratios else target for target in saved.targets]
    if guards:
        _refuse_unmeasured(guards, targets)
        options["ab"] = {**(options.get("ab") or {}), "guards": list(guards)}
    if options["gate"]:
        targets = [one.model_copy(update={"gate": decision(options, one)}) for one in targets]
    return saved.model_copy(update={"options": options, "targets": targets})


def _refuse_unmeasured(guards: tuple[str, ...], targets: list[TargetResult]) -> None:
    for target in targets:
        lacking = [name for name in guards if name not in target.also]
        if lacking and target.ratios:
            known = (
                f"also measured {', '.join(target.also)}; choose one of these"
                if target.also
                else "has only one quantity"
            )
            raise UsageError(f"--guard {lacking[0]!r}: {target.target} {known}")


def _judged(target: TargetResult, delta: float | None, quantity: str | None, before: float) -> TargetResult:
    again, how = _by_quantity(target, quantity) if quantity else (target.model_copy(), "")
    if delta is not None:
        again.ratios = {variant: with_delta(one, delta) for variant, one in again.ratios.items()}
        again.also = {name: with_delta(one, delta) for name, one in again.also.items()}
    again.verdict = next(iter(again.ratios.values())).verdict
    by_delta = f"--delta {100 * delta:g}% instead of {100 * before:g}%" if delta is not None else ""
    if changed := " and ".join(filter(None, [how, by_delta])):
        again.warnings = [warn("W149", f"judged again by {changed}; {CHOSEN_LATER}"), *target.warnings]
    return again


def _by_quantity(target: TargetResult, quantity: str) -> tuple[TargetResult, str]:
    """Exchange what was judged with something else that the same processes measured."""
    variant, judged = next(iter(target.ratios.items()))
    name = _name(judged.claim, judged.clock)
    if quantity == name:
        return target.model_copy(), ""
    if quantity not in target.also:
        if not target.also:
            raise UsageError(f"--judge {quantity!r}: {target.target} is a pair, of which only the {name} is judged")
        known = ", ".join([name, *target.also])
        raise UsageError(f"--judge {quantity!r}: {target.target} measured {known}; choose one of these")
    also = {name: judged} | {key: one for key, one in target.also.items() if key != quantity}
    ratios = {variant: target.also[quantity]}
    return target.model_copy(update={"ratios": ratios, "also": also}), f"--judge {quantity} instead of {name}"


def _name(claim: str, clock: str) -> str:
    """As --judge writes it."""
    if claim == "time":
        return clock if clock in ("wall", "cpu") else "time"
    return clock if claim == "metric" else claim
