"""Lines of Python per package, and where they grew by more than 5 % since a revision. It forbids nothing.

python .ci/lines.py [REVISION]
"""

import subprocess
import sys
from collections import Counter

SHOWN_GROWTH = 0.05
FOLDERS = ("perfproof", "tests", "chapters", "labs", "benchmarks")


def lines(revision: str | None) -> Counter[str]:
    """By package; None counts the files as they are."""
    where = ["-e", "", revision] if revision else ["--untracked", "-e", ""]
    command = ["git", "grep", "--count", *where, "--", *(f"{folder}/*.py" for folder in FOLDERS)]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    found: Counter[str] = Counter()
    for row in listed.splitlines():
        path, _, count = row.removeprefix(f"{revision}:").rpartition(":")
        parts = path.split("/")
        found["/".join(parts[:2]) if parts[0] == "perfproof" and len(parts) > 2 else parts[0]] += int(count)
    return found


def main() -> None:
    revision = sys.argv[1] if len(sys.argv) > 1 else "HEAD"
    now, before = lines(None), lines(revision)
    for name, count in sorted(now.items(), key=lambda item: -item[1]):
        grown = count / before[name] - 1 if before[name] else 1.0
        said = f"   {100 * grown:+.0f} % since {revision}" if grown > SHOWN_GROWTH else ""
        print(f"{count:7,} {name}{said}")
    print(f"{sum(count for name, count in now.items() if name.startswith('perfproof')):7,} perfproof in all")


if __name__ == "__main__":
    main()
