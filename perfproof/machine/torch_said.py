"""What torch can do here, asked once in a process of its own and kept for every probe that wants to know."""

import functools
import json
import threading
from typing import Any

from perfproof.core.child import Answer
from perfproof.machine.asking import ask_child

SECONDS = 40.0  # importing torch from a cold disk
_asking = threading.Lock()  # probes run beside each other, and one torch is enough


def torch_said(name: str) -> dict[str, Any]:
    """The answer of that name: {"ok": True, ...}; {"ok": None, "why": ...} where torch came to no answer."""
    with _asking:
        answer = _asked()
    return parse(answer, name)


def parse(answer: Answer, name: str) -> dict[str, Any]:
    for line in answer.out.splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            continue  # a library's own chatter
        if isinstance(found, dict) and isinstance(found.get(name), dict) and "ok" in found[name]:
            return found[name]
    why = answer.why or f"torch ended before it answered: {answer.last_line}"
    return {"ok": None, "why": why}


@functools.cache
def _asked() -> Answer:
    return ask_child("torch_answers", SECONDS)
