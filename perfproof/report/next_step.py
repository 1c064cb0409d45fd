"""The one command that makes most sense after a run: the last line of its table."""

import shlex

from perfproof.core.documents import Run, TargetResult
from perfproof.report.rows import folder_of

# Warnings to understand before a number is repeated; the others only describe how it was measured.
DOUBTS = ("W102", "W103", "W104", "W109", "W111", "W112", "W115", "W116", "W118", "W119", "W126", "W127", "W128")


def next_command(run: Run) -> str:
    where = (
        ""
        if run.options.get("artifacts_dir", "artifacts") == "artifacts"
        else f" --artifacts-dir {folder_of(run).parent}"
    )
    name = run.run.rpartition("-")[2]
    effort = run.options.get("effort", "standard")
    if run.options.get("ab"):
        return _after_ab(run)
    if run.options.get("functions"):
        return f"perfproof report run {name}{where}"  # repeated by the program that called `perfproof.compare`
    if run.state != "finished":
        return f"perfproof rerun {name}{where}"
    broken = _first(run, "crashed", "timeout", "failed-verification", "rejected")
    if broken is not None:
        return f"less {folder_of(run) / broken.log}" if broken.log else f"perfproof explain {broken.status}"
    if (refused := _first(run, "refused")) is not None:
        return f"perfproof list {refused.target}"
    undecided = [t.target for t in run.targets if any(r.verdict == "inconclusive" for r in t.ratios.values())]
    if undecided and effort != "final":
        return f"perfproof run {' '.join(undecided[:3])} --effort final{where}"
    if run.options.get("fast"):
        return " ".join(["perfproof run", *map(str, run.options.get("targets", ()))]) + where
    if effort == "quick":
        return f"perfproof rerun {name} --effort standard{where}"
    doubts = [warning.code for target in run.targets for warning in target.warnings if warning.code in DOUBTS]
    if doubts:
        return f"perfproof explain {doubts[0]}"
    if effort != "final":
        return f"perfproof rerun {name} --effort final{where}"
    return f"perfproof report run {name} --format md{where}"


def _after_ab(run: Run) -> str:
    """An A/B is repeated by its own command line, with more effort where there is more."""
    broken = _first(run, "crashed", "timeout", "failed-verification", "rejected", "refused")
    if broken is not None:
        return f"less {folder_of(run) / broken.log}" if broken.log else f"perfproof explain {broken.status}"
    efforts = {"quick": "standard", "standard": "final"}
    effort = efforts.get(str(run.options.get("effort")))
    if effort is None or run.state != "finished":
        return shlex.join(run.command)
    words = [word for word in run.command if word not in ("--json", "--fast") and not word.startswith("--effort=")]
    if "--effort" in words:
        at = words.index("--effort")
        del words[at : at + 2]
    return f"{shlex.join(words)} --effort {effort}"


def _first(run: Run, *statuses: str) -> TargetResult | None:
    """The first target with the gravest of these statuses."""
    found = [target for status in statuses for target in run.targets if target.status == status]
    return found[0] if found else None
