"""A shell script from what `perfproof doctor` found: one block per thing that this machine lacks.

A person reads it, runs it, and answers before each block. Nothing is changed without a yes.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from perfproof.core.doctor import Doctor, Row
from perfproof.report.rows import one_line

FIRST_LINE = "#!/usr/bin/env bash"
MARK = "# Written by `perfproof doctor --fix-script`"
FOR_A_SHELL = re.compile(r"^(?:export |ulimit )")  # has no effect beyond the shell that runs it
NO_REPAIR = re.compile(r"^(?:[A-Z_]+=\S+ perfproof |docker run |on the host|nvidia-smi topo )")  # to look, or elsewhere
LOOSENS = re.compile(r"perf_event_paranoid|kptr_restrict|ptrace_scope|dmesg_restrict|RestrictProfiling|chmod a\+")
UNTIL_RESTART = re.compile(r"^(?:sudo sysctl|sudo chmod|echo \S+ \| sudo tee /sys/|sudo nvidia-smi -pm|sudo ip )")
_SHELL = Path(__file__).parent / "templates" / "fix_script.sh"
ASKING, ENDING = _SHELL.read_text(encoding="utf-8").split("\n# BLOCKS\n\n")  # before the blocks, and after them


def fix_script(found: Doctor) -> str:
    """The whole script; without anything to do it says so."""
    wanted, left_out = _to_do(found)
    blocks = [_block(number, row) for number, row in enumerate(_each_once(wanted), 1)]
    parts = [_heading(found, len(blocks)), ASKING, *blocks, *_remarks(found, left_out), ENDING]
    return "\n".join(parts)


def is_ours(text: str) -> bool:
    return MARK in "\n".join(text.splitlines()[:3])


def _to_do(found: Doctor) -> tuple[list[Row], list[Row]]:
    """What a block can repair here, and what is lacking but of no use without a GPU."""
    lacking = [row for row in found.rows if row.fix and row.state in ("denied", "limited", "absent")]
    of_use = [row for row in lacking if found.nvidia_gpus or not row.for_gpus]
    left_out = [row for row in lacking if row not in of_use]
    return [row for row in of_use if not FOR_A_SHELL.match(row.fix) and not NO_REPAIR.match(row.fix)], left_out


def _each_once(rows: list[Row]) -> list[Row]:
    """Two rows may need the same line (ptrace and py-spy): the first asks for both."""
    seen: dict[str, Row] = {}
    for row in rows:
        first = seen.setdefault(row.script or row.fix, row)
        if first is not row:
            seen[row.script or row.fix] = first.model_copy(update={"name": f"{first.name}, {row.name}"})
    return sorted(seen.values(), key=lambda row: "reboot" in (row.script or row.fix))  # what restarts comes last


def _heading(found: Doctor, blocks: int) -> str:
    lines = [
        FIRST_LINE,
        f"{MARK} of perfproof {found.perfproof_version} on {found.read[:10]}.",
        f"# Machine: {found.kind}. {blocks} thing(s) to set up. Read each block; it asks before it does anything.",
        "# Blocks use sudo where an administrator is needed. Run it with: bash FILE",
    ]
    if found.container:
        lines.append("# This was written in a container: settings of the kernel and the driver belong to the host.")
    return "\n".join([*lines, "set -u", ""])


def _block(number: int, row: Row) -> str:
    function = f"block_{number}"
    body = row.script or row.fix
    comments = [f"{row.name}: {row.state}. {_sentence(row.why)}", *_consequences(row)]
    inside = "\n".join(f"  {line}" for line in body.splitlines())
    # In one line: a tool's message must not end a comment and become a command.
    said = "\n".join(f"# {one_line(line)}" for line in comments)
    shown = " ".join(shlex.quote(one_line(line)) for line in comments)
    return f"{said}\n{function}() {{\n{inside}\n}}\nsay '' {shown}\nrun_block {shlex.quote(row.name)} {function}\n"


def _consequences(row: Row) -> Iterator[str]:
    text = row.script or row.fix
    if LOOSENS.search(text):
        yield "It loosens a protection: do it on machines whose users trust each other."
    if UNTIL_RESTART.match(text):
        keep = " To keep it, put the setting into a file of /etc/sysctl.d." if "sysctl" in text else ""
        yield f"It lasts until the next restart.{keep}"
    if "reboot" in text:
        yield "It restarts the machine: save your work first."


def _remarks(found: Doctor, left_out: list[Row]) -> Iterator[str]:
    """What no block can do: settings of a shell, and repairs in another place."""
    if left_out:
        yield f"# Left out, because no NVIDIA GPU is here: {one_line(', '.join(row.name for row in left_out))}.\n"
    for row in found.rows:
        other = FOR_A_SHELL.match(row.fix) or NO_REPAIR.match(row.fix)
        if other and row not in left_out and row.state != "works":
            yield f"# {one_line(row.name)}: {_sentence(one_line(row.why))} By hand: {one_line(row.fix)}\n"


def _sentence(text: str) -> str:
    return f"{text.rstrip('.')}."
