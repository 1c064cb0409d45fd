"""Correct a pasted nsys or ncu command line: what is wrong, why, and the right form.

The corrected line is stable: linting it again changes nothing. Words that are right keep their spelling, so variables
and quotes survive. What cannot be decided from the line alone is advice, and the line stays as it is.
"""

import re
from dataclasses import dataclass, field

from perfproof.core.errors import UsageError
from perfproof.profile.command_words import Command, Option, made, plain, read
from perfproof.profile.lint import ncu as lint_ncu
from perfproof.profile.lint import nsys as lint_nsys
from perfproof.profile.lint.findings import Finding, Report, raw_value
from perfproof.profile.lint.tables import known_options, rules

LONG = {"nsys": {"-s": "--sample", "-t": "--trace", "-o": "--output"}, "ncu": {"-o": "--export", "-k": "--kernel-name"}}
EXTRA = {"nsys": ("--cudabacktrace-threshold",), "ncu": ("--kernel-regex",)}  # wrong, and handled case by case
CASES = {"nsys": lint_nsys.correct, "ncu": lint_ncu.correct}


@dataclass(frozen=True)
class Linted:
    line: str
    findings: list[Finding] = field(default_factory=list)

    @property
    def wrong(self) -> bool:
        return any(finding.level == "wrong" for finding in self.findings)


def lint(text: str, chip: str | None = None) -> Linted:
    """Each command of the text, corrected. Metrics are held against a chip, or against any where none is given.

    UsageError where no line is the profilers' and nothing is known about any: "right" would be no answer.
    """
    lines, findings = [], []
    for line in text.replace("\\\n", " ").split("\n"):
        corrected, report = _line(line, chip)
        lines.append(corrected)
        findings += report.findings
    if not any(_read(line).tool for line in lines):
        if not findings:
            raise UsageError(f"there is no nsys or ncu in {text.strip()[:60]!r}: paste the profiler's whole line")
        findings.append(Finding("advice", text.strip()[:60], "there is no nsys or ncu in it", ""))
    return Linted("\n".join(lines), findings)


def _line(line: str, chip: str | None) -> tuple[str, Report]:
    report = Report()
    _elsewhere(line, report)
    command = _read(line)
    if not command.tool:
        return line, report
    _tool_itself(command, report)
    if command.tool == "nsys" and command.verb != "profile":
        return command.line(), report
    _by_table(command, report)
    CASES[command.tool](command, chip, report)
    _unknown_options(command, report)
    _interpreter(command, report)
    return command.line(), report


def _read(line: str) -> Command:
    """First with the options of both tools, to learn which it is; then with those of that tool."""
    tool = read(line, (), ()).tool
    if not tool:
        return Command([], "")
    known = known_options()[tool]
    wrong = rules()[tool]
    everything = {*known["known"], *wrong["gone"], *wrong["renamed"], *EXTRA[tool]}
    return read(line, frozenset(known["switches"]), everything)


def _elsewhere(line: str, report: Report) -> None:
    for pattern, rule in rules()["elsewhere"].items():
        match = re.search(pattern, line)
        if match:
            report.advise(match[0], rule["why"], rule["right"])


def _tool_itself(command: Command, report: Report) -> None:
    if plain(command.spelt).endswith("nv-nsight-cu-cli"):
        report.wrong(command.spelt, "the name of ncu until 2020", "ncu")
        command.spelt = "ncu"
    first = command.options[0].name if command.options else ""
    if command.tool == "nsys" and command.verb is None and first not in ("", "--help", "-h", "--version", "-v"):
        report.wrong(f"{command.spelt} {first}", "nsys needs a command before its options", "nsys profile")
        command.verb = "profile"


def _by_table(command: Command, report: Report) -> None:
    """What does not exist is dropped, what has another name is renamed, in the order of the line."""
    table = rules()[command.tool]
    kept = []
    for option in command.options:
        name = LONG[command.tool].get(option.name, option.name)
        renamed = table["renamed"].get(option.name)
        changed = table.get("values", {}).get(name, {}).get(option.value)
        if option.name in table["gone"]:
            report.wrong(option.text, table["gone"][option.name], "")
        elif renamed:
            kept.append(_renamed(option, renamed["to"]))
            report.wrong(option.text, renamed["why"], kept[-1].text)
        elif changed:
            kept.append(made(option.name, changed["to"]))
            report.wrong(option.text, changed["why"], kept[-1].text)
        else:
            kept.append(option)
    command.options = kept


def _renamed(option: Option, name: str) -> Option:
    """Under another name, with the value as it was spelt."""
    if option.value is None:
        return Option(name, None, [name])
    return Option(name, option.value, [f"{name}={raw_value(option)}"])


def _unknown_options(command: Command, report: Report) -> None:
    known = known_options()[command.tool]
    for option in command.options:
        if option.name not in known["known"] and option.name not in known["switches"]:
            asked = "nsys profile --help" if command.tool == "nsys" else "ncu --help"
            report.advise(option.name, f"not an option that is known here; `{asked}` says what your version takes", "")


def _interpreter(command: Command, report: Report) -> None:
    """`ncu script.py` would execute the script itself."""
    at = 1 if command.program[:1] == ["--"] else 0
    if len(command.program) > at:
        script = plain(command.program[at])
        if script.endswith(".py") and "/" not in script:
            report.wrong(script, "a script is no program: it needs its interpreter", f"python {script}")
            command.program.insert(at, "python")
