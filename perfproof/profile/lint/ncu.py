"""Corrections of ncu's command line that need more than a table."""

import shlex

from perfproof.core.errors import UsageError
from perfproof.profile.command_words import Command, Option, made, plain
from perfproof.profile.lint.findings import Report, raw_value
from perfproof.profile.lint.nsys import RANKS
from perfproof.profile.manifest.counters import counters
from perfproof.profile.manifest.names import ROLLUPS, SHARES, check_everywhere, known_aliases, resolve, split

EXPORT = ("-o", "--export")
NO_CHIP = "GH100"  # whose names an alias gets where no chip is given


def correct(command: Command, chip: str | None, report: Report) -> None:
    changed: list[Option] = []
    for option in command.options:
        changed += _corrected(option, command, chip, report)
    command.options = changed
    _advise(command, report)


def _corrected(option: Option, command: Command, chip: str | None, report: Report) -> list[Option]:
    if option.name == "--mode" and option.value == "launch":
        report.wrong(option.text, "starts the program suspended, and waits for ever for another ncu to attach", "")
        return []
    if option.name == "--target-processes" and option.value not in (None, "all", "application-only"):
        return _target(option, command, report)
    if option.name == "--kernel-regex" and option.value is not None:
        return _said(option, "an option of nv-nsight-cu-cli of 2019", [_kernel(option)], report)
    if option.name == "--warp-sampling-interval" and option.value is not None:
        return _interval(option, option.value, report)
    if option.name in EXPORT and option.value == "csv":
        return _csv(option, command, report)
    if option.name == "--metrics" and option.value:
        return _metrics(option, option.value, chip, report)
    return [option]


def _said(option: Option, why: str, right: list[Option], report: Report) -> list[Option]:
    report.wrong(option.text, why, " ".join(one.text for one in right))
    return right


def _target(option: Option, command: Command, report: Report) -> list[Option]:
    right = [made("--target-processes", "all")]
    if not any(one.name == "--target-processes-filter" for one in command.options):
        expression = f"regex:{raw_value(option)}"
        right.append(Option("--target-processes-filter", expression, ["--target-processes-filter", expression]))
    return _said(option, "it takes all or application-only; names of processes go into the filter", right, report)


def _kernel(option: Option) -> Option:
    spelt = raw_value(option)
    if spelt == plain(spelt):  # unquoted: a shell could take it for a pattern of file names
        spelt = shlex.quote(spelt) if "$" not in spelt else spelt
    return Option("-k", f"regex:{option.value}", ["-k", f"regex:{spelt}"])


def _interval(option: Option, value: str, report: Report) -> list[Option]:
    small = value.isdecimal() and len(value) < 3 and int(value) <= 31
    if value == "auto" or small or "$" in value:
        return [option]
    why = "the interval is auto or an exponent from 0 to 31: 2^(5 + it) cycles"
    return _said(option, why, [made(option.name, "auto")], report)


def _csv(option: Option, command: Command, report: Report) -> list[Option]:
    """Somebody wanted a table: --export takes the name of a report."""
    names = {one.name for one in command.options}
    other = [one for one in command.options if one.name in EXPORT and one.value not in (None, "csv")]
    right = [] if "--csv" in names else [made("--csv")]
    right += [] if "--page" in names else [made("--page", "raw")]
    if "--log-file" not in names:
        log = f"{raw_value(other[0])}.csv" if other else "ncu.csv"
        right.append(Option("--log-file", log, ["--log-file", log]))
    return _said(option, "--export is -o, the name of the report: this makes a file called csv", right, report)


def _metrics(option: Option, value: str, chip: str | None, report: Report) -> list[Option]:
    names: dict[str, None] = {}
    for name in value.split(","):
        if split(name)[0] in known_aliases():
            resolved = resolve(name, chip or NO_CHIP)
            names.update(dict.fromkeys(resolved.metrics))
            report.wrong(name, resolved.note, ",".join(resolved.metrics))
            continue
        right = name if ":" in name or "$" in name else _of_peak(name, report)
        names[right] = None
        problem = "" if not right or ":" in right or "$" in right else _problem(right, chip)
        if problem:
            report.advise(right, problem, "")
    joined = ",".join(names)
    return [option] if joined == value else [made(option.name, joined)]


def _of_peak(name: str, report: Report) -> str:
    """A throughput is a share of its peak and nothing else: whatever else was asked of it, that was meant."""
    base, suffix = split(name)
    counter = counters().get(base)
    rollup, _, ending = suffix.partition(".")
    if counter is None or counter.kind != "throughput" or not suffix or (rollup in ROLLUPS and ending in SHARES):
        return name
    span = "active" if suffix.endswith("active") else "elapsed"
    right = f"{base}.{rollup if rollup in ROLLUPS else 'avg'}.pct_of_peak_sustained_{span}"
    report.wrong(name, "a throughput comes as a share of its peak only", right)
    return right


def _problem(name: str, chip: str | None) -> str:
    if chip is None:
        return check_everywhere(name)
    try:
        resolve(name, chip)
    except UsageError as error:
        return str(error)
    return ""


def _advise(command: Command, report: Report) -> None:
    for option in command.options:
        if option.name == "--set" and option.value == "full":
            why = "every kernel runs some 37 times over: add -k and -c, or collect what you need"
            report.advise(option.text, why, "perfproof profile --metrics quick")
    if any(plain(word).rpartition("/")[2] in RANKS for word in command.program):
        why = "kernels are replayed one at a time: NCCL's wait for ever for the other ranks"
        report.advise("several ranks", why, "-k regex:'^(?!.*nccl)', and nsys for communication")
