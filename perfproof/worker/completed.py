"""Functions that only begin their work: what a generator or a coroutine has to do is part of the call."""

import asyncio
import functools
import inspect
import os
from collections.abc import Callable
from typing import Any

from perfproof.core.trees import drained


def completed(function: Callable) -> Callable:
    """A generator's items in a list, a coroutine's result; any other function as it is."""
    if inspect.isgeneratorfunction(function):
        return functools.wraps(function)(lambda *arguments: drained(function(*arguments)))
    return _awaited(function) if inspect.iscoroutinefunction(function) else function


def _awaited(function: Callable) -> Callable:
    """In a loop that stays, because making one takes longer than many a call; each process has its own."""
    runners: dict[int, asyncio.Runner] = {}

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        process = os.getpid()
        if process not in runners:
            runners[process] = asyncio.Runner()
        result = runners[process].run(function(*arguments))
        if left := asyncio.all_tasks(runners[process].get_loop()):
            raise RuntimeError(f"{len(left)} tasks were started and not awaited: await them before returning")
        return result

    return call
