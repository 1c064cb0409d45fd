"""How a command failed, in its own words: the signal by its name, the exception, the last lines that it printed."""

import re
import signal

MOST_LINES, LONGEST = 8, 300
_EXCEPTION = re.compile(
    r"^(?:\[rank\d+\]:?\s*)?[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Warning|Fault|Timeout|Killed)\b.*"
)
_TELLING = re.compile(
    r"(?i)\berror\b|out of memory|segmentation fault|core dumped|killed|no such file|not found|cannot|permission denied"
    r"|assert|abort|fatal|panic"
)
MEANINGS = {
    "SIGSEGV": "it used memory that is not its own",
    "SIGKILL": "often the kernel, for lack of memory",
    "SIGABRT": "it aborted itself, as after a failed assertion",
    "SIGBUS": "often a full /dev/shm",
    "SIGILL": "an instruction that this processor does not have",
    "SIGFPE": "an arithmetic error",
    "SIGTERM": "somebody asked it to end",
    "SIGINT": "it was interrupted",
}


def ending(code: int) -> str:
    """exit code 1; killed by SIGSEGV (…). A shell says 128 + the number of the signal."""
    name = _signal(-code if code < 0 else code - 128 if code > 128 else 0)
    if not name:
        return f"ended with exit code {code}"
    said = f"{name} ({MEANINGS[name]})" if name in MEANINGS else name
    return f"was killed by {said}" if code < 0 else f"ended with exit code {code}, which stands for {said}"


def last_words(err: bytes, out: bytes) -> list[str]:
    """The exception, or the last line that tells of an error; then the last lines before the end."""
    for said in (err, out):
        lines = [line.rstrip()[:LONGEST] for line in said.decode(errors="replace").splitlines() if line.strip()]
        if not lines:
            continue
        telling = [line for line in lines if _EXCEPTION.match(line)] or [
            line for line in lines if _TELLING.search(line)
        ]
        first = telling[-1:]
        return [line.strip() for line in [*first, *(one for one in lines[-MOST_LINES:] if one not in first)]]
    return []


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""
