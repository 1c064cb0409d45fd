"""Read a result of another load generator, or the records of a test of ours that was killed.

Which tool wrote a file is known by its content, not by its name.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from perfproof.core.errors import DocumentError, UsageError
from perfproof.load.imports import aiperf, guidellm, sglang_bench, vllm_bench
from perfproof.load.imports.imported import Foreign
from perfproof.load.record_file import read_records

LARGEST = 2**31  # bytes of a file
KNOWN = "vllm bench serve, sglang bench_serving, guidellm and aiperf are known"


def read_foreign(path: Path, which: int | None = None) -> Foreign:
    """`which` chooses one of several benchmarks in a file, from 1."""
    documents = _documents(path)
    first = documents[0]
    if "perfproof" in first:
        about, records, wrong = read_records(path)
        seconds = max((one.end or one.intended for one in records), default=0.0)  # of one that was killed: so far
        return Foreign("perfproof load", str(about.get("model")), records, seconds, notes=wrong)
    if aiperf.recognises(first):
        if not all(aiperf.recognises(one) for one in documents):
            raise DocumentError(f"{path}: begins as aiperf's profile_export.jsonl and goes on as something else")
        return _checked(path, lambda: aiperf.read(documents))
    if guidellm.recognises(first):
        number = _chosen(path, which, guidellm.names(first))
        return _checked(path, lambda: guidellm.read(first, number))
    for tool in (sglang_bench, vllm_bench):
        if tool.recognises(first):
            runs = [f"{one.get('request_throughput')} req/s" for one in documents]
            said = documents[_chosen(path, which, runs)]
            if not all(isinstance(said.get(name), list) for name in tool.LISTS):
                raise DocumentError(f"{path}: holds summaries alone; {tool.ASK}")
            return _checked(path, lambda tool=tool, said=said: tool.read(said))  # type: ignore[misc]
    raise DocumentError(f"{path}: no result of a load generator that is known here: {KNOWN}")


def is_load_file(path: Path) -> bool:
    """Whether a file is a result of a load generator that is known here, or records of ours."""
    try:
        first = _documents(path)[0]
    except DocumentError:
        return False
    return "perfproof" in first or any(tool.recognises(first) for tool in (aiperf, guidellm, sglang_bench, vllm_bench))


def _documents(path: Path) -> list[dict[str, Any]]:
    """One document, or one per line. The last line of a test that was killed may be cut off."""
    try:
        if path.stat().st_size > LARGEST:
            raise DocumentError(f"{path}: more than 2 GiB; no result of a load generator is as large")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DocumentError(
            f"{path}: cannot be read: {getattr(error, 'strerror', None) or ' '.join(str(error).split())[:100]}"
        ) from None
    found = _whole(text) or _lines(text)
    if not found or not all(isinstance(one, dict) for one in found):
        raise DocumentError(f"{path}: no JSON of a load generator: {KNOWN}")
    return found


def _whole(text: str) -> list[dict[str, Any]]:
    try:
        return [json.loads(text)]
    except (ValueError, RecursionError):
        return []


def _lines(text: str) -> list[dict[str, Any]]:
    found = []
    lines = [line for line in text.splitlines() if line.strip()]
    for place, line in enumerate(lines):
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError):
            if place == 0 or place < len(lines) - 1:
                return []
    return found


def _chosen(path: Path, which: int | None, names: list[str]) -> int:
    if which is None and len(names) == 1:
        return 0
    listed = "; ".join(f"{number} {name}" for number, name in enumerate(names, 1))
    if which is None:
        raise UsageError(f"{path} holds {len(names)} benchmarks: choose one with --number N ({listed})")
    if not 1 <= which <= len(names):
        raise UsageError(f"--number {which}: {path} holds {listed}")
    return which - 1


def _checked(path: Path, read: Callable[[], Foreign]) -> Foreign:
    try:
        return read()
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        what = f"{type(error).__name__} {error}" if isinstance(error, KeyError) else str(error)
        raise DocumentError(f"{path}: its fields do not fit together: {' '.join(what.split())[:100]}") from None
