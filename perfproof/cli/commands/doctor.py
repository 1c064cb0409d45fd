"""Check which profilers and counters work, and how to fix the rest.

Nothing is changed. Each row says why something does not work and which command fixes it. --fix-script writes these
commands to a shell script that asks before each step.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from perfproof.cli.values import argument, option
from perfproof.core.errors import UsageError

if TYPE_CHECKING:
    from perfproof.core.doctor import Doctor, Row


PLACE = "Machine 2"  # in perfproof --help
UNFIT = 3
MARKS = {"works": "✓", "limited": "~", "denied": "✗", "absent": "–", "unknown": "?"}


def command(
    file: Annotated[
        Path | None, argument("[FILE]", "File that --fix-script writes to. [default: print the script]")
    ] = None,
    json: Annotated[bool, option("--json", "Print the findings as JSON, and nothing else.")] = False,
    script: Annotated[
        bool, option("--fix-script", "Write a shell script that sets up what is missing and asks before each step.")
    ] = False,
) -> int:
    if file is not None and not script:
        raise UsageError(f"doctor takes no {str(file)!r}: a file is for --fix-script FILE")
    if json and script:
        raise UsageError("--json and --fix-script are two answers: choose one")
    found = examine()
    if script:
        return write_script(found, file)
    print(found.model_dump_json(indent=2) if json else page(found))
    return 0 if found.fit else UNFIT


def write_script(found: "Doctor", file: Path | None) -> int:
    """Print the script, or write it. A file that is not such a script is never replaced."""
    from perfproof.report.fix_script import fix_script, is_ours

    text = fix_script(found)
    if file is None:
        print(text, end="")
        return 0
    try:
        if file.exists() and not is_ours(file.read_text(errors="replace")):
            raise UsageError(f"{file} exists and is no script of doctor: choose another name")
        file.write_text(text)
        file.chmod(0o755)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from error
    print(f"{file} written; read it, then run: bash {file}")
    return 0


def examine() -> "Doctor":
    from datetime import UTC, datetime

    from perfproof import __version__
    from perfproof.core.doctor import Doctor
    from perfproof.machine.driver_needs import gpus_on_the_bus
    from perfproof.machine.facts import read_facts
    from perfproof.machine.preflight import preflight
    from perfproof.machine.probing import measuring_works, probe_all
    from perfproof.machine.snapshot import snapshot

    seen = snapshot(read_facts().device)  # before the probes: they are a load of their own
    rows = probe_all()
    return Doctor(
        perfproof_version=__version__,
        read=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        kind=seen["kind"],
        fit=measuring_works(rows),
        nvidia_gpus=max(gpus_on_the_bus(), len(seen["gpus"])),
        container=seen["container"],
        rows=rows,
        warnings=preflight(seen, shared=True),
    )


def page(found: "Doctor") -> str:
    from itertools import groupby

    from perfproof.cli.width import text_width
    from perfproof.report.text import wrapped

    width = max(len(row.name) for row in found.rows)
    lines = []
    folded = [row for row in found.rows if row.for_gpus and row.state == "absent" and not found.nvidia_gpus]
    for group, rows in groupby((row for row in found.rows if row not in folded), key=lambda row: row.group):
        lines.append(group)
        for row in rows:
            lines += _row_lines(row, width)
    if folded:
        names = f"{MARKS['absent']} {'; '.join(row.name for row in folded)}"
        heading = "for NVIDIA GPUs, and there is none here (--json has the reasons)"
        lines += [heading, *wrapped(names, text_width(), "  ", "  ")]
    lines += ["before a run"] if found.warnings else []
    lines += [line for one in found.warnings for line in wrapped(f"{one.code} {one.text}", text_width(), "  ", "     ")]
    broken = [row.name for row in found.rows if row.needed and row.state not in ("works", "limited")]
    lines += ["", "measuring works here" if found.fit else f"measuring does not work here: {', '.join(broken)}"]
    return "\n".join(lines)


def _row_lines(row: "Row", width: int) -> list[str]:
    from perfproof.cli.width import text_width
    from perfproof.report.text import hung

    said = "; ".join(text for text in (row.version, row.why) if text)
    lines = hung(f"  {MARKS[row.state]} {row.name:{width}}  {row.state:7}", said, text_width())
    if row.fix:  # never broken: it is there to be copied
        lines.append(f"    fix: {row.fix}")
    return lines
