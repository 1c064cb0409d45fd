"""What the logs of torch.compile hold, for the rules about it."""

from perfproof.core.errors import DocumentError
from perfproof.diagnose.evidence import Evidence
from perfproof.profile.compile_log import HOW, CompileEvent, CompileLog, Kind, read_compile_log


def compile_events(evidence: Evidence, kind: Kind) -> list[tuple[str, CompileEvent]]:
    """(file, event) of this kind in all logs, as each log orders them."""
    return [(path, one) for path, log in _logs(evidence) for one in log.events if one.kind == kind]


def silence(evidence: Evidence, what: str) -> str:
    """Why no event of a kind does not mean that there was none; empty where it does."""
    logs = _logs(evidence)
    if not logs:
        return missing_log()
    return next((log.unknown[what] for _, log in logs if what in log.unknown), "")


def missing_log() -> str:
    return f"a log of torch.compile: `perfproof profile --tool compile -- COMMAND`; or {HOW}"


def _logs(evidence: Evidence) -> list[tuple[str, CompileLog]]:
    """Those that can be read; a text that only looked like a log is none. TORCH_LOGS and TORCH_TRACE tell the same
    twice: where both are there, the first counts, which knows when warm-up ended."""
    found = []
    for path, text in evidence.compile_logs.items():
        try:
            found.append((path, read_compile_log(text)))
        except DocumentError:
            continue
    logged = [(path, log) for path, log in found if log.source == "TORCH_LOGS"]
    return logged or found
