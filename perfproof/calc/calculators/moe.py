"""How many experts a step really reads: "active parameters" are those of one token.

expected distinct experts of t tokens   E·(1 - (1 - k/E)^t); with shares p_e of picks, Σ(1 - (1 - k·p_e)^t)
weights read                            always-read + layers·distinct·bytes of an expert
with EP                                 the fullest rank decides: max load / mean load, from --histogram

E experts, k picked by a token. 64 tokens read 222 of DeepSeek-V3's 256 experts: 87 %, not 3 %.
"""

from typing import Annotated

from perfproof.calc.answer import Answer, Flag, Table, Value
from perfproof.calc.experts_read import distinct, distinct_of, imbalance
from perfproof.calc.model_shape import Shape
from perfproof.calc.weighed_model import Model, weigh
from perfproof.core.errors import UsageError

TOKENS = (1, 8, 32, 64, 128, 256, 512)


def calculate(
    shape: Shape | None,
    tokens: Annotated[int, Flag("Number of tokens per step; in decode, the batch size.", "T", least=1)] = 64,
    experts: Annotated[int | None, Flag("Number of experts per layer, if no MODEL is given.", "E", least=1)] = None,
    active: Annotated[int | None, Flag("Number of experts per token, if no MODEL is given.", "K", least=1)] = None,
    dtype: Annotated[str, Flag("Data type of the weights. [default: that of MODEL]", "NAME")] = "",
    ep: Annotated[int, Flag("Number of ranks that share the experts (expert parallelism).", "X", least=1)] = 1,
    histogram: Annotated[str, Flag("How often each expert was picked, separated by commas: 120,80,...", "LIST")] = "",
) -> Answer:
    count, picked, model = _experts(shape, experts, active, dtype)
    if count % ep:
        raise UsageError(f"--ep {ep} does not divide {count} experts")
    shares = _shares(histogram, count)
    hit = distinct_of(shares, picked, tokens) if shares else distinct(count, picked, tokens)
    values = [
        Value("experts_read", hit, "", f"of {count} in a layer, expected for {tokens} tokens that pick {picked} each"),
        Value("share_of_experts", hit / count, "share"),
        Value("experts_per_rank", count // ep, "", f"ep {ep}"),
    ]
    if shares:
        values.append(Value("imbalance", imbalance(shares, ep), "x", "the fullest rank over the mean"))
    tables = [_table(count, picked, shares, model)]
    if model:
        values += _weights(model, hit)
    warnings = [*shape.warnings] if shape is not None else []
    warnings += [] if shares else ["uniform routing assumed: real routers prefer some experts; give --histogram"]
    headline = f"{tokens} tokens read {hit:.0f} of {count} experts ({hit / count:.0%})"
    return Answer(headline, tuple(values), tuple(tables), tuple(warnings))


def _experts(shape: Shape | None, experts: int | None, active: int | None, dtype: str) -> tuple[int, int, Model | None]:
    if shape is not None:
        if shape.experts is None:
            raise UsageError(f"{shape.name} has no experts: every token reads all its weights")
        return shape.experts.count, shape.experts.active, weigh(shape, dtype)
    if experts is None or active is None:
        raise UsageError("which model? give a MODEL, or --experts and --active")
    if active > experts:
        raise UsageError(f"--active {active} is more than {experts} experts")
    return experts, active, None


def _shares(written: str, count: int) -> list[float]:
    if not written:
        return []
    try:
        picks = [float(part) for part in written.split(",")]
    except ValueError:
        raise UsageError(f"--histogram {written[:40]!r} is no list of numbers with commas") from None
    if len(picks) != count or min(picks) < 0 or sum(picks) <= 0:
        raise UsageError(
            f"--histogram has {len(picks)} numbers: give one for each of the {count} experts, none negative"
        )
    return [one / sum(picks) for one in picks]


def _weights(model: Model, hit: float) -> list[Value]:
    read = model.bytes.always + hit * model.bytes.one_expert * model.parameters.expert_layers
    nominal = (
        model.bytes.always + model.parameters.active_experts * model.bytes.one_expert * model.parameters.expert_layers
    )
    return [
        Value("weight_bytes_read", read, "B", "in a step, all GPUs"),
        Value("weight_bytes_active", nominal, "B", "what 'active parameters' would suggest"),
        Value("understated", read / nominal, "x", "by 'active parameters'"),
    ]


def _table(count: int, picked: int, shares: list[float], model: Model | None) -> Table:
    rows = []
    for tokens in TOKENS:
        hit = distinct_of(shares, picked, tokens) if shares else distinct(count, picked, tokens)
        read = model.bytes.always + hit * model.bytes.one_expert * model.parameters.expert_layers if model else None
        rows.append((tokens, hit, hit / count, read))
    return Table(
        "by tokens in a step", (("tokens", ""), ("experts", ""), ("share", "share"), ("read", "B")), tuple(rows)
    )
