"""Profiles of real pairs on a GPU: do Nsight Compute's counters name the kernels that the harness recorded, and does it
run them as often as announced? Then torch's, Proton's and the memory profile, each diagnosed.

    python benchmarks/gpu_profiles.py --folder DIR [--save FILE] [--only STEP ...] [--seconds S]

DIR gets results.json (all that was read), what `ncu --help` and `--version` print, the options of that help alone, and
raw pages cut short. Steps are taken in the order in which they are named, and go on when another fails. Exits with 1
where a step failed, or names or passes do not agree. With --device cpu there is nothing to count: a rehearsal.
"""

import argparse
import csv
import itertools
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from heading import heading

from perfproof.core.diagnosis import Diagnosis
from perfproof.core.profile_record import Capture, ProfileRecord
from perfproof.machine.asking import ask
from perfproof.machine.probes import nsight_compute
from perfproof.profile.kernel_names import split_name
from perfproof.profile.portions import TIME
from perfproof.profile.running import run
from perfproof.profile.tool_help import parse

ROOT = Path(__file__).resolve().parent.parent
NAMES = Path(__file__).resolve().with_name("harness_names.py")
SIDES = ["baseline", "optimized"]
COPY, NORM, BATCH = "ch07:coalesced_copy", "ch07:rmsnorm_fusion", "ch01:microbatch_fusion"
COUNTED = {  # step -> what is asked of ncu; one call has every kernel
    "minimal": ["--profile", "minimal", "--calls", "1"],
    "roofline": ["--profile", "roofline", "--calls", "1"],
    "ch07": ["--metrics", "ch07", "--calls", "1"],
}
PROFILED = {  # step -> pairs and sides
    "torch": ((NORM, SIDES), (BATCH, SIDES)),
    "proton": ((NORM, SIDES[1:]),),
    "memory": ((NORM, SIDES[1:]),),
}
LIGHT = ("proton", "memory")  # those that can be made at the same time, and while the harness is asked for its names
STEPS = ("ncu", *LIGHT, *COUNTED, "torch")
CAPTURE_SECONDS, MORE_SECONDS = 45, 45  # for each side; for the command around them
COLD_SECONDS = 90.0  # the first start of ncu on a machine unpacks its sections
AT_ONCE = 6  # diagnoses, which use no GPU
MOST_RECORDED = 12  # kernels that the harness keeps of a side
MOST_ROWS = 4  # of a raw page that is kept
MOST_REASONS, MOST_LETTERS = 2, 90  # in a cell
NO_KERNEL = ("Memcpy", "Memset")  # in the device's records, and nothing that ncu counts
OPTION = re.compile(r"^  (?:-\w \[ --[\w-]+ \]|--[\w-]+)(?: arg(?: \(=[^)]*\))?)?")

Step = tuple[str, Callable[[], None]]


@dataclass
class Row:
    """One capture, or one step that made none."""

    what: str
    side: str = ""
    kernels: list[str] = field(default_factory=list)
    names: str = ""  # how they compare with the harness's
    announced: str = ""
    made: str = ""
    seconds: float = 0.0
    outcome: str = ""
    fine: bool = True

    def cells(self) -> list[str]:
        kernels = f"{len(self.kernels)}: {', '.join(name.rpartition('::')[2][:40] for name in self.kernels[:6])}"
        shown = kernels if self.kernels else ""
        texts = [self.what, self.side, shown, self.names, self.announced, self.made, f"{self.seconds:.1f}"]
        outcome = "; ".join(part for part in ("ok" if self.fine else "**wrong**", self.outcome) if part)
        return [text.replace("|", "/").replace("\n", " ") for text in (*texts, outcome)]


@dataclass
class Story:
    """All that is known so far; `details` is for results.json."""

    device: str
    folder: Path
    scratch: Path
    end: float
    names: dict[str, tuple[dict[str, list[str]], str]] = field(
        default_factory=dict
    )  # pair -> side -> kernels, or why not
    rows: list[Row] = field(default_factory=list)
    diagnoses: list[list[str]] = field(default_factory=list)
    details: list[dict[str, Any]] = field(default_factory=list)
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(AT_ONCE))  # of diagnoses
    pages_kept: set[str] = field(default_factory=set)  # by step

    def add(self, row: Row) -> None:
        self.rows.append(row)
        print(" | ".join(row.cells()), file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="where everything but the table goes")
    parser.add_argument("--save", type=Path, help="write the tables here")
    parser.add_argument("--only", nargs="+", choices=STEPS, default=list(STEPS), help="these steps")
    parser.add_argument("--seconds", type=float, default=240.0, help="no step starts after them")
    parser.add_argument("--device", default="cuda", help="cuda, or cpu for a rehearsal")
    options = parser.parse_args()
    if options.folder is None:
        parser.error("--folder DIR: where do the files go?")
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="gpu-profiles-") as scratch:
        end = time.monotonic() + options.seconds
        story = Story(options.device, options.folder.resolve(), Path(scratch), end)
        take_steps(story, options.only)
        write_results(story)
    text = "\n".join([*heading(options.device), "", *tables(story), ""])
    print(text)
    if options.save:
        options.save.write_text(text)
    wrong = [f"{row.what} {row.side}".strip() for row in story.rows if not row.fine]
    sys.exit(f"not as it should be: {', '.join(wrong)}" if wrong else 0)


def take_steps(story: Story, wanted: list[str]) -> None:
    """In the order in which they were named; files are diagnosed meanwhile, which needs no GPU."""
    with story.pool, ThreadPoolExecutor(AT_ONCE) as at_once:
        for batch in batches(story, wanted):
            list(at_once.map(partial(take_step, story), batch))


def batches(story: Story, wanted: list[str]) -> list[list[Step]]:
    """What is done at the same time: the names of the harness with the light steps that come first; then one by one."""
    lead = list(itertools.takewhile(lambda step: step in LIGHT, wanted))
    first = [part for step in lead for part in parts_of(story, step)]
    if any(step in COUNTED for step in wanted):
        first.insert(0, ("kernels of the harness", partial(ask_harness, story)))
    return [first, *([part] for step in wanted[len(lead) :] for part in parts_of(story, step))]


def parts_of(story: Story, step: str) -> list[Step]:
    if step == "ncu":
        return [(step, partial(ask_ncu, story))]
    if step in COUNTED:
        return [(f"ncu {step} {pair}", partial(count, story, step, pair)) for pair in (COPY, NORM)]
    return [(f"{step} {pair}", partial(trace, story, step, pair, sides)) for pair, sides in PROFILED[step]]


def take_step(story: Story, step: Step) -> None:
    """Whatever it raises is its own row: a step must not take the others with it."""
    name, work = step
    if time.monotonic() > story.end:
        story.add(Row(name, outcome="not run: the time was over (--seconds)", fine=False))
        return
    try:
        work()
    except Exception as error:
        story.add(Row(name, outcome=one_line(error), fine=False))


def one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def ask_ncu(story: Story) -> None:
    """Its texts for the folder, the options that our parser reads from them, and whether it may count."""
    started = time.monotonic()
    version = ask(["ncu", "--version"], COLD_SECONDS)
    printed = ask(["ncu", "--help"], COLD_SECONDS)
    (story.folder / "ncu_version.txt").write_text(version.text)
    (story.folder / "ncu_help.txt").write_text(printed.text)
    less = options_alone(printed.text)
    (story.folder / "ncu_options.txt").write_text(less)
    whole, cut = parse(printed.text, "ncu"), parse(less, "ncu")
    fine = not whole.unknown and whole.names == cut.names
    lost = ", ".join(sorted(whole.names ^ cut.names)) or "none"
    said = whole.unknown or version.why or f"{len(whole.names)} options, lost in the reduction: {lost}"
    story.add(Row("ncu --help", seconds=time.monotonic() - started, outcome=said, fine=fine))
    started = time.monotonic()
    found = nsight_compute.probe()
    if found.state == "unknown":  # it may have been too cold for the doctor's deadline
        found = nsight_compute.probe()
    said = f"{found.state}: {found.why} ({found.version})"
    story.add(Row("doctor's probe", seconds=time.monotonic() - started, outcome=said, fine=found.state == "works"))


def options_alone(text: str) -> str:
    """The lines that declare an option, without what they say about it."""
    found = (OPTION.match(line) for line in text.splitlines())
    return "".join(f"{match[0]}\n" for match in found if match)


def ask_harness(story: Story) -> None:
    """Both pairs at the same time: only names are wanted."""
    started = time.monotonic()
    with ThreadPoolExecutor() as pool:
        story.names = dict(zip((COPY, NORM), pool.map(partial(harness_names, story), (COPY, NORM)), strict=True))
    for pair, (names, why) in story.names.items():
        kernels = list(dict.fromkeys(name for own in names.values() for name in own))
        said = why or "recorded through CUPTI, as in a run"
        taken = time.monotonic() - started
        story.add(Row(f"harness {pair}", "both", kernels, seconds=taken, outcome=said, fine=not why))


def harness_names(story: Story, target: str) -> tuple[dict[str, list[str]], str]:
    """Side -> plain names of its kernels; or why they are not known."""
    command = [sys.executable, str(NAMES), target, story.device, str(CAPTURE_SECONDS)]
    name = f"names-{target.replace(':', '-')}"
    ran = run(command, story.scratch, name, CAPTURE_SECONDS + MORE_SECONDS, environment())
    if ran.late or ran.exit_code != 0:
        return {}, "the harness took too long" if ran.late else ran.why or ran.last_line
    answer = json.loads(ran.out.strip().splitlines()[-1])
    if answer["by"] != "CUPTI":
        return {}, answer["why"] or "no activity records"
    recorded = {side: [kernel["name"] for kernel in own["kernels"]] for side, own in answer["sides"].items()}
    return {
        side: sorted({split_name(name).plain for name in names if not name.startswith(NO_KERNEL)})
        for side, names in recorded.items()
    }, ""


def compared(seen: list[str], recorded: list[str]) -> tuple[str, bool]:
    """Both ways; where the harness kept as many as it keeps there may be more of them."""
    only_here = sorted(set(seen) - set(recorded))
    only_there = sorted(set(recorded) - set(seen)) if len(recorded) < MOST_RECORDED else []
    if not seen or not recorded:
        return "nothing to compare", False
    parts = [f"{len(only_here)} the harness has not: {only_here[0]}"] if only_here else []
    parts += [f"{len(only_there)} not seen: {only_there[0]}"] if only_there else []
    return "; ".join(parts) or "the same", not parts


def count(story: Story, step: str, pair: str) -> None:
    """One preset of ncu on one pair: names and passes of every side, and what the counters tell."""
    names, why = story.names.get(pair, ({}, "the harness was not asked"))
    record, folder = profiled(story, pair, "ncu", COUNTED[step], SIDES)
    for one in record.captures:
        row = row_of(f"ncu {step} {pair}", one)
        if one.status == "ok":
            row.names, same = (f"unknown: {why}", False) if why else compared(row.kernels, names.get(one.variant, []))
            row.fine = same and as_announced(one)
            note_counters(row, one)
            story.pool.submit(diagnose, story, (row.what, row.side, [folder / name for name in one.main_files]))
        story.add(row)
        printed = [line for line in read(folder / f"{one.variant}.stdout").splitlines() if line.startswith("==")]
        keep_details(story, row, one, {"printed": printed, "recorded_by_harness": names.get(one.variant, [])})
        if one.status == "ok" and step not in story.pages_kept and pair == NORM:
            keep_page(story, step, folder / one.main_files[0])


def trace(story: Story, tool: str, pair: str, sides: list[str]) -> None:
    """A profile from inside the process; of torch's the names are held against the harness's, too."""
    names, why = story.names.get(pair, ({}, "not asked"))
    record, folder = profiled(story, pair, tool, [], sides)
    for one in record.captures:
        row = row_of(f"{tool} {pair}", one)
        if one.status == "ok":
            row.fine = bool(one.main_files)
            story.pool.submit(diagnose, story, (row.what, row.side, [folder / name for name in one.main_files]))
            if tool == "torch" and not why:
                row.names, same = compared(row.kernels, names.get(one.variant, []))
                row.fine = row.fine and same
        story.add(row)
        keep_details(story, row, one, {})


def profiled(story: Story, pair: str, tool: str, more: list[str], sides: list[str]) -> tuple[ProfileRecord, Path]:
    """`perfproof profile` as a user starts it; what it stored, and where."""
    own = Path(tempfile.mkdtemp(prefix=f"{tool}-", dir=story.scratch))
    command = [sys.executable, "-m", "perfproof", "profile", pair, "--tool", tool, *more, "--device", story.device]
    command += ["--timeout", str(CAPTURE_SECONDS), "--artifacts-dir", str(own), "--json"]
    command += [word for side in sides for word in ("--variant", side)]
    ran = run(command, own, "profile", len(sides) * CAPTURE_SECONDS + MORE_SECONDS, environment())
    stored = list(own.glob("profiles/*/profile.json"))
    if not stored:
        raise RuntimeError("it took too long" if ran.late else ran.why or ran.last_line)
    return ProfileRecord.model_validate_json(stored[0].read_text()), stored[0].parent


def environment() -> dict[str, str]:
    """The tree's own perfproof, wherever the command is started."""
    return {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])}


def row_of(what: str, one: Capture) -> Row:
    kernels = list(dict.fromkeys(portion.name for portion in one.portions if portion.kind not in ("copy", "fill")))
    made = ", ".join(map(str, one.passes_seen))
    row = Row(what, one.variant, kernels, announced=one.passes, made=made, seconds=one.seconds)
    if one.status != "ok":
        row.outcome, row.fine = f"{one.status}: {one.why[:MOST_LETTERS]}", False
    return row


def as_announced(one: Capture) -> bool:
    """Every kernel ran as often as was said before; of a range, somewhere in it."""
    said = [int(number) for number in re.findall(r"\d+", one.passes)]
    return bool(said and one.passes_seen) and said[0] <= one.passes_seen[0] and one.passes_seen[-1] <= said[-1]


def note_counters(row: Row, one: Capture) -> None:
    """How many of the metrics that were asked for were read of every kernel, and why the others were not."""
    reasons = {metric: why for portion in one.portions for metric, why in portion.unknown.items()}
    timed = [TIME] if all(portion.seconds is not None for portion in one.portions) else []  # it has its own column
    unread = [
        metric
        for metric in one.metrics
        if metric not in timed and not all(metric in portion.counters for portion in one.portions)
    ]
    row.outcome = f"{len(one.metrics) - len(unread)} of {len(one.metrics)} metrics read"
    for metric in unread[:MOST_REASONS]:
        row.outcome += f"; {metric}: {reasons.get(metric, 'not on the page')[:MOST_LETTERS]}"
    if one.dropped:
        row.outcome += f"; left out {', '.join(flag.argument for flag in one.dropped)}"


def diagnose(story: Story, asked: tuple[str, str, list[Path]]) -> None:
    """A side's files by themselves, as `perfproof profile` suggests."""
    what, side, files = asked
    folder, name = files[0].parent, f"diagnose-{side}"
    command = [sys.executable, "-m", "perfproof", "diagnose", *map(str, files), "--json"]
    ran = run(command, folder, name, MORE_SECONDS, environment())
    try:
        if ran.late or ran.exit_code != 0:
            raise RuntimeError("it took too long" if ran.late else ran.why or ran.last_line)
        text = read(folder / f"{name}.stdout")
        found = Diagnosis.model_validate_json(text)
    except Exception as error:  # the other diagnoses go on
        story.add(Row(f"diagnose {what}", side, outcome=one_line(error), fine=False))
        return
    names = [f"{finding.rule} ({finding.confidence}{share_of(finding.share)})" for finding in found.findings]
    cells = [what, side, ", ".join(names) or "none", ", ".join(found.silent) or "none", str(len(found.abstained))]
    story.diagnoses.append(cells)
    story.details.append({"what": f"diagnose {what}", "side": side, "diagnosis": json.loads(text)})


def share_of(share: float | None) -> str:
    return "" if share is None else f", {100 * share:.0f} %"


def read(path: Path) -> str:
    return path.read_text(errors="replace") if path.is_file() else ""


def keep_page(story: Story, step: str, page: Path) -> None:
    """The header, the units and a few kernels; the machine's name is nobody's business."""
    rows = list(csv.reader(read(page).splitlines()))
    start = next(at for at, row in enumerate(rows) if "Kernel Name" in row)
    kept = [row for row in rows[start:] if len(row) == len(rows[start])][: 2 + MOST_ROWS]
    for name, instead in (("Host Name", "host"), ("Process ID", "4711")):
        for row in kept[2:] if name in kept[0] else []:
            row[kept[0].index(name)] = instead
    with (story.folder / f"ncu_raw_{step}.csv").open("w", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(kept)
    story.pages_kept.add(step)


def keep_details(story: Story, row: Row, one: Capture, more: dict[str, Any]) -> None:
    story.details.append({**asdict(row), **more, "capture": one.model_dump(mode="json", exclude={"files"})})


def write_results(story: Story) -> None:
    """Without the places of this machine."""
    text = json.dumps(story.details, indent=1)
    for path, instead in ((story.scratch, "SCRATCH"), (ROOT, "REPOSITORY"), (Path(sys.prefix), "PYTHON")):
        text = text.replace(str(path), instead)
    (story.folder / "results.json").write_text(text + "\n")


def tables(story: Story) -> list[str]:
    head = ["profile", "side", "kernels", "against the harness's names", "passes announced", "made", "s", "outcome"]
    lines = [f"| {' | '.join(head)} |", "|---|---|---|---|---|---|---|---|"]
    lines += [f"| {' | '.join(row.cells())} |" for row in story.rows]
    lines += ["", "| diagnosed | side | findings | looked and found nothing | abstained |", "|---|---|---|---|---|"]
    return lines + [f"| {' | '.join(row)} |" for row in sorted(story.diagnoses)]


if __name__ == "__main__":
    main()
