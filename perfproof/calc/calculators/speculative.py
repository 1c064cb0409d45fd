"""Speculative decoding: tokens per step, the speed-up, the best number of drafts, and the batch where it stops paying.

tokens per step  τ = (1 - α^(γ+1))/(1 - α), the token that the target adds itself included;
               with rates by position τ = 1 + Σ_i Π_{j≤i} α_j
speed-up       τ/(γ·c + v(B)): c cost of a draft step, v of checking γ + 1 tokens, both over a plain step
v(B)           by roofline from MODEL and --gpu: about 1 while a step is bound by memory, up to γ + 1 when by compute

α acceptance, γ drafts, B batch. The formula α(1 - α^γ)/(1 - α) is often copied: it forgets the target's own token.
For trees of drafts use the accepted length that was measured.
"""

from collections.abc import Callable
from typing import Annotated

from perfproof.calc.accelerator import Accelerator
from perfproof.calc.answer import Answer, Flag, Table, Value
from perfproof.calc.head_split import uneven_heads
from perfproof.calc.model_shape import Shape
from perfproof.calc.step_time import Plan, decode_step
from perfproof.calc.weighed_model import Model, weigh
from perfproof.core.errors import UsageError

MOST_DRAFTS, MOST_POWER = 16, 13


def calculate(
    shape: Shape | None,
    gpu: Accelerator | None,
    acceptance: Annotated[
        float, Flag("Probability that a drafted token is accepted, α.", "SHARE", least=0, most=1)
    ] = 0.8,
    drafts: Annotated[int, Flag("Number of drafted tokens per step, γ.", "N", least=1, most=64)] = 4,
    per_position: Annotated[str, Flag("Acceptance rates by position, instead of α: 0.85,0.75,...", "LIST")] = "",
    draft_cost: Annotated[float, Flag("Cost of a draft step, as a share of a plain step, c.", "SHARE", least=0)] = 0.05,
    verify_cost: Annotated[
        float | None,
        Flag("Cost v of checking the drafts, in plain steps. [default: by roofline, else 1]", "X", least=1),
    ] = None,
    batch: Annotated[int, Flag("Number of sequences per step, for the roofline.", "B", least=1)] = 1,
    context: Annotated[int, Flag("Mean context length: tokens per sequence in the KV cache.", "C", least=1)] = 1024,
    dtype: Annotated[str, Flag("Data type of the weights. [default: that of MODEL]", "NAME")] = "",
    tp: Annotated[int, Flag("Number of tensor-parallel GPUs.", "T", least=1)] = 1,
) -> Answer:
    rates = _rates(per_position) or [acceptance] * drafts
    count = len(rates)
    model = weigh(shape, dtype) if shape is not None else None
    verify = _verifier(model, gpu, verify_cost, context, tp)
    tau, cost = tokens_a_step(rates), verify(batch, count)
    speed_up = tau / (count * draft_cost + cost)
    values = [
        Value("tokens_per_step", tau, "tok", f"{count} drafts, and the token that the target adds"),
        Value("verify_cost", cost, "x", f"{count + 1} tokens over a plain step, at batch {batch}"),
        Value("speed_up", speed_up, "x", "above 1 it pays"),
    ]
    if not per_position:
        values.append(_best(acceptance, draft_cost, verify, batch))
    tables = []
    if model is not None and gpu is not None and verify_cost is None:
        values.append(_stops(tau, count, draft_cost, verify))
        tables.append(_by_batch(tau, count, draft_cost, verify))
    warnings = [*shape.warnings, *uneven_heads(shape, tp)] if shape is not None else []
    warnings += [] if tables else ["the batch where it stops paying is unknown: give a MODEL and --gpu"]
    return Answer(f"{tau:.2f} tokens per step, {speed_up:.2f}x", tuple(values), tuple(tables), tuple(warnings))


def tokens_a_step(rates: list[float]) -> float:
    """1 + Σ Π α_j; for equal rates that is (1 - α^(γ+1))/(1 - α)."""
    total, chance = 1.0, 1.0
    for rate in rates:
        chance *= rate
        total += chance
    return total


def _rates(written: str) -> list[float]:
    try:
        rates = [float(part) for part in written.split(",") if part.strip()]
    except ValueError:
        raise UsageError(f"--per-position {written[:40]!r} is no list of numbers with commas") from None
    if any(not 0 <= rate <= 1 for rate in rates):
        raise UsageError(f"--per-position {written[:40]!r}: chances lie between 0 and 1")
    return rates


Verifier = Callable[[int, int], float]


def _verifier(model: Model | None, gpu: Accelerator | None, given: float | None, context: int, tp: int) -> Verifier:
    """v as a function of batch and drafts: what was given, else the ratio of two steps, else 1."""
    if given is not None:
        return lambda batch, drafts: given
    if model is None and gpu is None:
        return lambda batch, drafts: 1.0
    if model is None or gpu is None:
        raise UsageError("the roofline needs both: a MODEL and --gpu (or --bandwidth-gb-s and --tflops)")
    plan = Plan(tp=tp)

    def ratio(batch: int, drafts: int) -> float:
        plain = decode_step(model, gpu, batch, context, plan)
        return decode_step(model, gpu, batch, context, plan, new_tokens=drafts + 1).seconds / plain.seconds

    return ratio


def _best(acceptance: float, draft_cost: float, verify: Verifier, batch: int) -> Value:
    def gain(drafts: int) -> float:
        return tokens_a_step([acceptance] * drafts) / (drafts * draft_cost + verify(batch, drafts))

    best = max(range(1, MOST_DRAFTS + 1), key=gain)
    if gain(best) <= 1:
        return Value("best_drafts", 0, "", "no number of drafts pays")
    return Value("best_drafts", best, "", f"{gain(best):.2f}x at this batch, of 1 to {MOST_DRAFTS}")


def _stops(tau: float, drafts: int, draft_cost: float, verify: Verifier) -> Value:
    """The first batch at which a step with drafts is no faster than a plain one: doubling, then halving."""

    def pays(batch: int) -> bool:
        return tau > drafts * draft_cost + verify(batch, drafts)

    high = next((2**power for power in range(MOST_POWER + 1) if not pays(2**power)), None)
    if high is None:
        return Value("stops_paying_at_batch", None, "", f"by roofline it pays up to {2**MOST_POWER}: KV is the limit")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if pays(middle) else (low, middle)
    again = next((2**power for power in range(MOST_POWER + 1) if 2**power > high and pays(2**power)), None)
    note = f"; it pays again at {again}, where experts are read anyway" if again else ""
    return Value("stops_paying_at_batch", high, "", f"by roofline; an engine's own overhead stops it earlier{note}")


def _by_batch(tau: float, drafts: int, draft_cost: float, verify: Verifier) -> Table:
    rows = []
    for batch in (1, 4, 16, 32, 64, 128, 256, 512):
        cost = verify(batch, drafts)
        rows.append((batch, cost, tau / (drafts * draft_cost + cost)))
    return Table("by batch", (("batch", ""), ("verify", "x"), ("speed-up", "x")), tuple(rows))
