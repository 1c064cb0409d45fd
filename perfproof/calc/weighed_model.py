"""A model with the formats of its weights and cache chosen: what the formulas of time and memory start from."""

from dataclasses import dataclass

from perfproof.calc.kv_bytes import kv_format
from perfproof.calc.model_shape import Shape
from perfproof.calc.number_formats import format_name
from perfproof.calc.parameters import Parameters, count
from perfproof.calc.weight_bytes import Formats, WeightBytes, weight_bytes
from perfproof.core.errors import UsageError


@dataclass(frozen=True)
class Model:
    shape: Shape
    parameters: Parameters
    formats: Formats
    bytes: WeightBytes


def chosen_formats(shape: Shape, dtype: str, kv_dtype: str, expert_dtype: str = "") -> Formats:
    """What was asked for, else what the file says; a cache is in bf16 unless asked otherwise."""
    matrices = format_name(dtype) if dtype else shape.weight_dtype
    if not matrices:
        raise UsageError(
            f"{shape.name}: the format of its weights is not known, and their bytes would be a guess: "
            f"{shape.weights_unknown}; say it with --dtype"
        )
    experts = format_name(expert_dtype, "--expert-dtype") if expert_dtype else "" if dtype else shape.expert_dtype
    other = "fp32" if matrices == "fp32" else "bf16"
    return Formats(matrices, experts, other, kv_format(kv_dtype or "bf16"))


def weigh(shape: Shape, dtype: str = "", kv_dtype: str = "", expert_dtype: str = "") -> Model:
    formats = chosen_formats(shape, dtype, kv_dtype, expert_dtype)
    parameters = count(shape)
    return Model(shape, parameters, formats, weight_bytes(parameters, formats))
