"""The one page that says what is wanted: goal and KPI, workload, SLOs, hardware, software, baseline, limits, budget.

Written by `perfproof intake new` as YAML, checked by `perfproof intake check`. A quantity is a number with its unit, as
people write it: "200 ms", "141 GB", "1.5 GB/s", "3000 tokens/s", "0.5 %", "650 W", "2.5 $/h". What is not known is left
empty.
"""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from perfproof.core.documents import Document


def _quantity(units: str, example: str) -> Any:
    """For editors: a text that is a number and one of these units."""
    return Field(pattern=rf"^\s*\d[\d_,]*(\.\d+)?([eE][+-]?\d+)?\s*({units})\s*$", examples=[example])


Time = Annotated[str, _quantity("ns|us|µs|ms|s|min|h|d", "200 ms")]
Size = Annotated[str, _quantity("[kKMGT]?i?B", "141 GB")]
Bandwidth = Annotated[str, _quantity("([kKMGT]?i?B|[kKMGT]?bit)/s", "1.5 GB/s")]
Throughput = Annotated[str, _quantity("[a-z]+/s", "3000 tokens/s")]
Share = Annotated[str, _quantity("%", "0.5 %")]
Power = Annotated[str, _quantity("k?W", "650 W")]
HourlyPrice = Annotated[str, _quantity(r"(\$|USD|€|EUR)/h", "2.5 $/h")]
EnergyPrice = Annotated[str, _quantity(r"(\$|USD|€|EUR)/kWh", "0.16 $/kWh")]
Count = Annotated[int, Field(ge=1)]

Kind = Literal["training", "inference", "both"]


class Goal(Document):
    summary: str = Field(min_length=1, description="one sentence: what should become better, for whom")
    kind: Kind = Field(description="training, inference or both")
    kpi: str = Field(min_length=1, description="the one number that decides: tokens/s/GPU, step time, $ per Mtok, ...")
    target: str | None = Field(None, description="its value when you are done")


class Workload(Document):
    model: str | None = Field(
        None, description="a shipped shape (`perfproof calc --list`) or the path of a config.json"
    )
    weights_dtype: str | None = None
    kv_dtype: str | None = None
    prompt_tokens: Count | None = Field(None, description="typical prompt, or sequence length in training")
    output_tokens: Count | None = None
    batch: Count | None = Field(None, description="sequences in a step of one replica, or of one rank in training")
    global_batch: Count | None = Field(None, description="sequences in an optimizer step of all ranks together")
    accumulation_steps: Count | None = None
    concurrency: Count | None = Field(None, description="requests in flight")
    arrivals: Throughput | None = Field(None, description="requests/s that arrive")
    notes: str | None = Field(None, description="what is not typical: long tail, bursts, shared prefixes, images")


class Slos(Document):
    """What must hold. Leave empty what nobody has promised."""

    ttft_p50: Time | None = Field(None, description="time to the first token")
    ttft_p99: Time | None = None
    tpot_p50: Time | None = Field(None, description="time for each further token")
    tpot_p99: Time | None = None
    latency_p50: Time | None = Field(None, description="of a whole request, or of a step in training")
    latency_p99: Time | None = None
    throughput: Throughput | None = Field(None, description="of all GPUs together")
    error_rate: Share | None = None


class Machine(Document):
    gpu: str | None = Field(None, description="its name: H200, H100 SXM, NVIDIA L4; none for a CPU")
    gpus_per_node: int | None = Field(None, ge=0)
    nodes: Count | None = None
    gpu_memory: Size | None = Field(None, description="of one GPU")
    gpu_links: str | None = Field(None, description="NVLink, PCIe")
    network: Bandwidth | None = Field(None, description="of one node to the others, as 50 GB/s or 400 Gbit/s")
    cpu: str | None = None
    host_memory: Size | None = None
    storage: str | None = Field(None, description="where the data lies")


class Software(Document):
    engine: str | None = Field(None, description="vLLM 0.9, Megatron, own code")
    versions: dict[str, str | None] = Field(default_factory=dict, description="driver, CUDA, torch, ...")
    tensor_parallel: Count | None = None
    pipeline_parallel: Count | None = None
    data_parallel: Count | None = None


class Baseline(Document):
    """What is measured today, the same names as in `slos`."""

    command: str | None = Field(None, description="that shows the problem in a few minutes: for perfproof triage")
    measured: str | None = Field(None, description="when, how, how many runs")
    ttft_p50: Time | None = None
    ttft_p99: Time | None = None
    tpot_p50: Time | None = None
    tpot_p99: Time | None = None
    latency_p50: Time | None = None
    latency_p99: Time | None = None
    throughput: Throughput | None = None
    gpu_memory_used: Size | None = None
    gpu_power: Power | None = Field(None, description="mean of one GPU under this load")
    goodput: Share | None = Field(None, description="requests within the SLOs, or time that is new work in training")
    gpu_utilisation: Share | None = Field(None, description="of the arithmetic (MFU), or of the time; say which above")
    symptoms: list[str] = Field(
        default_factory=list,
        description="as the menu names them: memory-bound, input-bound, ...; perfproof triage finds them",
    )


class Constraints(Document):
    quality: str | None = Field(None, description="the check that must still pass, and how it is run")
    quality_loss: Share | None = Field(None, description="that may be lost at most")
    precisions: list[str] = Field(
        default_factory=list, description="that are allowed; empty: any that passes the check"
    )
    fixed: list[str] = Field(default_factory=list, description="what must not be changed: model, hardware, API, ...")
    guardrails: list[str] = Field(default_factory=list, description="what must not become worse: p99, memory, $")


class Budget(Document):
    time: Time | None = Field(None, description="until an answer is needed")
    gpu_hours: float | None = Field(None, ge=0)
    gpu_hour: HourlyPrice | None = Field(None, description="what one GPU costs, as 2.5 $/h")
    electricity: EnergyPrice | None = Field(None, description="as 0.16 $/kWh, if you pay it apart")
    money: str | None = None
    people: str | None = None


class Intake(Document):
    schema_name: ClassVar[str] = "intake"

    schema_version: int = 1
    goal: Goal
    workload: Workload = Field(default_factory=Workload)
    slos: Slos = Field(default_factory=Slos)
    hardware: Machine = Field(default_factory=Machine)
    software: Software = Field(default_factory=Software)
    baseline: Baseline = Field(default_factory=Baseline)
    constraints: Constraints = Field(default_factory=Constraints)
    budget: Budget = Field(default_factory=Budget)
