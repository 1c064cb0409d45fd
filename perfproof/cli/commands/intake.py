"""Write and check a form: goal, workload and limits of a project."""

import stat
from pathlib import Path
from typing import Annotated, Any

import typer

from perfproof.cli.group import WholeLines
from perfproof.cli.output import write_file
from perfproof.cli.values import argument, option
from perfproof.core.errors import UsageError

PLACE = "Plan 2"  # in perfproof --help

app = typer.Typer(cls=WholeLines, add_completion=False, rich_markup_mode=None, help=__doc__)

MOST_BYTES = 1 << 20
SHOWN = 12  # experiments on the page; --json has all


@app.command()
def new(
    file: Annotated[Path, argument("[FILE]", "File to write the form to; - prints it.")] = Path("intake.yaml"),
    example: Annotated[bool, option("--example", "Write a completed form as an example.")] = False,
    force: Annotated[bool, option("--force", "Overwrite FILE if it exists.")] = False,
) -> int:
    """Write the form, with the facts about this machine filled in."""
    from perfproof.machine.hardware import read_hardware
    from perfproof.triage.intake.form import example_form, new_form

    if str(file) != "-" and file.exists() and not file.is_file():
        raise UsageError(f"{file} is no plain file (a folder, device or pipe): name another one")
    if str(file) != "-" and file.exists() and not force:
        raise UsageError(f"{file} exists: name another file, or write over it with --force")
    text = example_form() if example else new_form(read_hardware())
    if str(file) == "-":
        print(text, end="")
        return 0
    write_file(file, text)
    print(f"{file}: fill it in, then: perfproof intake check {file}")
    return 0


@app.command()
def check(
    file: Annotated[Path, argument("FILE", "Form to check, a YAML file.")],
    json: Annotated[bool, option("--json", "Print the result as one JSON object, and nothing else.")] = False,
) -> int:
    """List the mistakes in a form by line, and the experiments that fit it. Exit code 2: the form cannot be used."""
    from perfproof.machine.facts import read_facts
    from perfproof.pairs.pair import Pair
    from perfproof.pairs.targets import select
    from perfproof.triage.intake.checking import check_text
    from perfproof.triage.intake.experiments import fitting
    from perfproof.triage.intake.proposals import propose

    text = _read(file)
    pairs = select([])
    symptoms = {pair.menu[1] for pair in pairs if isinstance(pair, Pair) and pair.menu}
    checked = check_text(text, file.parent, symptoms)
    is_usable = checked.intake is not None and not checked.errors
    experiments = fitting(checked.intake, pairs, read_facts()) if checked.intake and is_usable else []
    proposals, why_none = propose(checked.intake, file.parent) if checked.intake and is_usable else ([], "")
    if json:
        _print_json(file, checked, experiments, proposals)
    else:
        print("\n".join(_page(file, checked, experiments, proposals, why_none)))
    return 2 if checked.errors else 0


def _read(file: Path) -> str:
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise UsageError(f"{file} is no plain file (a folder, device or pipe): save the form and name that file")
        if file.stat().st_size > MOST_BYTES:
            raise UsageError(f"{file}: more than a megabyte: a form is one page")
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(f"{file} cannot be read: {why}; `perfproof intake new` writes one") from None


def _page(file: Path, checked: Any, experiments: list[Any], proposals: list[Any], why_none: str) -> list[str]:
    from perfproof.triage.intake.costs import costs_today

    words = {"error": "error", "doubt": "look at this"}
    place = "{0}:{1.line}:{1.column}: {2}: {1.field}: {1.text}"
    lines = [place.format(file, problem, words[problem.severity]) for problem in checked.problems]
    lines += [f"not checked: {why}" for why in checked.not_checked]
    if checked.errors:
        count = len(checked.errors)
        return [*lines, f"{file}: {count} error{'s' if count > 1 else ''}: correct and check again"]
    lines.append(f"{file}: can be used")
    intake = checked.intake
    lines += [f"today: {one}" for one in costs_today(intake)]
    if not intake.baseline.symptoms:
        command = intake.baseline.command or "YOUR COMMAND"
        lines += ["", "no symptoms are named; find them first:", f"  perfproof triage --intake {file} -- {command}"]
    lines += _proposed(proposals, why_none)
    lines += ["", f"demonstrations that fit ({len(experiments)}), each a lesson with its own program:"]
    for one in experiments[:SHOWN]:
        why = "" if one.runs == "timed" else f"not timed here: {one.why}"
        lines.append(f"  {one.command:44} {one.symptom:20} {why}".rstrip())
    if len(experiments) > SHOWN:
        lines.append(f"  and {len(experiments) - SHOWN} more: perfproof list --menu")
    return lines


def _proposed(proposals: list[Any], why_none: str) -> list[str]:
    if not proposals:
        return ["", f"experiments on your own command: none ({why_none or 'the formulas predict no gain of 2 %'})"]
    lines = ["", "experiments on your own command, the largest predicted gain first:"]
    for number, one in enumerate(proposals, 1):
        lines += [f"  {number}. {one.name}, {one.words}: {one.why}", f"     {one.command}"]
    return lines


def _print_json(file: Path, checked: Any, experiments: list[Any], proposals: list[Any]) -> None:
    import json
    from dataclasses import asdict

    problems = [asdict(one) | {"path": list(one.path), "field": one.field} for one in checked.problems]
    found = {
        "file": str(file),
        "usable": not checked.errors,
        "problems": problems,
        "not_checked": checked.not_checked,
        "intake": checked.intake.model_dump() if checked.intake else None,
        "proposals": [asdict(one) for one in proposals],
        "experiments": [asdict(one) | {"command": one.command} for one in experiments],
    }
    print(json.dumps(found, indent=2))
