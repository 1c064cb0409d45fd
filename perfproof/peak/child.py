"""The process of one probe: `python -m perfproof.peak.child PROBE FD`, the plan as JSON on standard input.

It loads its libraries first and says so, so that several can do that at the same time, and none while another measures.
Every ceiling goes out as a line of JSON when it is found, so that a crash keeps what came before it.
"""

import contextlib
import importlib
import json
import os
import sys
from typing import TextIO

from perfproof.peak.found import Missing, NotMeasured, reason
from perfproof.peak.plan import from_json


def main() -> int:
    name, descriptor = sys.argv[1], int(sys.argv[2])
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # if memory runs out, this process goes, not the user's
    with os.fdopen(descriptor, "w") as out:
        try:
            module = importlib.import_module(f"perfproof.peak.probes.{name}")
            _say(out, {"ready": name})
            for found in module.probe(from_json(sys.stdin.read())):
                _say(out, {"missing": vars(found)} if isinstance(found, Missing) else {"found": found.model_dump()})
        except NotMeasured as error:
            _say(out, {"not_measured": reason(error)})
        except ModuleNotFoundError as error:
            _say(out, {"not_measured": f"{error.name} is not installed"})
        except Exception as error:
            import traceback

            traceback.print_exc()
            _say(out, {"failed": reason(error)})
            return 1
    return 0


def _say(out: TextIO, message: dict) -> None:
    out.write(json.dumps(message) + "\n")
    out.flush()


if __name__ == "__main__":
    sys.exit(main())
