"""The model and the GPUs that a form describes, ready for the formulas; or why they cannot be known."""

import json
from dataclasses import dataclass
from pathlib import Path

from perfproof.calc.accelerator import Accelerator
from perfproof.calc.model_config import shape_of
from perfproof.calc.model_shape import Shape
from perfproof.calc.shipped_shapes import shipped_shape
from perfproof.calc.step_time import Plan
from perfproof.calc.weighed_model import Model, chosen_formats, weigh
from perfproof.core.errors import PerfproofError
from perfproof.core.intake import Intake, Workload
from perfproof.machine import datasheet
from perfproof.triage.intake import quantities
from perfproof.triage.intake.problems import Problem

MODEL = ("workload", "model")


@dataclass(frozen=True)
class System:
    """`plans` are all that the form leaves possible on its GPUs."""

    model: Model
    gpu: Accelerator
    gpus: int
    plans: list[Plan]
    intake: Intake


def read_gpu(intake: Intake) -> tuple[Accelerator | None, str]:
    name = intake.hardware.gpu
    if not name or name.lower() in ("none", "no", "cpu"):
        return None, "limits of the hardware: the form names no GPU"
    sheet = datasheet.named(name)
    family = datasheet.family(name) if sheet is None else []
    if family:
        return None, f"limits of the hardware: {name!r} names several cards; write {' or '.join(family)}"
    if sheet is None:
        return None, f"limits of the hardware: there is no data sheet of {name!r}"
    written = intake.hardware.gpu_memory
    memory = quantities.size(written) if written else sheet.memory_gb * 1e9 if sheet.memory_gb else None
    return Accelerator(sheet.name, sheet.memory_bytes_s, dict(sheet.flops), memory, source="data sheet"), ""


def read_model(intake: Intake, folder: Path, problems: list[Problem]) -> tuple[Model | None, str]:
    """What was assumed about the model, and what is wrong with its name or precision, is added to `problems`."""
    work = intake.workload
    if not work.model:
        return None, "limits of the model: the form names none"
    try:
        shape = _shape(work.model, folder)
    except (PerfproofError, OSError, ValueError) as error:
        problems.append(_doubt(error))
        return None, f"limits of the model: {work.model!r} is not known"
    wrong = list(_wrong_formats(shape, work))
    if wrong:
        problems += wrong
        return None, "limits of the model: its precision is not known"
    problems += [Problem(MODEL, warning, "doubt") for warning in shape.warnings]
    try:
        return weigh(shape, work.weights_dtype or "", work.kv_dtype or ""), ""
    except PerfproofError as error:
        problems.append(_doubt(error))
        return None, "limits of the model: its weights cannot be counted"


def _wrong_formats(shape: Shape, work: Workload) -> list[Problem]:
    """A precision of the form that does not exist is an error; one that the model's file leaves open is not."""
    written = {"weights_dtype": (work.weights_dtype or "bf16", ""), "kv_dtype": ("bf16", work.kv_dtype or "")}
    found = []
    for name, formats in written.items():
        try:
            chosen_formats(shape, *formats)
        except PerfproofError as error:
            found.append(Problem(("workload", name), str(error)))
    if not found and not work.weights_dtype and not shape.weight_dtype:
        text = f"is empty, and the model's file does not tell: {shape.weights_unknown}"
        found.append(Problem(("workload", "weights_dtype"), text, "doubt"))
    return found


def _doubt(error: Exception) -> Problem:
    return Problem(MODEL, " ".join(str(error).split())[:300], "doubt")


def _shape(name: str, folder: Path) -> Shape:
    path = folder / name
    path = path / "config.json" if path.is_dir() else path
    if not path.is_file():
        return shipped_shape(name)
    return shape_of(json.loads(path.read_text()), path.parent.name, str(path))
