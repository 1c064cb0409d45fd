"""No profiler at all: the command runs as it is, and NVML and the host are sampled beside it."""

from perfproof.core.doctor import Finding
from perfproof.profile.plans import Gathered, Plan, Ran, Work
from perfproof.profile.reading import read

NAME = "telemetry"


def works(work: Work) -> Finding:
    return Finding(name=NAME, state="works", why="clocks, power, memory and the host, 20 times a second")


def plan(work: Work, found: Finding) -> Plan:
    return Plan(work.command, recorded=("telemetry",))


def gather(work: Work, ran: Ran) -> Gathered:
    series = work.file(".telemetry.jsonl")
    if not series.is_file():
        return Gathered(failed="the sampler wrote nothing")
    events = read(series)
    return Gathered(events, main_files=[series], unknown=dict(events.unknown), notes=list(events.warnings))
