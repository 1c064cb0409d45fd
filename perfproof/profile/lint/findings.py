"""What the linter found, and the raw text of an option's value."""

import shlex
from dataclasses import dataclass, field

from perfproof.profile.command_words import Option


@dataclass(frozen=True)
class Finding:
    level: str  # "wrong": the line was changed; "advice": it was not
    what: str
    why: str
    right: str  # empty: dropped


@dataclass
class Report:
    findings: list[Finding] = field(default_factory=list)

    def wrong(self, what: str, why: str, right: str) -> None:
        self.findings.append(Finding("wrong", what, why, right))

    def advise(self, what: str, why: str, right: str) -> None:
        self.findings.append(Finding("advice", what, why, right))


def raw_value(option: Option) -> str:
    """As it was spelt, so that `$OUT` stays a variable."""
    if option.value is None:
        return ""
    if len(option.raw) == 2:
        return option.raw[1]
    for start in (f"{option.name}=", option.name):
        if option.raw[0].startswith(start):
            return option.raw[0].removeprefix(start)
    return shlex.quote(option.value)
