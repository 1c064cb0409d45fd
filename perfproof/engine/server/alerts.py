"""Alert rules as data, and which of them would fire on recorded scrapes of /metrics."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from perfproof.core.errors import DocumentError
from perfproof.engine.server.alert_expression import SECONDS, Labels, Reading, evaluate, read_metrics

RULES = Path(__file__).with_name("alert_rules.yml")


@dataclass(frozen=True)
class Rule:
    name: str
    expression: str
    for_seconds: float
    severity: str
    description: str


@dataclass(frozen=True)
class Alarm:
    rule: Rule
    labels: Labels
    at: float  # seconds of the reading at which the rule had held for long enough
    value: float

    def __str__(self) -> str:
        where = ", ".join(f"{name}={text}" for name, text in self.labels)
        return f"{self.rule.name}{f' ({where})' if where else ''}: {self.value:.4g} in {self.rule.expression}"

    @property
    def document(self) -> dict[str, Any]:
        return {
            "alert": self.rule.name,
            "severity": self.rule.severity,
            "labels": dict(self.labels),
            "seconds": self.at,
            "value": self.value,
        }


def read_scrapes(paths: Sequence[Path], every: float) -> list[Reading]:
    readings = []
    for place, path in enumerate(paths):
        try:
            readings.append(read_metrics(path.read_text(errors="replace"), place * every))
        except OSError as error:
            raise DocumentError(f"{path}: {error.strerror or error}") from None
        except DocumentError as error:
            raise DocumentError(f"{path}: {error}") from None
    return readings


def read_rules(path: Path = RULES) -> list[Rule]:
    """All rules of a Prometheus file; DocumentError if it has another form."""
    try:
        groups = yaml.safe_load(path.read_text())["groups"]
        return [_rule(one) for group in groups for one in group["rules"]]
    except OSError as error:
        raise DocumentError(f"{path}: {error.strerror or error}") from None
    except (yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise DocumentError(f"{path} is no file of alert rules ({' '.join(str(error).split())})") from None


def _rule(written: dict[str, Any]) -> Rule:
    wait = str(written.get("for", "0s"))
    return Rule(
        name=written["alert"],
        expression=" ".join(written["expr"].split()),
        for_seconds=float(wait[:-1]) * SECONDS[wait[-1]],
        severity=written.get("labels", {}).get("severity", ""),
        description=written.get("annotations", {}).get("description", ""),
    )


def alarms(rules: Sequence[Rule], readings: Sequence[Reading]) -> list[Alarm]:
    """In the order in which they begin. A rule that holds at every reading for its `for` time fires once."""
    found: list[Alarm] = []
    for rule in rules:
        since: dict[Labels, float] = {}
        fired: set[Labels] = set()
        for place, (now, _) in enumerate(readings):
            value = evaluate(rule.expression, list(readings[: place + 1]), now)
            if isinstance(value, float):
                raise DocumentError(f"alert {rule.name}: the expression is a number and compares nothing")
            since = {labels: since.get(labels, now) for labels in value}
            fired &= since.keys()
            for labels, began in since.items():
                if labels not in fired and now - began >= rule.for_seconds:
                    fired.add(labels)
                    found.append(Alarm(rule, labels, now, value[labels]))
    return sorted(found, key=lambda one: one.at)
