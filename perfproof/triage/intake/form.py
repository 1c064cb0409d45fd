"""The empty page: every field with what it means, and what this machine can tell about itself already filled in."""

from collections.abc import Iterator
from typing import Any

import yaml
from pydantic import BaseModel

from perfproof.core.hardware import Hardware
from perfproof.core.intake import Intake

HEAD = """\
# Performance intake: one page. Fill in what you know, leave the rest empty; then `perfproof intake check FILE`.
# Quantities carry their unit: "200 ms", "141 GB", "1.5 GB/s", "3000 tokens/s", "0.5 %".
"""
TITLES = {
    "goal": "what should become better",
    "workload": "the shape of the work",
    "slos": "what must hold, p50 and p99",
    "hardware": "where it runs",
    "software": "what runs it",
    "baseline": "what is measured today",
    "constraints": "what must not change or become worse",
    "budget": "what the work may cost",
}
COMMENT_AT = 34
# A form that is whole: serving a model of 8 billion parameters, with figures of nobody's system.
EXAMPLE: dict[str, dict[str, Any]] = {
    "goal": dict(
        summary="Answer chat requests on half the GPUs.", kind="inference", kpi="tokens/s/GPU", target="6000 tokens/s"
    ),
    "workload": dict(
        model="llama-3.1-8b", weights_dtype="bf16", prompt_tokens=1024, output_tokens=256, batch=64, concurrency=64
    ),
    "slos": dict(ttft_p50="150 ms", ttft_p99="500 ms", tpot_p50="15 ms", tpot_p99="25 ms", error_rate="0.1 %"),
    "hardware": dict(gpu="H200 SXM", gpus_per_node=8, nodes=1, gpu_memory="141 GB", gpu_links="NVLink"),
    "software": dict(engine="own code", tensor_parallel=1, data_parallel=8),
    "baseline": dict(
        command="python serve.py --requests requests.csv", measured="3 runs of 10 min", ttft_p50="220 ms",
        ttft_p99="900 ms", tpot_p50="21 ms", tpot_p99="40 ms", throughput="24000 tokens/s", gpu_power="520 W",
        goodput="71 %", symptoms=["launch-bound", "memory-bound"],
    ),
    "constraints": dict(quality="exact match on 500 prompts", quality_loss="0.5 %", guardrails=["ttft_p99"]),
    "budget": dict(time="5 d", gpu_hours=100, gpu_hour="2.5 $/h"),
}  # fmt: skip


def new_form(hardware: Hardware | None) -> str:
    """The page for this machine; without a machine, with nothing filled in."""
    return _page(_seen(hardware) if hardware is not None else {})


def example_form() -> str:
    return _page(EXAMPLE)


def _page(filled: dict[str, dict[str, Any]]) -> str:
    lines = [HEAD + "schema_version: 1"]
    for name, title in TITLES.items():
        section = Intake.model_fields[name].annotation
        assert isinstance(section, type) and issubclass(section, BaseModel)
        lines += ["", f"{name}:".ljust(COMMENT_AT) + f"# {title}"]
        lines += _lines(section, filled.get(name, {}))
    return "\n".join(lines) + "\n"


def _lines(section: type[BaseModel], filled: dict[str, Any]) -> Iterator[str]:
    for field, info in section.model_fields.items():
        value = filled.get(field)
        line = f"  {field}:" + (f" {_written(value)}" if value not in (None, [], {}) else "")
        yield f"{line.ljust(COMMENT_AT - 1)} # {info.description}" if info.description else line


def _written(value: Any) -> str:
    """On one line, quoted where YAML would read something else."""
    text = yaml.safe_dump(value, default_flow_style=True, width=10_000, allow_unicode=True)
    return text.removesuffix("...\n").strip()


def _seen(hardware: Hardware) -> dict[str, dict[str, Any]]:
    """What the machine says; what it could not read stays empty."""
    software = {name: value for name, value in hardware.software.items() if _is_known(value)}
    wanted = ("driver", "driver_cuda", "python", "torch", "triton", "nccl")
    versions = {name: str(software[name]) for name in wanted if name in software}
    machine: dict[str, Any] = {
        "gpus_per_node": len(hardware.gpus),
        "nodes": 1,
        "cpu": f"{hardware.cpu.model}, {hardware.cpu.cores_physical} cores",
        "host_memory": _gigabytes(hardware.memory.total_bytes),
        "storage": f"{hardware.folder.type} in this folder" if _is_known(hardware.folder.type) else None,
    }
    if hardware.gpus:
        first = hardware.gpus[0]
        active = first.nvlink.active
        linked = isinstance(active, int) and active > 0
        machine |= {"gpu": first.name, "gpu_memory": _gigabytes(first.memory_bytes)}
        machine |= {"gpu_links": f"NVLink, {active} links" if linked else "PCIe"}
    return {"hardware": machine, "software": {"versions": versions}}


def _is_known(value: Any) -> bool:
    return bool(value) and not str(value).startswith(("unknown", "absent"))


def _gigabytes(size: int | str) -> str | None:
    return None if isinstance(size, str) else f"{size / 1e9:.0f} GB"
