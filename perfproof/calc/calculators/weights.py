"""Parameters and bytes of the weights, by class of tensor.

attention   h·a·d + 2·h·g·d + a·d·h; MLA h·r_q + r_q·a·(nope + rope) + h·(r_kv + rope) + r_kv·a·(nope + v) + a·v·h
MLP         3·h·I (gated) or 2·h·I; experts 3·h·I_e·(E + shared) + h·E for the router
embeddings  V·h, twice where input and output are not tied; norms and biases are counted too
bytes       matrices in --dtype, experts in --expert-dtype; embeddings, router and norms in 16 bits, as engines do;
            scales of groups are included: int4 4.125 bits, nvfp4 4.5, mxfp4 4.25; GPTQ and AWQ by their group_size n:
            b + (16 + b)/n bits, a 16-bit scale and a zero point a group

Where model.safetensors.index.json lies beside the config.json, its total_size is shown: it beats any formula.
"""

from typing import Annotated

from perfproof.calc.answer import Answer, Flag, Table, Value
from perfproof.calc.head_split import uneven_heads
from perfproof.calc.model_shape import Shape
from perfproof.calc.number_formats import BITS
from perfproof.calc.pipeline_split import refuse_empty_stages
from perfproof.calc.weighed_model import Model, weigh


def calculate(
    shape: Shape,
    dtype: Annotated[str, Flag("Data type of the matrices. [default: that of MODEL]", "NAME")] = "",
    expert_dtype: Annotated[str, Flag("Data type of the experts, if it differs.", "NAME")] = "",
    tp: Annotated[int, Flag("Number of tensor-parallel GPUs.", "T", least=1)] = 1,
    pp: Annotated[int, Flag("Number of pipeline stages.", "P", least=1)] = 1,
) -> Answer:
    refuse_empty_stages(shape, pp)
    model = weigh(shape, dtype, "", expert_dtype)
    parameters, stored = model.parameters, model.bytes.stored
    values = [
        Value("parameters", parameters.total, "", _held_against(parameters.total, shape)),
        Value(
            "active_parameters", parameters.active, "", "multiplied for one token: the output head, but no embedding"
        ),
        Value("weight_bytes", stored, "B", f"matrices {model.formats.matrices}, experts {model.formats.of_experts}"),
        Value("weight_bytes_per_gpu", stored / (tp * pp), "B", f"tp {tp}, pp {pp}"),
        Value("bits_per_parameter", 8 * stored / parameters.total, "bit"),
    ]
    if shape.stored_bytes:
        values.append(
            Value("checkpoint_bytes", shape.stored_bytes, "B", "total_size of the index beside the file: exact")
        )
    headline = f"{shape.name}: {parameters.total / 1e9:.2f} billion parameters, {stored / 1e9:.1f} GB"
    warnings = (*shape.warnings, *uneven_heads(shape, tp))
    return Answer(headline, tuple(values), (_classes(model), _formats(shape)), warnings)


def _held_against(total: int, shape: Shape) -> str:
    if not shape.published:
        return ""
    return f"published: {shape.published:,.0f}, {total / shape.published - 1:+.2%}; {shape.source}"


def _classes(model: Model) -> Table:
    parameters = model.parameters
    rows = [
        ("embedding", parameters.embedding),
        ("output head", 0 if parameters.tied else parameters.head),
        ("attention", parameters.attention),
        ("dense MLPs, shared experts", parameters.dense),
        ("routed experts", parameters.experts),
        ("routers", parameters.routers),
        ("norms", parameters.norms),
    ]
    shown = tuple((name, count, count / parameters.total) for name, count in rows if count)
    return Table("parameters by class", (("class", ""), ("parameters", ""), ("share", "share")), shown)


def _formats(shape: Shape) -> Table:
    rows = tuple((name, weigh(shape, name).bytes.stored) for name in BITS)
    return Table("the same in other formats", (("format", ""), ("weights", "B")), rows)
