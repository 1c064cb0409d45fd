"""From what was asked to a plan: the server, the traffic and its length, and what is said about them beforehand."""

import asyncio
import math
import os
import secrets
from contextlib import ExitStack
from pathlib import Path

from perfproof.app.load.asked import Asked, Say
from perfproof.core.errors import UsageError
from perfproof.load import own_server, serve_command
from perfproof.load.http_client import parse_address
from perfproof.load.probe import find_service
from perfproof.load.profile import Profile, fixed, load_profile
from perfproof.load.session import Plan
from perfproof.load.traces import read_trace, scaled
from perfproof.load.workload import Service

MOST_STEP, LONGER_STEP = 600.0, 4  # s, and times --duration: a low rate needs long steps


def make_plan(asked: Asked, url: str, stack: ExitStack, say: Say) -> Plan:
    salt = asked.salt or secrets.token_hex(6)
    profile = _profile(asked)
    trace, notes = read_trace(Path(asked.trace)) if asked.trace else ([], [])
    replayed = scaled(trace, asked.speed, asked.seconds)
    if len(replayed) < len(trace):
        notes.append(f"the first {len(replayed)} of {len(trace)} requests of the trace: those within --duration")
    service = find_server(asked, url, salt, stack, say)
    return Plan(
        service,
        profile,
        asked.seconds,
        asked.seed,
        salt,
        arrivals=None if trace or asked.users else asked.arrivals,
        users=asked.users,
        think=asked.think,
        trace=replayed,
        limits=asked.limits,
        notes=tuple(notes),
    )


def find_server(asked: Asked, url: str, salt: str, stack: ExitStack, say: Say) -> Service:
    if serve_command.is_serve(url):
        url = stack.enter_context(serve_command.served(url, say))
    elif own_server.is_own(url):
        url = stack.enter_context(own_server.started(own_server.arguments_of(url)))
    key = os.environ.get(asked.key_variable) if asked.key_variable else None
    if asked.key_variable and not key:
        raise UsageError(f"--api-key-env {asked.key_variable}: this variable is not set")
    return asyncio.run(find_service(parse_address(url), asked.model, key, asked.extra, f"probe {salt}"))


def _profile(asked: Asked) -> Profile:
    if asked.prompt_tokens or asked.output_tokens:
        return fixed(asked.prompt_tokens or 512, asked.output_tokens or 128)
    return load_profile(asked.workload)


def describe(asked: Asked, plan: Plan) -> str:
    if plan.users is not None:
        return f"{plan.users} users in a closed loop for {plan.seconds:g} s"
    if plan.trace:
        return f"{len(plan.trace)} requests of {asked.trace} at {asked.speed:g} times their rate"
    assert plan.arrivals is not None
    if asked.slo:
        return f"a search from {plan.arrivals.rate:g} req/s on, {plan.arrivals.kind} arrivals, {_steps_of(asked)}"
    return f"{plan.arrivals.text} for {plan.seconds:g} s"


def few_requests(asked: Asked, plan: Plan) -> str:
    """A hint if the first steps are too short for their rate; the search climbs until they are not."""
    assert plan.arrivals is not None
    needed = max(10 / (1 - term.quantile) for term in asked.slo)
    longest = min(MOST_STEP, LONGER_STEP * asked.seconds)
    if plan.arrivals.rate * longest >= needed:
        return ""
    rate = f"--rate {math.ceil(needed / longest)}"
    return f"a step needs about {needed:.0f} requests to tell: begin with {rate}, if the server may take so many"


def search_time(asked: Asked) -> str:
    """Most steps are at rates that need little more than the shortest step."""
    seconds = 12 * min(MOST_STEP, 2 * asked.seconds)
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def _steps_of(asked: Asked) -> str:
    shortest, longest = (min(MOST_STEP, factor * asked.seconds) for factor in (1, LONGER_STEP))
    return f"steps of {shortest:g} to {longest:g} s"
