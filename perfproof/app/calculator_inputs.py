"""What calculators are given besides plain numbers: a model, a GPU's rates, a sweep, requests, a tensor.

Each function below is a source: its options join those of the calculator, and what it returns is the calculator's
argument. It is chosen by the type that the calculator's parameter asks for.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perfproof.core.errors import DocumentError, UsageError, WorkerCrashed

if TYPE_CHECKING:  # a source imports what it needs when it is used: help texts need none of it
    from perfproof.calc.accelerator import Accelerator
    from perfproof.calc.model_shape import Shape
    from perfproof.calc.request_table import Request
    from perfproof.calc.sweep_fit import Point
    from perfproof.calc.tensor_errors import TensorErrors

DTYPES = ("fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp4")
WORKER_SECONDS = 300.0
INDEX = "model.safetensors.index.json"


def read_model(
    model: Annotated[
        str | None,
        typer.Argument(metavar="[MODEL]", help="Model: path of a config.json, or the name of a shipped shape."),
    ] = None,
) -> "Shape | None":
    """A path is read, anything else is a name of the shapes that come with us."""
    from perfproof.calc.model_config import shape_of
    from perfproof.calc.shipped_shapes import shipped_shape

    if model is None:
        return None
    path = Path(model)
    path = path / "config.json" if path.is_dir() else path
    if not path.is_file():
        return shipped_shape(model)
    config = _json(path)
    name = path.parent.resolve().name if path.name == "config.json" else path.stem
    return replace(shape_of(config, name, str(path)), stored_bytes=_index_bytes(path.parent / INDEX))


def _index_bytes(path: Path) -> int | None:
    """The exact sum of a checkpoint's tensors, where its index lies beside the config."""
    if not path.is_file():
        return None
    index = _json(path)
    size = index.get("metadata", {}).get("total_size") if isinstance(index, dict) else None
    if not isinstance(size, int | float) or size <= 0:
        raise DocumentError(f"{path}: has no metadata.total_size; remove the file to use the formula instead")
    return int(size)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise DocumentError(f"{path}: cannot be read as JSON: {error}") from None


def read_accelerator(
    gpu: Annotated[
        str | None,
        typer.Option(
            "--gpu",
            metavar="NAME",
            help="GPU whose data sheet is used: 'H200' or another; 'here' takes this machine's GPU (NVML).",
        ),
    ] = None,
    ceilings: Annotated[
        Path | None,
        typer.Option(
            "--ceilings", metavar="FILE", help="Measured limits of the GPU, a file written by perfproof peak --output."
        ),
    ] = None,
    bandwidth_gb_s: Annotated[
        float | None,
        typer.Option(
            "--bandwidth-gb-s", metavar="GB/S", help="Memory bandwidth of the GPU; overrides --gpu and --ceilings."
        ),
    ] = None,
    tflops: Annotated[
        float | None,
        typer.Option(
            "--tflops", metavar="T", help="Dense arithmetic rate of the GPU in TFLOP/s; overrides --gpu and --ceilings."
        ),
    ] = None,
    gpu_mem_gb: Annotated[
        float | None,
        typer.Option("--gpu-mem-gb", metavar="GB", help="Memory of the GPU in GB (1e9 bytes); overrides --gpu."),
    ] = None,
    link_gb_s: Annotated[
        float | None,
        typer.Option("--link-gb-s", metavar="GB/S", help="Bandwidth between two GPUs, per direction; overrides --gpu."),
    ] = None,
    link_us: Annotated[
        float, typer.Option("--link-us", metavar="US", help="Latency of a message between two GPUs, in µs.")
    ] = 0.0,
) -> "Accelerator | None":
    """The data sheet, then what was measured, then what was given: the later wins."""
    from perfproof.calc.accelerator import Accelerator

    given = {
        "--bandwidth-gb-s": bandwidth_gb_s,
        "--tflops": tflops,
        "--gpu-mem-gb": gpu_mem_gb,
        "--link-gb-s": link_gb_s,
    }
    for option, value in given.items():
        if value is not None and not 0 < value < 1e9:
            raise UsageError(f"{option} {value:g}: must be more than 0")
    if gpu is None and ceilings is None and all(value is None for value in given.values()):
        return None
    found = _from_sheet(gpu) if gpu else Accelerator("this GPU", source="as given")
    if ceilings is not None:
        found = _with_ceilings(found, ceilings)
    return replace(
        found,
        bandwidth=bandwidth_gb_s * 1e9 if bandwidth_gb_s else found.bandwidth,
        flops=dict.fromkeys(DTYPES, tflops * 1e12) if tflops else found.flops,
        memory=gpu_mem_gb * 1e9 if gpu_mem_gb else found.memory,
        link=link_gb_s * 1e9 if link_gb_s else found.link,
        link_latency=link_us / 1e6,
        memory_from="as given" if gpu_mem_gb else found.memory_from,
    )


def _from_sheet(name: str) -> "Accelerator":
    from perfproof.app.data_sheets import named_sheet
    from perfproof.calc.accelerator import Accelerator

    memory = None
    if name == "here":
        name, memory = _gpu_here()
    sheet = named_sheet(name, "--bandwidth-gb-s and --tflops")
    return Accelerator(
        sheet.name,
        sheet.memory_bytes_s,
        dict(sheet.flops),
        memory or (sheet.memory_gb * 1e9 if sheet.memory_gb else None),
        sheet.power_watts,
        sheet.link_gb_s * 1e9 if sheet.link_gb_s else None,
        source=f"data sheet: {sheet.source}",
        memory_from="by NVML" if memory else "",
    )


def _gpu_here() -> tuple[str, float | None]:
    from perfproof.machine.gpus import read_gpus

    found = read_gpus().found
    if not found:
        raise UsageError("--gpu here: no GPU was found; name one, such as --gpu H200")
    details = found[0].details
    return str(details["name"]), details.get("memory_bytes")


def _with_ceilings(sheet: "Accelerator", path: Path) -> "Accelerator":
    from perfproof.calc.roofline import roofs_of
    from perfproof.machine import ceilings as stored

    try:
        measured = stored.parse(path.read_text(), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise DocumentError(f"--ceilings {path}: cannot be read: {error}") from None
    roofs = roofs_of(measured)
    memory = max((roof.value for roof in roofs if roof.name == "DRAM"), default=None)
    flops = {roof.name: roof.value for roof in roofs if roof.kind == "compute"}
    if memory is None and not flops:
        raise DocumentError(f"--ceilings {path}: holds no memory and no gemm rate; run perfproof peak again")
    return replace(
        sheet,
        name=measured.kind,
        bandwidth=memory or sheet.bandwidth,
        flops=sheet.flops | flops,
        source="measured ceilings",
    )


def read_sweep(
    sweep: Annotated[
        Path | None,
        typer.Option(
            "--sweep",
            metavar="FILE",
            help="Measured decode steps to fit: CSV or JSON with batch, context and seconds (or ms).",
        ),
    ] = None,
) -> "list[Point] | None":
    from perfproof.calc.sweep_fit import parse

    return None if sweep is None else parse(_text(sweep), str(sweep))


def read_requests(
    requests: Annotated[
        Path | None,
        typer.Option(
            "--requests",
            metavar="FILE",
            help="Requests of a load test: CSV or JSON with ttft, tpot, e2e (with _s or _ms).",
        ),
    ] = None,
) -> "list[Request] | None":
    from perfproof.calc.request_table import parse

    return None if requests is None else parse(_text(requests), str(requests))


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise DocumentError(f"{path}: cannot be read: {error}") from None


def read_tensor_errors(
    file: Annotated[
        str | None,
        typer.Argument(metavar="[FILE]", help="Tensor to read, .npy or .pt. [default: random normal numbers]"),
    ] = None,
    other: Annotated[
        str | None, typer.Argument(metavar="[OTHER]", help="Second tensor; compare FILE with it, both as saved.")
    ] = None,
    first: Annotated[str, typer.Option("--first", metavar="NAME", help="Reference number format.")] = "fp32",
    second: Annotated[
        str, typer.Option("--second", metavar="NAME", help="Number format to compare with the reference.")
    ] = "bf16",
    key: Annotated[
        str, typer.Option("--key", metavar="NAME", help="Name of the tensor, if the .pt holds several.")
    ] = "",
    elements: Annotated[
        int, typer.Option("--elements", metavar="N", help="Number of random elements, if no FILE is given.")
    ] = 10**6,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Seed of the random numbers, if no FILE is given.")
    ] = 0,
    group: Annotated[
        int, typer.Option("--group", metavar="N", help="Elements per scale for int8 and int4; 0: one scale per tensor.")
    ] = 0,
    scale: Annotated[
        bool,
        typer.Option(
            "--scale", help="Scale floats to the whole range of their format: the largest element becomes its maximum."
        ),
    ] = False,
) -> "TensorErrors":
    """The work is done by a process of its own: torch is never loaded here."""
    from perfproof.calc.tensor_errors import TensorErrors
    from perfproof.core.child import ask, python

    for option, value, least, most in (
        ("--elements", elements, 1, 10**9),
        ("--seed", seed, 0, 2**63),
        ("--group", group, 0, 10**9),
    ):
        if not least <= value <= most:
            raise UsageError(f"{option} {value}: must be {least} to {most}")
    asked: dict[str, Any] = dict(file=file, other=other, first=first, second=second, key=key)
    asked |= dict(elements=elements, seed=seed, group=group, scale=scale)
    answer = ask([*python(), "-m", "perfproof.worker.verify.format_errors", json.dumps(asked)], WORKER_SECONDS)
    if not answer.ok:
        raise WorkerCrashed(f"the process that compares tensors failed: {answer.why or answer.last_line}")
    found = json.loads(answer.out.splitlines()[-1])
    if "refused" in found:
        raise UsageError(found["refused"])
    fields = found["errors"]
    fields["worst_index"] = tuple(fields["worst_index"])
    fields["histogram"] = tuple((power, count) for power, count in fields["histogram"])
    return TensorErrors(**fields)


SOURCES: dict[str, tuple[Callable[..., Any], str]] = {  # by type: the source, and what to say where it is missing
    "Shape": (read_model, "which model? give the path of a config.json, or a shipped shape: see perfproof calc --list"),
    "Accelerator": (read_accelerator, "which GPU? give --gpu H200 (or another), --ceilings FILE, or its numbers"),
    "Point": (read_sweep, "give --sweep FILE"),
    "Request": (read_requests, "give --requests FILE"),
    "TensorErrors": (read_tensor_errors, "give a FILE"),
}
