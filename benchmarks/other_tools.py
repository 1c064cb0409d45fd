"""The same four questions to perfproof, pyperf, hyperfine and asv: two versions of a function, what does each tool say?

    pip install pyperf asv; apt-get install hyperfine
    python benchmarks/other_tools.py --repeats 10 --save FILE

The function is a chain of whole-number steps, about 150 µs long, that nothing can shorten. Its second version is the
same, does 1 % more, remembers its answers, or leaves a tenth of the work out and answers wrongly. Each tool is used as
its documentation shows, with its defaults. pyperf's word is that of `compare_to`, asv's that of `compare`. hyperfine
gives a ratio and its deviation, and is taken to see a difference if the deviation does not reach 1. A tool that is not
installed is left out.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from heading import heading

JOB = """
import functools, os, sys

def steps(x, count):
    for _ in range(count):
        x = (x * 1_103_515_245 + 12_345) & 0x7FFFFFFF
    return x

def first(x): return steps(x, 2000)
def same(x): return steps(x, 2000)
def more(x): return steps(x, 20) and steps(x, 2000)
def wrong(x): return steps(x, 1800)

@functools.lru_cache(maxsize=None)
def remembers(x): return steps(x, 2000)

if __name__ == "__main__":
    version = globals()[sys.argv[1]]
    for _ in range(3000): version(12345)
"""
ASV = {"version": 1, "project": "job", "repo": ".", "branches": ["HEAD"], "benchmark_dir": "benchmarks"}
ASV_BENCHMARK = """
import os, sys
sys.path.insert(0, os.environ["JOB_FOLDER"])
import job

def time_it():
    getattr(job, os.environ["JOB_VERSION"])(12345)
"""
CASES = {"same": "the same", "more": "1 % more work", "remembers": "remembers its answers", "wrong": "a wrong answer"}
REPEATED = ("same", "more")
MARKS = {"+": "slower", "-": "faster"}  # of asv


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=10, help="comparisons of the first two cases")
    parser.add_argument("--save", type=Path, help="write the table here")
    options = parser.parse_args()
    tools: dict[str, Callable[[Path, str], str]] = {
        "perfproof": by_perfproof,
        "pyperf": by_pyperf,
        "hyperfine": by_hyperfine,
        "asv": by_asv,
    }
    missing = [name for name in ("pyperf", "hyperfine", "asv") if not found(name)]
    said: dict[tuple[str, str], list[tuple[str, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        for case in CASES:
            for number in range(options.repeats if case in REPEATED else 1):
                for name, ask in tools.items():
                    if name in missing:
                        continue
                    started = time.monotonic()
                    answer = ask(Path(folder), case)
                    said.setdefault((name, case), []).append((answer, time.monotonic() - started))
                    print(f"{time.strftime('%H:%M:%S')} {name}, {CASES[case]} {number + 1}: {answer}", file=sys.stderr)
    text = "\n".join([*heading("cpu"), "", *table([name for name in tools if name not in missing], said), ""])
    print(text)
    if options.save:
        options.save.write_text(text)


def found(name: str) -> str | None:
    return shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


def prepare(folder: Path) -> None:
    """The module, and a repository with two commits for asv."""
    (folder / "job.py").write_text(JOB)
    asv = folder / "asv"
    (asv / "benchmarks").mkdir(parents=True)
    (asv / "benchmarks" / "__init__.py").write_text("")
    (asv / "benchmarks" / "timed.py").write_text(ASV_BENCHMARK)
    (asv / "asv.conf.json").write_text(json.dumps({**ASV, "environment_type": "virtualenv"}))
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(asv)]
    run([*git, "init", "--quiet"])
    run([*git, "add", "."])
    run([*git, "commit", "--quiet", "--message", "one"])
    run([*git, "commit", "--quiet", "--message", "two", "--allow-empty"])
    machine = dict(arch="", cpu="", machine="here", num_cpu="2", os="", ram="")
    described = [word for key, value in machine.items() for word in (f"--{key}", value)]
    run([found("asv") or "true", "machine", *described], asv)


def run(command: list[str], folder: Path | None = None, **variables: str) -> str:
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def by_perfproof(folder: Path, case: str) -> str:
    script = f"""
import random, sys
import job, perfproof
found = perfproof.compare(job.first, job.{case}, lambda: random.randrange(2**31))
print("SAID", found.verdict or found.status, found.ratio and round(found.ratio, 3) or "")
"""
    (folder / "asked.py").write_text(script)
    lines = [line for line in run([sys.executable, "asked.py"], folder).splitlines() if line.startswith("SAID ")]
    return lines[0].removeprefix("SAID ").strip() if lines else "nothing"


def by_pyperf(folder: Path, case: str) -> str:
    for name in ("first", case):
        (folder / f"{name}.json").unlink(missing_ok=True)
        timed = ["-m", "pyperf", "timeit", "--quiet", "-s", "import job", f"job.{name}(12345)", "-o", f"{name}.json"]
        run([sys.executable, *timed], folder)
    words = run([sys.executable, "-m", "pyperf", "compare_to", "first.json", f"{case}.json"], folder)
    ratio = re.search(r"([\d.]+)x (faster|slower)", words)
    return f"{ratio[2]} {ratio[1]}" if ratio else "no difference"


def by_hyperfine(folder: Path, case: str) -> str:
    commands = [f"{sys.executable} job.py {name}" for name in ("first", case)]
    run([found("hyperfine") or "", "-N", "--export-json", "both.json", *commands], folder)
    first, second = json.loads((folder / "both.json").read_text())["results"]
    ratio = second["mean"] / first["mean"]
    deviation = ratio * ((first["stddev"] / first["mean"]) ** 2 + (second["stddev"] / second["mean"]) ** 2) ** 0.5
    word = "slower" if ratio - deviation > 1 else "faster" if ratio + deviation < 1 else "no difference"
    return f"{word} {max(ratio, 1 / ratio):.3f} ± {deviation:.3f}"


def by_asv(folder: Path, case: str) -> str:
    home, command = folder / "asv", found("asv") or ""
    shutil.rmtree(home / ".asv", ignore_errors=True)
    for name, commit in (("first", "HEAD~1"), (case, "HEAD")):
        commit = run(["git", "rev-parse", commit], home).strip()
        options = [f"--environment=existing:{sys.executable}", f"--set-commit-hash={commit}", "--machine=here"]
        run([command, "run", *options], home, JOB_FOLDER=str(folder), JOB_VERSION=name)
    words = run([command, "compare", "--machine=here", "HEAD~1", "HEAD"], home)
    row = next(line for line in words.splitlines() if "time_it" in line)
    _, mark, _, _, ratio, *_ = (cell.strip() for cell in row.split("|"))
    return f"{MARKS.get(mark, 'no difference')} {ratio}"


def table(names: list[str], said: dict[tuple[str, str], list[tuple[str, float]]]) -> list[str]:
    def different(name: str, case: str) -> str:
        answers = [answer for answer, _ in said[name, case]]
        return f"{sum(answer.startswith(('faster', 'slower')) for answer in answers)} of {len(answers)}"

    titles = "the same, called different", "1 % more, found", "remembers its answers", "a wrong answer", "seconds"
    lines = [f"| tool | {' | '.join(titles)} |", "|---|---|---|---|---|---:|"]
    for name in names:
        seconds = median(one for case in REPEATED for _, one in said[name, case])
        words = [different(name, case) if case in REPEATED else said[name, case][0][0] for case in CASES]
        lines.append(f"| {name} | {' | '.join(words)} | {seconds:.0f} |")
    return lines


if __name__ == "__main__":
    random.seed()
    main()
