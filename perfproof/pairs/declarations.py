"""What each declared value may be: one small check a name, each giving the complaint with its remedy, or nothing."""

import math
import re
from collections.abc import Iterable
from typing import Any

DTYPES = (
    "float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz",
    "float8_e8m0fnu", "float4_e2m1fn_x2", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8",
    "bool", "complex128", "complex64", "complex32",
)  # fmt: skip
TIERS = ("naive", "idiomatic", "vendor")
CLAIMS = ("time", "memory", "energy", "startup")
CLOCKS = ("call", "kernel", "latency")
GOALS = ("training", "inference", "both")
MENU = 'write `menu = ("training", "input-bound")`'
_NEEDS = {
    "cuda": "cuda=9.0, the least compute capability",
    "sm": 'sm="90a", exactly that architecture',
    "gpus": "gpus=2",
    "packages": 'packages=["kvikio"]',
    "numa": "numa=2",
}


# What the variants compute in, if that is less precise than the type of their arguments. "fp8" is E4M3.
ARITHMETIC = ("fp32", "tf32", "bf16", "fp16", "fp8", "fp8_e5m2", "fp4", "int8", "int4")
DRAWN, ANY_LAYOUT = "drawn", "any"


def complaint(name: str, value: Any) -> str:
    """What is wrong with the value declared under `name`, and what to write."""
    match name:
        case "workload" | "workload_cpu" | "smoke":
            return _sizes(value)
        case "sweep":
            return _sweep(value)
        case "constant" | "mutates" | "cold" | "counters":
            return "" if _strings(value) else f'must be a tuple of names; write `{name} = ("weight",)`'
        case "tolerance":
            return _tolerance(value)
        case "tour" | "distribution":
            return "" if isinstance(value, bool) else f"must be True or False; write `{name} = True`"
        case "lowers_precision":
            wrong = _choice(value, ARITHMETIC)
            return f"{wrong}, or remove the line" if wrong else ""
        case "domain":
            return _domain(value)
        case "layout":
            return "" if value == ANY_LAYOUT else f'is {_described(value)}; write `layout = "any"`, or remove it'
        case "tier":
            return _choice(value, TIERS)
        case "claim":
            return _choice(value, CLAIMS)
        case "clock":
            return _choice(value, CLOCKS)
        case "needs":
            return _needs(value)
        case "ranks":
            return "" if _count(value) else "must be a whole number from 1 up; write `ranks = 2`"
        case "menu":
            right = _strings(value) and len(value) == 2 and value[0] in GOALS
            return "" if right else f"must be a goal ({', '.join(GOALS)}) and a symptom; {MENU}"
    raise AssertionError(name)


def size_complaint(key: str, value: Any) -> str:
    """What is wrong with one size, from a file or from the command line."""
    if not isinstance(value, int | float | str):  # True and False are ints
        return f"{key!r} is {_described(value)}; a size is a number, a string, True or False"
    if isinstance(value, float) and not math.isfinite(value):
        return f"{key!r} is not finite; write a number"
    if (key == "dtype" or key.endswith("_dtype")) and value not in DTYPES:
        return f'{key!r} is {value!r}, not a dtype name; write one such as "float32" or "bfloat16"'
    return ""


def _sizes(value: Any) -> str:
    if not _named(value):
        return "must be a dict of sizes; write `dict(rows=4096)`"
    return next(filter(None, (size_complaint(key, size) for key, size in value.items())), "")


def _sweep(value: Any) -> str:
    if not _named(value):
        return "must be a dict of axes; write `dict(rows=[1024, 4096])`"
    for axis, sizes in value.items():
        if not isinstance(sizes, list) or not sizes:
            return f"{axis!r} must be a list of sizes; write `dict({axis}=[1024, 4096])`"
        if wrong := next(filter(None, (size_complaint(axis, size) for size in sizes)), ""):
            return wrong
    return ""


def _tolerance(value: Any) -> str:
    remedy = "write `dict(rtol=1e-5, atol=1e-6)`, or one such dict for each dtype name"
    if not isinstance(value, dict) or not value:
        return f"must be a dict; {remedy}"
    if set(value) & {"rtol", "atol"}:
        return _bounds(value, remedy)
    for dtype, bounds in value.items():
        if dtype not in DTYPES:
            return f"has the key {_described(dtype)}, which is neither rtol, atol nor a dtype name; {remedy}"
        if not isinstance(bounds, dict):
            return f"has no rtol and atol for {dtype}; {remedy}"
        if wrong := _bounds(bounds, remedy):
            return f"for {dtype} {wrong}"
    return ""


def _bounds(value: dict[Any, Any], remedy: str) -> str:
    if set(value) != {"rtol", "atol"}:
        return f"must have rtol and atol and nothing else, not {_listed(value)}; {remedy}"
    for key, bound in value.items():
        if not _is_number(bound) or not math.isfinite(bound) or bound < 0:
            return f"has {key} = {_described(bound)}; it must be a finite number from 0 up"
    return ""


def _domain(value: Any) -> str:
    remedy = 'write `dict(x=(0.0, 1.0))` for a range, or `dict(keys="drawn")` for values that only `inputs` can make'
    if not _named(value) or not value:
        return f"must be a dict of arguments; {remedy}"
    for name, bounds in value.items():
        is_range = isinstance(bounds, tuple | list) and len(bounds) == 2 and all(map(_is_number, bounds))
        if bounds != DRAWN and not (is_range and bounds[0] < bounds[1]):
            return f"has {name} = {_described(bounds)}; {remedy}"
    return ""


def _needs(value: Any) -> str:
    if not isinstance(value, dict):
        return "must be a dict; write `needs = dict(cuda=9.0)`"
    for key, need in value.items():
        match key:
            case "cuda":
                right = _is_number(need) and 1 <= need < 20  # 90 would be an architecture, not a capability
            case "sm":
                right = isinstance(need, str) and re.fullmatch(r"[0-9]{2,3}[af]?", need) is not None
            case "gpus" | "numa":
                right = _count(need)
            case "packages":
                right = _strings(need)
            case _:
                return f"has the key {_described(key)}; the keys are {', '.join(_NEEDS)}"
        if not right:
            return f"has {key} = {_described(need)}; write `{_NEEDS[key]}`"
    return ""


def _choice(value: Any, choices: Iterable[str]) -> str:
    if isinstance(value, str) and value in choices:
        return ""
    quoted = [f'"{choice}"' for choice in choices]
    return f"is {_described(value)}; write {', '.join(quoted[:-1])} or {quoted[-1]}"


def _named(value: Any) -> bool:
    """A dict whose keys could be parameters."""
    return isinstance(value, dict) and all(isinstance(key, str) and key.isidentifier() for key in value)


def _strings(value: Any) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(element, str) and element for element in value)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _listed(value: Iterable[Any]) -> str:
    return ", ".join(_described(element) for element in value)


def _described(value: Any) -> str:
    """A value on one line and short."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
