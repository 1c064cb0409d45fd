"""What a form gives a calculator besides plain numbers: a model, and a GPU's rates. Chosen by the parameter's type."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from perfproof.app.calculator_inputs import read_accelerator
from perfproof.calc.accelerator import Accelerator
from perfproof.calc.model_shape import Shape
from perfproof.calc.shipped_shapes import shipped_names, shipped_shape
from perfproof.core.errors import UsageError
from perfproof.machine.datasheet import SHEETS
from perfproof.web.form_fields import Field, parse

LARGEST = 1e9
USUAL_MODEL, USUAL_GPU = "llama-3.1-8b", "H200 SXM"


@dataclass(frozen=True)
class Source:
    fields: Callable[..., list[Field]]
    read: Callable[[Mapping[str, str]], Any]
    wanted: str  # said where it is missing


def model_fields(needed: bool) -> list[Field]:
    names = tuple(shipped_names())
    usual = USUAL_MODEL if needed and USUAL_MODEL in names else ""
    return [Field("model", "Model, one of the shipped shapes.", str, usual, choices=names)]


def read_model(given: Mapping[str, str]) -> Shape | None:
    name = given.get("model", "").strip()
    if not name:
        return None
    if name not in shipped_names():
        raise UsageError(f"model {name[:60]!r} is not one of the shipped shapes; the command also reads a config.json")
    return shipped_shape(name)


NUMBERS = [
    Field("bandwidth_gb_s", "Memory bandwidth of the GPU in GB/s, instead of the data sheet's.", float),
    Field("tflops", "Arithmetic rate of the GPU in TFLOP/s, dense, instead of the data sheet's.", float),
    Field("gpu_mem_gb", "Memory of the GPU in GB (1e9 bytes), instead of the data sheet's.", float),
    Field("link_gb_s", "Bandwidth between two GPUs, per direction, in GB/s.", float),
]
LATENCY = Field("link_us", "Latency of a message between two GPUs, in µs.", float, "0")


def gpu_fields(needed: bool) -> list[Field]:
    names = tuple(sheet.name for sheet in SHEETS)
    usual = USUAL_GPU if needed and USUAL_GPU in names else ""
    return [Field("gpu", "GPU whose data sheet is used.", str, usual, choices=names), *NUMBERS, LATENCY]


def read_gpu(given: Mapping[str, str]) -> Accelerator | None:
    """The data sheet, then what was given: the later wins."""
    numbers = {field.name: parse(field, given.get(field.name, ""), None) for field in NUMBERS}
    for field in NUMBERS:
        if numbers[field.name] is not None and not 0 < numbers[field.name] < LARGEST:
            raise UsageError(f"{field.label} {numbers[field.name]:g}: must be more than 0")
    name = given.get("gpu", "").strip()
    if name and all(name != sheet.name for sheet in SHEETS):
        raise UsageError(f"there is no data sheet of {name[:60]!r}: choose another, or give its numbers")
    latency = parse(LATENCY, given.get("link_us", ""), 0.0) or 0.0
    return read_accelerator(gpu=name or None, **numbers, link_us=latency)


SOURCES = {
    "Shape": Source(model_fields, read_model, "which model? choose one of the shipped shapes"),
    "Accelerator": Source(gpu_fields, read_gpu, "which GPU? choose a data sheet, or give its numbers"),
}
