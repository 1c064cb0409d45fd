"""What a bundle has to say, as headed tables: the reports and `triage show` are three ways to print these."""

from dataclasses import dataclass
from statistics import median
from typing import Any

from perfproof.core.units import binary_bytes, percent, seconds
from perfproof.triage.opening import Bundle
from perfproof.triage.verdicts import fails, filled_in, worthwhile

MOST_FINDINGS = 8


@dataclass(frozen=True)
class Table:
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    aside: bool = False  # for whoever wants to know it exactly: a page keeps it folded, a terminal leaves it out


def headline(bundle: Bundle) -> list[str]:
    """The first lines of everything that is printed."""
    manifest = bundle.manifest
    lines = [f"{manifest.started}, {manifest.seconds:.0f} s, {manifest.state}, perfproof {manifest.perfproof_version}"]
    if manifest.goal or manifest.kpi:
        lines.append(
            "; ".join(part for part in (f"goal: {manifest.goal}", f"KPI: {manifest.kpi}") if part[-2:] != ": ")
        )
    lines.append(
        f"command: {' '.join(manifest.command)}" if manifest.command else "snapshots only: no command was given"
    )
    hidden = sum(manifest.redactions.values())
    lines.append(f"redacted: {hidden} replacements" if manifest.redacted else "NOT redacted: not for sharing")
    return lines


def tables(bundle: Bundle) -> list[Table]:
    """What was found, then the machine, then how it was collected; the verdicts stand before all of them."""
    candidates = (findings, timing, compiler, machine, use, profilers, steps)
    return [table for table in (make(bundle) for make in candidates) if table.rows]


def findings(bundle: Bundle) -> Table:
    found = [] if fails(bundle) else worthwhile(bundle)
    rows = tuple(
        (
            str(one.get("title", "?")),
            percent(one["share"]) if isinstance(one.get("share"), float) else "not known",
            str(one.get("confidence", "?")),
            str(one.get("advice", "")),
            filled_in(str(one.get("experiment", "")), bundle.manifest.command),
        )
        for one in found[:MOST_FINDINGS]
    )
    note = f"{len(found) - MOST_FINDINGS} more in parsed/diagnosis.json" if len(found) > MOST_FINDINGS else ""
    head = ("bottleneck", "could save at most", "confidence", "what to change", "next experiment")
    return Table("Bottlenecks", head, rows, note)


def timing(bundle: Bundle) -> Table:
    found = bundle.document("timing")
    rows = [
        (
            str(number),
            seconds(run["seconds"]),
            seconds(run["cpu_seconds"]),
            binary_bytes(run["peak_bytes"]),
            "ended by us" if run["late"] else str(run["exit_code"]),
            ", ".join(f"{name} {value:.4g}" for name, value in run["metrics"].items()) or "–",
        )
        for number, run in enumerate(found.get("runs", []), 1)
    ]
    note = ""
    walls = [run["seconds"] for run in found.get("runs", []) if not run["late"]]
    if len(walls) > 1:
        note = f"wall time: median {seconds(median(walls))}, {seconds(min(walls))} to {seconds(max(walls))}"
    return Table("The command, unprofiled", ("run", "wall", "CPU", "peak memory", "exit", "metrics"), tuple(rows), note)


def compiler(bundle: Bundle) -> Table:
    events = bundle.document("compile").get("events", [])
    rows = tuple((str(one["kind"]), str(one["count"]), str(one["where"]), str(one["reason"])) for one in events)
    return Table("torch.compile", ("what", "times", "where", "why"), rows[:MOST_FINDINGS])


def machine(bundle: Bundle) -> Table:
    host, cpu = bundle.document("host"), bundle.document("cpu").get("cpu", {})
    memory, software = bundle.document("cpu").get("memory", {}), bundle.document("software").get("versions", {})
    rows: list[tuple[str, str]] = []
    if host:
        rows += [("system", f"{host.get('distribution')}; {host.get('kernel')}")]
        rows += [("runs in", _surroundings(host.get("virtual_machine"), host.get("container")))]
    if cpu:
        rows += [("CPU", f"{cpu.get('model')}, {cpu.get('cores_physical')} cores, {cpu.get('cores_logical')} logical")]
    if isinstance(memory.get("total_bytes"), int):
        rows += [("memory", binary_bytes(memory["total_bytes"]))]
    for gpu in bundle.document("gpu").get("gpus", []):
        rows += [(f"GPU {gpu.get('index')}", _gpu(gpu, bundle.document("gpu").get("driver")))]
    step = bundle.manifest.step("gpu")
    if step is not None and step.status == "absent":
        rows += [("GPU", f"none: {step.why}")]
    rows += [(name, str(software[name])) for name in ("python", "torch", "torch_cuda", "triton") if name in software]
    return Table("The machine", ("what", "value"), tuple(rows))


def _surroundings(virtual: Any, container: Any) -> str:
    if isinstance(virtual, str):
        machine = virtual if virtual.startswith("unknown") else f"a virtual machine ({virtual})"
    else:
        machine = "a virtual machine" if virtual else "no virtual machine"
    return f"{machine}, {'a container' if container is True else 'no container'}"


def _gpu(gpu: dict[str, Any], driver: Any) -> str:
    """PCIe lanes now and at most: an idle GPU lowers the generation, never the lanes."""
    said = f"{gpu.get('name')}, driver {driver}"
    now, most = gpu.get("pcie_width"), gpu.get("pcie_width_max")
    return f"{said}, PCIe x{now} of x{most}" if isinstance(now, int) and isinstance(most, int) else said


def use(bundle: Bundle) -> Table:
    rows = tuple(
        (
            str(row["resource"]),
            _share(row["utilisation"]),
            _counted(row["saturation"], row["waits"]),
            _counted(row["errors"], row["faults"]),
        )
        for row in bundle.document("use").get("rows", [])
    )
    return Table("Resources, before any command", ("resource", "utilisation", "saturation", "errors"), rows)


def profilers(bundle: Bundle) -> Table:
    rows = tuple(
        (str(row["name"]), str(row["state"]), str(row.get("why", "")), str(row.get("fix", "")))
        for row in bundle.document("can").get("rows", [])
        if row.get("group") in ("profilers", "counters")
    )
    return Table("Profilers and counters", ("what", "state", "why", "the line that fixes it"), rows, aside=True)


def steps(bundle: Bundle) -> Table:
    rows = tuple(
        (
            step.name,
            step.status,
            f"{step.seconds:.1f} of {step.deadline_seconds:.0f} s",
            step.why,
            _asked(step.commands),
        )
        for step in bundle.manifest.steps
    )
    head = ("step", "status", "time", "why", "what was asked and not answered")
    return Table("How it was collected", head, rows, aside=True)


def _asked(commands: list[Any]) -> str:
    missing = [f"{' '.join(command.arguments[:3])}: {command.status}" for command in commands if command.status != "ok"]
    return "; ".join(missing)


def _share(value: Any) -> str:
    return percent(value, 0) if isinstance(value, float) else str(value)


def _counted(value: Any, what: str) -> str:
    """What is counted is said where there is something to count."""
    return f"{_number(value)} ({what})" if isinstance(value, (int, float)) and value else _number(value)


def _number(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
