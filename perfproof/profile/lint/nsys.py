"""Corrections of `nsys profile` that need more than a table."""

import re

from perfproof.profile.command_words import Command, made, plain
from perfproof.profile.lint.findings import Report
from perfproof.profile.lint.tables import known_options, rules

TRACE = ("-t", "--trace")
RANKS = ("torchrun", "mpirun", "mpiexec", "deepspeed", "accelerate")
NANOSECONDS = "10000"  # a backtrace of every call would cost more than it shows


def correct(command: Command, _chip: str | None, report: Report) -> None:
    _backtrace(command, report)
    _traces(command, report)
    _ranks(command, report)


def _backtrace(command: Command, report: Report) -> None:
    """`true` and a threshold of its own became kinds with a threshold each."""
    found = [option for option in command.options if option.name == "--cudabacktrace-threshold"]
    given = found[-1].value if found else None
    at_least = given if given and re.fullmatch("[1-9][0-9]{0,11}", given) else NANOSECONDS
    for option in found:
        report.wrong(option.text, "the threshold is part of --cudabacktrace, in nanoseconds after a colon", "")
        command.options.remove(option)
    for at, option in enumerate(command.options):
        if option.name == "--cudabacktrace" and option.value in ("true", "false"):
            right = f"kernel:{at_least},sync:{at_least}" if option.value == "true" else "none"
            command.options[at] = made(option.name, right)
            report.wrong(option.text, "it takes kinds of calls, and needs CPU sampling", command.options[at].text)


def _traces(command: Command, report: Report) -> None:
    metrics, not_traces = False, rules()["nsys"]["traces"]
    for at, option in enumerate(command.options):
        if option.name not in TRACE or option.value is None:
            continue
        values = option.value.split(",")
        good = [value for value in values if value not in not_traces] or ["cuda"]
        if good != values:
            command.options[at] = made(option.name, ",".join(dict.fromkeys(good)))
            for value in dict.fromkeys(value for value in values if value in not_traces):
                report.wrong(f"{option.name} {value}", not_traces[value], command.options[at].text)
            metrics = metrics or "nvlink" in values
        _advise_traces(good, report)
    if metrics and not any(option.name == "--gpu-metrics-devices" for option in command.options):
        command.options.append(made("--gpu-metrics-devices", "all"))


def _advise_traces(values: list[str], report: Report) -> None:
    for value in values:
        if value == "nccl":
            report.advise("nccl", "a trace from nsys 2025.6.1 and NCCL 2.28 on; before, NCCL shows through nvtx", "")
        elif value not in known_options()["nsys"]["trace"] and "$" not in value:
            report.advise(value, "not a trace that is known here; `nsys profile --help` lists them", "")


def _ranks(command: Command, report: Report) -> None:
    launcher = next((plain(word) for word in command.program if plain(word).rpartition("/")[2] in RANKS), "")
    if launcher.endswith("torchrun"):
        right = "torchrun --no-python … nsys profile -o r%q{RANK} python your_script.py"
        report.advise(launcher, "ranks other than the first may go untraced: put nsys around each rank", right)
