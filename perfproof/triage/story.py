"""What a bundle has to say, as headed tables: the reports and `triage show` are three ways to print these."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

from perfproof.core.units import binary_bytes, percent, seconds
from perfproof.triage.opening import Bundle

MOST_FINDINGS = 8


@dataclass(frozen=True)
class Table:
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


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
    """What warns first, then what was found, then the machine, then how it was collected."""
    candidates = (warnings, findings, timing, compiler, machine, use, profilers, steps)
    return [table for table in (make(bundle) for make in candidates) if table.rows]


def warnings(bundle: Bundle) -> Table:
    checks = [one for one in bundle.document("health").get("checks", []) if one.get("result") == "fail"]
    rows = [(f"{one['severity']}: {one['part']}", _symptom(one)) for one in checks]
    rows += [(row["resource"], row["warning"]) for row in bundle.document("use").get("rows", []) if row.get("warning")]
    rows += [("kernel log", line) for line in bundle.document("checklist").get("kernel_news", [])[-5:]]
    rows += [(name, text) for gpu in bundle.document("gpu").get("gpus", []) for name, text in _gpu_warnings(gpu)]
    for step in bundle.manifest.steps:
        if step.status in ("timed out", "failed", "denied"):
            rows.append((step.name, f"{step.status}: {step.why}"))
    rows += [(name, why) for name, why in bundle.manifest.left_out.items()]
    return Table("Look at this first", ("where", "what"), tuple(rows))


def _symptom(check: dict[str, Any]) -> str:
    return f"{check['name']} is {check['seen']}, expected {check['expected']}; {check['advice']}"


def _gpu_warnings(gpu: dict[str, Any]) -> Iterator[tuple[str, str]]:
    name = f"GPU {gpu.get('index', '?')}"
    for now, most, what in (
        ("pcie_width", "pcie_width_max", "PCIe lanes"),
        ("pcie_generation", "pcie_generation_max", "PCIe generation (idle GPUs lower it)"),
    ):
        a, b = gpu.get(now), gpu.get(most)
        if isinstance(a, int) and isinstance(b, int) and a < b:
            yield name, f"{what}: {a} of {b}"
    health = gpu.get("health", {})
    for key in ("ecc_uncorrected", "retired_pages", "pcie_replays"):
        if isinstance(health.get(key), int) and health[key]:
            yield name, f"{key.replace('_', ' ')}: {health[key]}"
    if isinstance(health.get("nvlink_errors"), dict) and health["nvlink_errors"]:
        yield name, f"NVLink errors: {health['nvlink_errors']}"


def findings(bundle: Bundle) -> Table:
    found = bundle.document("diagnosis").get("findings", [])
    rows = tuple(
        (
            str(one.get("title", "?")),
            percent(one["share"]) if isinstance(one.get("share"), float) else "not known",
            str(one.get("confidence", "?")),
            str(one.get("advice", "")),
            str(one.get("experiment", "")),
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
        rows += [("virtual machine, container", f"{host.get('virtual_machine')}, {host.get('container')}")]
    if cpu:
        rows += [("CPU", f"{cpu.get('model')}, {cpu.get('cores_physical')} cores, {cpu.get('cores_logical')} logical")]
    if isinstance(memory.get("total_bytes"), int):
        rows += [("memory", binary_bytes(memory["total_bytes"]))]
    for gpu in bundle.document("gpu").get("gpus", []):
        rows += [(f"GPU {gpu.get('index')}", f"{gpu.get('name')}, driver {bundle.document('gpu').get('driver')}")]
    step = bundle.manifest.step("gpu")
    if step is not None and step.status == "absent":
        rows += [("GPU", f"none: {step.why}")]
    rows += [(name, str(software[name])) for name in ("python", "torch", "torch_cuda", "triton") if name in software]
    return Table("The machine", ("what", "value"), tuple(rows))


def use(bundle: Bundle) -> Table:
    rows = tuple(
        (
            str(row["resource"]),
            _share(row["utilisation"]),
            f"{_number(row['saturation'])} ({row['waits']})",
            f"{_number(row['errors'])} ({row['faults']})",
        )
        for row in bundle.document("use").get("rows", [])
    )
    return Table("Resources", ("resource", "utilisation", "saturation", "errors"), rows)


def profilers(bundle: Bundle) -> Table:
    rows = tuple(
        (str(row["name"]), str(row["state"]), str(row.get("why", "")), str(row.get("fix", "")))
        for row in bundle.document("can").get("rows", [])
        if row.get("group") in ("profilers", "counters")
    )
    return Table("Profilers and counters", ("what", "state", "why", "the line that fixes it"), rows)


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
    return Table("How it was collected", ("step", "status", "time", "why", "what was asked and not answered"), rows)


def _asked(commands: list[Any]) -> str:
    missing = [f"{' '.join(command.arguments[:3])}: {command.status}" for command in commands if command.status != "ok"]
    return "; ".join(missing)


def _share(value: Any) -> str:
    return percent(value, 0) if isinstance(value, float) else str(value)


def _number(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
