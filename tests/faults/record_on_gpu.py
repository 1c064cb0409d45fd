"""Record the faults that need a GPU, ready to be kept: `python tests/faults/record_on_gpu.py tests/faults/recorded`.

Every program is run by itself; its trace is redacted and trimmed (trimming.py) and written as OUT/<name>.json.gz, its
counters as OUT/<name>.csv. What cannot be recorded here is said, and the exit status is 1.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from gpu_faults import COUNTED, HEALTHY, TRACED
from trimming import trimmed, without_owner

HERE = Path(__file__).parent
DEADLINE_SECONDS = 300


def main() -> int:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    missing = [name for name in (HEALTHY, *TRACED, *COUNTED) if not recorded(name, out)]
    print(f"not recorded: {', '.join(missing)}" if missing else "all recorded", file=sys.stderr)
    return bool(missing)


def recorded(name: str, out: Path) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        try:
            command = [sys.executable, str(HERE / f"{name}.py"), folder]
            subprocess.run(command, check=True, timeout=DEADLINE_SECONDS)
            if name in COUNTED:
                (out / f"{name}.csv").write_text(without_owner(Path(folder, "counters.csv")))
            else:
                (out / f"{name}.json.gz").write_bytes(trimmed(Path(folder, "trace.json.gz")))
        except (OSError, ValueError, LookupError, subprocess.SubprocessError) as error:
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
            return False
    return True


if __name__ == "__main__":
    sys.exit(main())
