"""What `perfproof roofline` is given: saved runs, counters, tables of kernels, and the roofs to hold them against."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from perfproof.app.data_sheets import named_sheet
from perfproof.calc import dual_roofline, roofline, roofline_model
from perfproof.core.documents import Run
from perfproof.core.errors import DocumentError, UnfitError, UsageError
from perfproof.core.roofline import Kernel, Roof
from perfproof.history.folders import find_run, load_run
from perfproof.machine import ceilings as stored
from perfproof.machine import datasheet
from perfproof.profile import kernel_csv
from perfproof.profile.ncu import csv as ncu_csv
from perfproof.profile.ncu import report as ncu_report
from perfproof.profile.ncu import roofline as ncu_roofline

MEASURE = "run `perfproof peak` first, give a file of another machine with --ceilings, or use the data sheet: --sheet"
OWN_TABLE = (
    "neither the raw page of ncu, with the columns ID and Kernel Name, nor a table of your own, with the columns name, "
    f"one of {', '.join(kernel_csv.TIMES)}, and flops, bytes, dtype as far as they are known"
)
MAJORS = {"a100": "8", "h100": "9", "h200": "9", "gh200": "9", "b200": "10", "b300": "10"}  # capability by GPU


@dataclass
class Inputs:
    kernels: list[Kernel] = field(default_factory=list)
    not_shown: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    feeds: list[Roof] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Wishes:
    """Where roofs come from, as asked for on the command line."""

    ceilings: str | None = None
    sheet: bool = False
    gpu: str | None = None


def read_inputs(given: Sequence[str], artifacts_dir: str, dtype: str) -> Inputs:
    """Everything that was named; with no name, the newest run."""
    inputs = Inputs()
    for name in given or ["latest"]:
        path = Path(name)
        if path.is_file() and path.name != "run.json":
            _take_file(inputs, path)
        elif not path.exists() and (path.suffix or len(path.parts) > 1):
            raise DocumentError(f"{name}: there is no such file or folder")  # names of runs have neither dot nor slash
        else:
            _take_run(inputs, load_run(find_run(artifacts_dir, name)), dtype)
    inputs.kernels = joined(inputs.kernels)
    return inputs


def _take_run(inputs: Inputs, run: Run, dtype: str) -> None:
    kernels, without = roofline_model.kernels_of(run, dtype)
    inputs.kernels += kernels
    inputs.not_shown |= without
    inputs.runs.append(run)
    inputs.names.append(run.run)


def _take_file(inputs: Inputs, path: Path) -> None:
    inputs.names.append(path.name)
    if path.suffix == ".ncu-rep":
        return _take_counted(inputs, ncu_report.read_file(path), path)
    text = ncu_csv.read_text(path)
    if kernel_csv.looks_like(text):
        kernels, warnings = kernel_csv.parse(text, str(path))
        inputs.kernels += kernels
        inputs.warnings += [f"{path.name}: {warning}" for warning in warnings]
        return None
    if path.suffix == ".csv" and (columns := _foreign_header(text)):
        raise DocumentError(f"{path}: {OWN_TABLE}; it begins with {columns[:80]!r}")
    return _take_counted(inputs, ncu_csv.parse(text, str(path)), path)


def _foreign_header(text: str) -> str:
    """The header of a table that has nothing of ncu's in it; empty where it is no table."""
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    return "" if "," not in first or any(word in text for word in ("Kernel Name", "==")) else first


def _take_counted(inputs: Inputs, counted: ncu_csv.CountedKernels, path: Path) -> None:
    inputs.kernels += ncu_roofline.kernels_of(counted)
    inputs.warnings += [f"{path.name}: {warning}" for warning in counted.warnings]
    feed = ncu_roofline.feed_roof(counted)
    inputs.feeds += [feed] if feed else []


def joined(kernels: Sequence[Kernel]) -> list[Kernel]:
    """A table's row about a counted kernel, by its name or short name, fills in what was not counted."""
    tables = {kernel.name: kernel for kernel in kernels if kernel.source == "metadata"}
    counted = [kernel for kernel in kernels if kernel.source == "counters"]
    used: set[str] = set()
    found = []
    for kernel in counted:
        row = tables.get(kernel.name) or tables.get(ncu_roofline.short_name(kernel.name))
        if row is not None:
            used.add(row.name)
            kernel = _filled(kernel, row)
        found.append(kernel)
    rest = [kernel for kernel in kernels if kernel.source != "counters" and kernel.name not in used]
    return found + rest


def _filled(kernel: Kernel, row: Kernel) -> Kernel:
    """The row's figures are of one launch or of its own count of launches: taken to the launches that were counted."""
    factor = kernel.launches / row.launches
    update: dict[str, object] = {}
    if kernel.flops is None and row.flops is not None:
        update["flops"] = row.flops * factor
        update["work"] = {dtype: operations * factor for dtype, operations in row.work.items()}
    more = {level: moved * factor for level, moved in row.bytes.items() if level not in kernel.bytes}
    if more:
        update["bytes"] = kernel.bytes | more
    filled = {"flops": "flops" in update} | {f"{level} bytes": True for level in more}
    if not any(filled.values()):
        return kernel
    update["unknown"] = {what: why for what, why in kernel.unknown.items() if not filled.get(what)}
    return kernel.model_copy(update=update | {"source": "counters+metadata"})


def find_roofs(inputs: Inputs, wishes: Wishes) -> tuple[list[Roof], str]:
    """The roofs and whose they are; UnfitError with what to do where there are none."""
    if wishes.sheet and wishes.ceilings:
        raise UsageError("--sheet and --ceilings are two sources of roofs: give one")
    if wishes.sheet:
        return _sheet_roofs(inputs, wishes.gpu)
    if wishes.ceilings:
        path = Path(wishes.ceilings)
        try:
            found = stored.parse(path.read_text(), str(path))
        except (OSError, UnicodeDecodeError) as error:
            raise DocumentError(f"--ceilings {path}: cannot be read: {error}") from None
    else:
        fingerprint, device = _machine(inputs)
        here = stored.load(fingerprint, device)
        if here is None:
            whose = inputs.runs[-1].machine.get("kind", "that machine") if inputs.runs else "this machine's GPU"
            raise UnfitError(f"no ceilings of {whose} were measured; {MEASURE}")
        found = here
    roofs = roofline.roofs_of(found)
    if not roofs:
        raise UnfitError(f"the ceilings of {found.kind} hold no memory and no compute rate; {MEASURE}")
    kinds = {str(run.machine.get("kind")) for run in inputs.runs} - {found.kind}
    inputs.warnings += [f"the run is of {kind}, the ceilings are of {found.kind}" for kind in sorted(kinds)]
    _check_capability(inputs, found.kind)
    return _with_feeds(roofs, inputs, found.kind), found.kind


def _check_capability(inputs: Inputs, kind: str) -> None:
    """Counters name no GPU, but its compute capability: enough to notice ceilings of another generation."""
    expected = next((major for part, major in MAJORS.items() if part in kind), None)
    seen = {kernel.capability for kernel in inputs.kernels if kernel.capability}
    for capability in sorted(seen):
        if expected is not None and capability.partition(".")[0] != expected:
            inputs.warnings.append(f"counters of compute capability {capability} under the ceilings of {kind}")


def _with_feeds(roofs: list[Roof], inputs: Inputs, machine: str) -> list[Roof]:
    """What feeds the tensor cores: shared memory as measured, else by the report's own cycles, else derived."""
    capabilities = {kernel.capability.partition(".")[0] for kernel in inputs.kernels}
    found = list(roofs)
    if "9" in capabilities:
        sheet = datasheet.find(machine.replace("-", " "))
        derived = dual_roofline.hopper_feed(roofs, sheet.sms if sheet else None, sheet.boost_hz if sheet else None)
        is_measured = derived is not None and derived.basis == "measured"
        chosen = derived if is_measured or not inputs.feeds else inputs.feeds[0]
        found += [chosen] if chosen else []
    if any("TMEM" in kernel.used for kernel in inputs.kernels):
        source = "the counter's own peak: sm__mem_tensor_cycles_active, 100 % of cycles"
        found.append(Roof(name="TMEM", kind="feed", value=1.0, unit="share", basis="derived", source=source))
    return roofline.in_order(found)


def _sheet_roofs(inputs: Inputs, gpu: str | None) -> tuple[list[Roof], str]:
    name = gpu or next((found for run in inputs.runs if (found := _gpu_name(run))), None) or _gpu_here()
    if name is None:
        raise UsageError("--sheet needs to know the GPU: add --gpu 'NVIDIA H200'")
    sheet = named_sheet(name, "measured roofs with --ceilings FILE")
    roofs = roofline.roofs_of_sheet(sheet.memory_bytes_s, sheet.flops, sheet.source)
    return _with_feeds(roofs, inputs, name), name


def _gpu_name(run: Run) -> str | None:
    place = run.machine.get("gpu")
    gpus = run.machine.get("gpus") or []
    return str(gpus[place]["name"]) if isinstance(place, int) and place < len(gpus) else None


def _gpu_here() -> str | None:
    from perfproof.machine.gpus import read_gpus

    found = read_gpus().found
    return str(found[0].details["name"]) if found else None


def _machine(inputs: Inputs) -> tuple[str, str]:
    """Fingerprint and device: those of the run, or of this machine's GPU for counters."""
    if inputs.runs:
        machine = inputs.runs[-1].machine
        return str(machine.get("fingerprint", "unknown")), str(machine.get("device", "cpu"))
    from perfproof.machine.snapshot import snapshot

    return str(snapshot("cuda:0")["fingerprint"]), "cuda:0"
