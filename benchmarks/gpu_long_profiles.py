"""What a profiler costs on a program of more than a minute: are only steady steps recorded, how large are its files,
and how much longer is a step while it records?

    python benchmarks/gpu_long_profiles.py [--save FILE] [--seconds S] [--tools torch ncu ...]

The program is benchmarks/long_training.py. It runs once by itself for the time of a step; then `perfproof profile` runs
it under each tool, and ends it when the recording is complete.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from heading import heading

from perfproof.core.profile_record import Capture, ProfileRecord
from perfproof.diagnose.evidence import gather

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "benchmarks" / "long_training.py"
TOOLS = ("torch", "ncu", "proton", "memory", "nsys")
MEDIAN = re.compile(r"median ([\d.]+) ms per step")
STEP = re.compile(r"step \d+: .* ([\d.]+) ms per step")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", type=Path, help="write the table here")
    parser.add_argument("--seconds", type=float, default=70.0, help="of the program")
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=list(TOOLS))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("program_options", nargs="*", help="after --: for the program")
    options = parser.parse_args()
    command = [sys.executable, str(PROGRAM), "--seconds", str(options.seconds), "--device", options.device]
    command += options.program_options
    alone = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    alone_ms = float(MEDIAN.findall(alone)[-1])
    lines = [
        f"Without a profiler a step takes {alone_ms:.2f} ms.",
        "",
        "| tool | outcome | whole command | recorded | files | a step while it recorded | steps before |",
        "|---|---|---|---|---|---|---|",
    ]
    for tool in options.tools:
        lines += rows(tool, command, alone_ms)
        print(lines[-1], file=sys.stderr, flush=True)
    text = "\n".join([*heading(options.device), "", *lines, ""])
    print(text)
    if options.save:
        options.save.write_text(text)


def rows(tool: str, command: list[str], alone_ms: float) -> list[str]:
    """A row per capture: ncu makes a timeline first."""
    with tempfile.TemporaryDirectory(prefix="long-profiles-") as folder:
        started = time.monotonic()
        asked = [sys.executable, "-m", "perfproof", "profile", "--tool", tool, "--timeout", "150", "--json"]
        ran = subprocess.run(
            [*asked, "--artifacts-dir", folder, "--", *command], capture_output=True, text=True, check=False
        )
        taken = time.monotonic() - started
        found = list(Path(folder).glob("profiles/*/profile.json"))
        if not found:
            return [f"| {tool} | {last(ran.stderr)} | {taken:.1f} s | | | | |"]
        record = ProfileRecord.model_validate_json(found[0].read_text())
        return [row(one, found[0].parent, taken, alone_ms) for one in record.captures]


def row(one: Capture, folder: Path, taken: float, alone_ms: float) -> str:
    told = next((note for note in one.notes if "recorded:" in note or "are counted" in note), "")
    window = folder / f"{'counters' if one.variant else 'command'}.window.json"
    if window.is_file():
        told = f"{told}; {json.loads(window.read_text())['recorded']}" if "counted" in told else told
    kernels = [portion.name for portion in one.portions if portion.kind == "kernel"]
    if one.tool == "ncu":
        told += f"; {len(kernels)} kinds of kernels counted, passes {one.passes_seen}"
    name = "counters" if one.variant else "command"
    printed = (folder / f"{name}.stdout").read_text() if (folder / f"{name}.stdout").is_file() else ""
    before = STEP.findall(printed)
    size = sum(file.bytes for file in one.files)
    outcome = one.status if not one.why else f"{one.status}: {one.why[:100]}"
    cells = [one.tool, outcome, f"{one.seconds:.1f} s of {taken:.1f} s", told, f"{size / 1e6:.2f} MB"]
    cells += [step_under(one, folder, alone_ms), f"{before[0]} ms" if before else "none of fifty"]
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"


def step_under(one: Capture, folder: Path, alone_ms: float) -> str:
    """The mean of the steady steps that a timeline has."""
    if one.tool not in ("torch", "nsys") or one.status != "ok":
        return "no timeline"
    steps = [trace for trace in gather([folder / name for name in one.main_files]).traces if trace.found]
    if not steps:
        return "no steps"
    mean_ms = steps[0].step_ns / 1e6
    return f"{mean_ms:.2f} ms ({mean_ms / alone_ms:.3f}x), {len(steps[0].steps)} steps"


def last(text: str) -> str:
    return (text.strip().splitlines() or ["nothing was printed"])[-1][:150]


if __name__ == "__main__":
    main()
