"""`perfproof ab` of two servers: the options that have a meaning there, and what is printed."""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from perfproof.core.errors import UsageError

if TYPE_CHECKING:
    from perfproof.app.load.asked import Asked

OF_SERVERS = ("rate", "users", "workload", "duration")
TAKEN = (*OF_SERVERS, "targets", "a", "b", "judge", "gate", "artifacts_dir", "json", "format", "quiet", "output_file")
FORMATS = ("table", "json", "html", "junit")


@dataclass(frozen=True)
class Traffic:
    """What is sent; None is the default of `perfproof load`."""

    rate: str | None
    users: int | None
    workload: str | None
    duration: str | None


def refuse_other_options(ctx: typer.Context, servers: bool) -> None:
    """Options of servers need servers, and all others need programs or pairs."""
    for parameter in ctx.command.params:
        name = parameter.name or ""
        given = getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE"
        if given and not servers and name in OF_SERVERS:
            example = "http://a:8000 http://b:8000, or 'serve --demo' 'serve --demo --no-graphs'"
            raise UsageError(f"{parameter.opts[0]} is for two servers: write {example}")
        if given and servers and name not in TAKEN:
            from perfproof.app.ab.servers import MORE

            raise UsageError(f"{parameter.opts[0]} means nothing for servers: leave it out; {MORE}")


def compare_servers(ctx: typer.Context, servers: tuple[str, str], traffic: Traffic) -> int:
    from perfproof.app.ab.servers import decide, judged_by
    from perfproof.app.load.against import run_against
    from perfproof.cli.output import further_files
    from perfproof.cli.show.load import show_load, to_stderr

    refuse_other_options(ctx, servers=True)
    if further_files():
        raise UsageError("-o is given twice: a comparison of servers is written to one file; leave the others out")
    given = ctx.params
    judge_is_given = getattr(ctx.get_parameter_source("judge"), "name", "") == "COMMANDLINE"
    judged = judged_by(given["judge"] if judge_is_given else None)
    if judge_is_given and not given["gate"]:
        raise UsageError("--judge chooses what --gate goes by: add --gate; every metric of two servers is shown anyway")
    chosen = "json" if given["json"] else given["format"]
    if chosen not in FORMATS:
        raise UsageError(f"--format {chosen} is not for servers: choose {', '.join(FORMATS)}")
    asked = _asked(servers, traffic, given["artifacts_dir"])
    done = run_against(asked, (lambda text: None) if given["quiet"] or chosen == "json" else to_stderr)
    if not given["gate"]:
        return show_load(done, chosen, None, given["quiet"])
    word, line = decide(done, judged)
    code = show_load(done, chosen, None, given["quiet"], judged, (word, line))
    print(line, file=sys.stderr)
    return code or int(word == "fail")


def _asked(servers: tuple[str, str], traffic: Traffic, artifacts_dir: str) -> "Asked":
    from perfproof.app.load.asked import Asked
    from perfproof.cli.values import parse_positive_duration
    from perfproof.load.arrivals import parse_arrivals

    if traffic.rate is not None and traffic.users is not None:
        raise UsageError("--users and --rate: choose one; each decides when requests are sent")
    return Asked(
        url=servers[0],
        against=servers[1],
        workload=traffic.workload or Asked.workload,
        arrivals=parse_arrivals("poisson", traffic.rate or "1"),
        users=traffic.users,
        seconds=parse_positive_duration(traffic.duration, "--duration") if traffic.duration else Asked.seconds,
        artifacts_dir=artifacts_dir,
    )
