"""Two or three experiments on the user's own program: chosen by model, GPU, SLO, precision and symptoms, best first.

Each is a command for `perfproof ab` on `baseline.command`, with the gain that the formulas predict and why.
"""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from perfproof.core.errors import PerfproofError
from perfproof.core.intake import Intake
from perfproof.machine import datasheet
from perfproof.triage.intake.described_system import System, read_gpu, read_model
from perfproof.triage.intake.plans import gpus_of, possible_plans
from perfproof.triage.intake.predicted_gains import Gain, serving_gains, training_gains, with_link

MOST = 3
LEAST_GAIN = 1.02  # what is less is hard to measure and not worth a first experiment
MOST_GPUS = 4096
NO_COMMAND = "YOUR COMMAND"
VLLM = {
    "fp8 weights": "--quantization fp8",
    "fp8 cache": "--kv-cache-dtype fp8",
    "larger batch": "--max-num-seqs {batch}",
    "speculative decoding": '--speculative-config \'{{"method": "ngram", "num_speculative_tokens": 4}}\'',
    "parallelism mix": "--tensor-parallel-size {tp} --pipeline-parallel-size {pp} --data-parallel-size {dp}",
}
ENVIRONMENT = {  # one variable is enough to see whether the collectives matter; others follow
    "NCCL environment": "NCCL_ALGO=Tree",
    "rank placement": "CUDA_VISIBLE_DEVICES={order}",
}
# What the menu shows besides pairs: goal, symptom, name, and what is compared.
MENU = (
    (
        "both",
        "communication-bound",
        "rank placement",
        "--env-b CUDA_VISIBLE_DEVICES=0,2,1,3 (see perfproof hw topology)",
    ),
    ("both", "communication-bound", "NCCL environment", "--env-b NCCL_ALGO=Tree, then NCCL_PROTO, NCCL_P2P_LEVEL"),
    ("both", "communication-bound", "parallelism mix", "--b with another TP, PP and DP: perfproof calc parallelism"),
)


@dataclass(frozen=True)
class Proposal:
    name: str
    gain: float
    is_bound: bool
    why: str
    symptoms: tuple[str, ...]
    command: str

    @property
    def words(self) -> str:
        return f"{'at most ' if self.is_bound else ''}{self.gain:.2f}x"


def propose(intake: Intake, folder: Path) -> tuple[list[Proposal], str]:
    """The experiments, the largest predicted gain first; or none, and why."""
    gpu, why_no_gpu = read_gpu(intake)
    model, why_no_model = read_model(intake, folder, [])
    gpus = gpus_of(intake)
    if gpu is None or model is None or gpus is None or gpus > MOST_GPUS:
        why = why_no_gpu or why_no_model or "the number of GPUs (hardware.gpus_per_node)"
        return [], f"no gain can be predicted: {why.partition(': ')[2] or why}"
    system = System(model, gpu, gpus, possible_plans(intake.software, gpus), intake)
    sheet = datasheet.named(gpu.name)
    system = with_link(system, sheet.link_gb_s if sheet else None)
    try:
        gains = list(training_gains(system) if intake.goal.kind == "training" else serving_gains(system))
    except PerfproofError as error:
        return [], f"no gain can be predicted: {error}"
    chosen = _chosen(gains, intake.baseline.symptoms)
    return [_proposal(gain, intake) for gain in chosen], ""


def _chosen(gains: list[Gain], symptoms: list[str]) -> list[Gain]:
    """Those that treat a symptom of the form, if any does; what is certain before what is only a bound."""
    worth = [gain for gain in gains if gain.ratio >= LEAST_GAIN]
    fitting = [gain for gain in worth if set(gain.symptoms) & set(symptoms)]
    return sorted(fitting or worth, key=lambda gain: (-gain.ratio, gain.is_bound))[:MOST]


def _proposal(gain: Gain, intake: Intake) -> Proposal:
    quality = intake.constraints.quality if "fp8" in gain.change else None
    why = f"{gain.why}; then check: {quality}" if quality else gain.why
    return Proposal(gain.change, gain.ratio, gain.is_bound, why, gain.symptoms, command_of(gain, intake))


def command_of(gain: Gain, intake: Intake) -> str:
    """An A/B of the program as it is against the same with one change."""
    program = intake.baseline.command or NO_COMMAND
    head = f"perfproof ab --a {shlex.quote(program)}"
    if gain.change in ENVIRONMENT:
        return f"{head} --env-b {ENVIRONMENT[gain.change].format(order=_order(intake))}"
    return f"{head} --b {shlex.quote(_changed(program, gain, intake))}"


def _changed(program: str, gain: Gain, intake: Intake) -> str:
    is_vllm = "vllm" in f"{intake.software.engine or ''} {program}".lower()
    if is_vllm and gain.change == "CUDA graphs":
        return (
            program.replace(" --enforce-eager", "") if "--enforce-eager" in program else f"{program} --no-enforce-eager"
        )
    if not is_vllm or gain.change not in VLLM:
        return f"{program} [your option for {_named(gain)}]"
    plan = gain.plan
    numbers = dict(batch=gain.batch, tp=plan and plan.tp, pp=plan and plan.pp, dp=plan and plan.dp)
    option = VLLM[gain.change].format(**numbers)
    for name in re.findall(r"--[a-z-]+", option):
        program = re.sub(rf"\s*{name}(=|\s+)\S+", "", program)
    return f"{program} {option}"


def _named(gain: Gain) -> str:
    if gain.plan is not None:
        return f"{gain.change}: TP {gain.plan.tp}, PP {gain.plan.pp}, DP {gain.plan.dp}"
    return f"{gain.change} {gain.batch}" if gain.batch else gain.change


def _order(intake: Intake) -> str:
    """Every second GPU first: groups of two then lie on other switches than today."""
    count = intake.hardware.gpus_per_node or 2
    return ",".join(map(str, [*range(0, count, 2), *range(1, count, 2)]))
