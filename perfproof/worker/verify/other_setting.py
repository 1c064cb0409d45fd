"""Answers in two environments or at two revisions: without a reference, the second must give what the first gave."""

import os
import pickle
from collections.abc import Callable
from typing import Any

import cloudpickle

from perfproof.core.trees import leaves
from perfproof.worker.verify.case import Answer, Contract, attempt
from perfproof.worker.verify.sway import apart_from
from perfproof.worker.verify.training_state import changed_by_reference

NAME = "same answers"
OTHER_SIZES = "`inputs` draws other sizes in the second setting"


def check(path: str, call: Callable[[tuple], Answer], contract: Contract, drawn: tuple) -> tuple[str, str]:
    """A problem and a note. The first process leaves its arguments and answer at `path`, for the second to compare."""
    if not os.path.exists(path):
        answer = attempt(call, contract.copied(drawn))
        with open(path, "wb") as file:
            file.write(_packed((drawn, answer)))
        return "", ""
    with open(path, "rb") as file:
        try:
            arguments, right = pickle.load(file)
        except Exception as error:  # whatever a class of the other revision raises
            return "", f"answers of the two settings were not compared: {type(error).__name__}"
    note = "" if _sizes(arguments) == _sizes(drawn) else f"{OTHER_SIZES}: the ratio is that of different work"
    ours = attempt(call, contract.copied(arguments))
    if isinstance(right, Exception) or isinstance(ours, Exception):
        raised = type(ours).__name__ if isinstance(ours, Exception) else ""
        return (f"raises {raised} for values of the first setting" if raised else ""), note
    right = right[0], changed_by_reference(right[1], dict(zip(contract.names, arguments, strict=True)))
    problem = apart_from(ours, right, contract, arguments, call).problem
    return (f"{problem}; expected is the answer in the first setting" if problem else ""), note


def _packed(value: Any) -> bytes:
    try:
        return cloudpickle.dumps(value)
    except Exception:  # what cannot travel is not compared
        return b""


def _sizes(value: Any) -> list[tuple[int, ...]]:
    return [tuple(getattr(leaf, "shape", ())) for _, leaf in leaves(value)]
