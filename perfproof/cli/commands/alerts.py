"""Print alert rules for Prometheus, or test them on recorded metrics.

\b
perfproof alerts > perfproof-alerts.yml              rules for `perfproof serve` and for vLLM's metric names
perfproof alerts scrapes/*.txt                       recorded /metrics responses, oldest first, 15 seconds apart
perfproof alerts scrapes/*.txt --every 5s            recorded every five seconds
perfproof alerts scrapes/*.txt --rules mine.yml      rules of your own

The rules watch a growing queue, a full cache, preemptions, errors and GPUs that are throttled by heat.
Exit code: 0 if no rule fires, 1 if one does.
"""

from pathlib import Path
from typing import Annotated

from perfproof.cli.values import argument, option

PLACE = "Serve 3"  # in perfproof --help


def command(
    scrapes: Annotated[
        list[Path] | None, argument("[FILES]", "Recorded /metrics responses to test the rules on, oldest first.")
    ] = None,
    every: Annotated[str, option("--every TIME", "Time between two recorded files.")] = "15s",
    rules: Annotated[
        Path | None, option("--rules FILE", "Prometheus rule file. [default: the rules that perfproof ships]")
    ] = None,
    json: Annotated[bool, option("--json", "Print the alerts that fire as JSON, and nothing else.")] = False,
) -> int:
    from perfproof.cli import values
    from perfproof.core.errors import UsageError
    from perfproof.engine.server.alerts import RULES, alarms, read_rules, read_scrapes

    if not scrapes:
        if rules or json:
            raise UsageError("--rules and --json need recorded metrics: perfproof alerts scrapes/*.txt")
        print(RULES.read_text(), end="")
        return 0
    seconds = values.parse_duration(every, "--every")
    found = alarms(read_rules(rules or RULES), read_scrapes(scrapes, seconds))
    if json:
        from json import dumps

        print(dumps({"alarms": [one.document for one in found]}, indent=2))
    else:
        for one in found:
            print(f"{one.at:g} s  {one.rule.severity or 'alert'}  {one}\n    {one.rule.description}")
        print(f"{len(scrapes)} readings, {len(found)} alert{'s' if len(found) != 1 else ''}")
    return 1 if found else 0
