"""How often does `perfproof verify` cry wolf, and does it find and name a planted slow-down?

    python benchmarks/verify_alarms.py unchanged   100 verifies of a target that nobody changed
    python benchmarks/verify_alarms.py planted     20 verifies with 10 % more work on one side
    python benchmarks/verify_alarms.py table       the table, from the log

Each verify is the command itself, at quick effort, in a temporary git repository with a small target of its own whose
expectation was recorded from a clean commit. The runs that it was recorded from are dated a day apart, so that each is
a measuring day and the variance between days is estimated, though minutes lie between them; --one-date leaves them one
day, as verify takes them. The target is small: what a verify takes is processes, not work. Verifies are appended to
--log, a JSON line each, so that a run can be cut in parts (--seconds stops it in time) and is taken up again where it
ended.
"""

import argparse
import datetime
import json
import math
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median

from heading import heading

WANTED = {"unchanged": 100, "planted": 20}
STEPS, PLANTED = 50, 55
TARGET = '''"""Add two vectors so many times: the work of each side is a number in this file."""

import torch

STEPS = {steps}

workload = dict(elements=1_000)
workload_cpu = dict(elements=1_000)
smoke = dict(elements=77)
tolerance = dict(rtol=1e-6, atol=1e-6)  # one float32 addition, rounded at 2**-24
tier = "idiomatic"


def inputs(elements):
    return torch.randn(elements), torch.randn(elements)


def reference(x, y):
    return x.double() + y.double()


def repeat(x, y, times):
    out = torch.empty_like(x)
    for _ in range(times):
        torch.add(x, y, out=out)
    return out


def baseline(x, y):
    return repeat(x, y, 100)


def optimized(x, y):
    return repeat(x, y, STEPS)


def cost(elements):
    return dict(predicted_optimized=100 / STEPS)
'''


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=(*WANTED, "table"))
    parser.add_argument("--log", type=Path, default=Path("verify_alarms.jsonl"))
    parser.add_argument("--seconds", type=float, default=math.inf, help="start no verify after so many")
    parser.add_argument("--days", type=int, default=3, help="runs that the expectation is recorded from")
    parser.add_argument("--one-date", action="store_true", help="leave the runs one measuring day")
    parser.add_argument("--save", type=Path, help="write the table here")
    options = parser.parse_args()
    if options.what != "table":
        with tempfile.TemporaryDirectory(prefix="perfproof-alarms-") as folder:
            verify_all(Path(folder), options)
    text = "\n".join([*heading(), "", *table(logged(options.log)), ""])
    print(text)
    if options.save:
        options.save.write_text(text)


def verify_all(folder: Path, options: argparse.Namespace) -> None:
    """Expect, plant where it is wanted, and verify until the log holds enough."""
    end = time.monotonic() + options.seconds
    done = sum(one["what"] == options.what for one in logged(options.log))
    if done >= WANTED[options.what]:
        return
    expect(folder, options.days, options.one_date)
    if options.what == "planted":
        (folder / "target.py").write_text(TARGET.format(steps=PLANTED))
    for number in range(done, WANTED[options.what]):
        if time.monotonic() > end:
            return
        one = {"what": options.what, **verify(folder)}
        with options.log.open("a") as file:
            file.write(json.dumps(one) + "\n")
        print(f"{time.strftime('%H:%M:%S')} {options.what} {number + 1}: {one}", file=sys.stderr, flush=True)


def expect(folder: Path, days: int, one_date: bool) -> None:
    """A repository with one commit, and expectations recorded from it."""
    (folder / "target.py").write_text(TARGET.format(steps=STEPS))
    (folder / ".gitignore").write_text("artifacts/\nexpectations/\nsummary.md\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "-c", "user.name=perfproof", "-c", "user.email=perfproof@example.com", "commit", "-q", "-m", "target")
    for day in range(days):
        perfproof(folder, "run", "target.py", "--effort", "quick", "--device", "cpu")
        perfproof(folder, "expectations", "update", "latest", "-m", f"run {day + 1}")
    if not one_date:
        date_apart(folder)


def date_apart(folder: Path) -> None:
    """Make each recorded run a day of its own: the last stays where it is, the others lie before it."""
    (file,) = (folder / "expectations").glob("*.json")
    document = json.loads(file.read_text())
    for entry in document["targets"].values():
        for back, day in enumerate(reversed(entry["days"])):
            day["date"] = (datetime.datetime.fromisoformat(day["date"]) - datetime.timedelta(days=back)).isoformat()
    file.write_text(json.dumps(document, indent=1) + "\n")


def verify(folder: Path) -> dict:
    """One verify: its outcome, whether the summary names the target as failed, and what it took."""
    summary = folder / "summary.md"
    summary.unlink(missing_ok=True)
    started = time.monotonic()
    arguments = ["verify", "--effort", "quick", "--device", "cpu", "--summary", str(summary), "--json"]
    done = perfproof(folder, *arguments, check=False)
    (outcome,) = json.loads(done.stdout)["outcomes"]
    seen = outcome["screening"]
    return {
        "outcome": outcome["outcome"],
        "code": done.returncode,
        "named": summary.read_text().startswith("### perfproof verify: 1 of 1 failed: target\n"),
        "difference": seen and seen["difference"],
        "detectable": seen and seen["detectable"],
        "days": seen and seen["days"],
        "between_days": seen and seen["between_days"],
        "flagged": bool(seen and seen["flagged"]),
        "launches": sum(trial["launches"] for trial in outcome["trials"]),
        "reason": outcome["reason"],
        "seconds": round(time.monotonic() - started, 1),
    }


def table(found: list[dict]) -> list[str]:
    words = ("regression", "improvement", "same", "environment", "inconclusive")
    lines = [
        f"| target | verifies | flagged | {' | '.join(words)} | named in the summary | days | can see "
        "| launches of a trial | median seconds |",
        f"|---|{'---|' * (len(words) + 7)}",
    ]
    names = {"unchanged": "unchanged", "planted": f"{100 * (PLANTED / STEPS - 1):.0f} % more work"}
    for what, name in names.items():
        own = [one for one in found if one["what"] == what]
        count = Counter(one["outcome"] for one in own)
        sights = [one["detectable"] for one in own if one["detectable"]]
        tried = [one["launches"] for one in own if one["launches"]]
        took = [one["seconds"] for one in own]
        lines.append(
            f"| {name} | {len(own)} | {sum(one['flagged'] for one in own)} "
            f"| {' | '.join(str(count[word]) for word in words)} | {sum(one['named'] for one in own)} "
            f"| {', '.join(sorted({str(one['days']) for one in own if one['days']})) or '–'} "
            f"| {f'{100 * median(sights):.1f} %' if sights else '–'} "
            f"| {f'{median(tried):.0f}' if tried else '–'} "
            f"| {f'{median(took):.1f}' if took else '–'} |"
        )
    return lines


def logged(log: Path) -> list[dict]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.is_file() else []


def perfproof(folder: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "perfproof", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    if (check and done.returncode) or not done.stdout:
        sys.exit(f"perfproof {' '.join(arguments)} exited with {done.returncode}: {done.stdout}{done.stderr}")
    return done


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True)


if __name__ == "__main__":
    main()
