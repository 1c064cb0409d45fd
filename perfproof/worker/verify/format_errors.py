"""Hold a tensor in one number format against the same in another. A process of its own: it loads torch, its caller not.

    python -m perfproof.worker.verify.format_errors '{"first": "fp32", "second": "bf16", ...}'

prints one JSON object, {"errors": {...}} or {"refused": "why"}. Files hold tensors only: .npy without pickles,
.pt through torch's restricted loader, which builds tensors and executes nothing.
"""

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy
import torch

FLOATS = {  # torch's type, bits of the mantissa, lowest normal exponent
    "fp64": (torch.float64, 52, -1022),
    "fp32": (torch.float32, 23, -126),
    "fp16": (torch.float16, 10, -14),
    "bf16": (torch.bfloat16, 7, -126),
    "fp8_e4m3": (torch.float8_e4m3fn, 3, -6),
    "fp8_e5m2": (torch.float8_e5m2, 2, -14),
}
INTEGERS = {"int8": 127, "int4": 7}
FOURS = {"mxfp4": 32, "nvfp4": 16}
E2M1 = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0], dtype=torch.float64)
E2M1_TOP, E4M3_TOP = 6.0, 448.0
NAMES = (*FLOATS, *INTEGERS, *FOURS)


class Refused(Exception):
    """One line: what is wrong with what was asked for."""


def main(text: str) -> int:
    try:
        answer: dict[str, Any] = {"errors": compare(json.loads(text))}
    except Refused as error:
        answer = {"refused": str(error)}
    print(json.dumps(answer))
    return 0


def compare(asked: dict[str, Any]) -> dict[str, Any]:
    """Load, store in both formats, and look at every element of the difference in double precision."""
    for name in (asked["first"], asked["second"]):
        if name not in NAMES:
            raise Refused(f"the format {name!r} is unknown: choose {', '.join(NAMES)}")
    values, source = load(asked)
    if asked.get("other"):
        return _two_files(values, source, asked)
    first, _ = stored(values, asked["first"], asked["group"], asked["scale"])
    second, clamped = stored(values, asked["second"], asked["group"], asked["scale"])
    found = errors(first, second)
    factors = {name: _factor(values, FLOATS[name][0], asked["scale"]) for name in FLOATS}
    found |= ulps(first, second, asked["first"], asked["second"], factors)
    return found | {"source": source, "first": asked["first"], "second": asked["second"], "clamped": clamped}


def _two_files(values: torch.Tensor, source: str, asked: dict[str, Any]) -> dict[str, Any]:
    """Two saved outputs as they are: each keeps the format that it was saved in, and nothing is rounded again."""
    other, other_source = load(asked | {"file": asked["other"]})
    if values.shape != other.shape:
        raise Refused(f"{source} and {other_source}: outputs that are compared have one shape")
    names = [_name_of(text.split(", ")[1]) for text in (source, other_source)]
    found = errors(values, other) | ulps(values, other, names[0], names[1])
    files = [Path(asked[name]).name for name in ("file", "other")]
    labels = [f"{file} ({name})" for file, name in zip(files, names, strict=True)]
    return found | {"source": f"{source}; {other_source}", "first": labels[0], "second": labels[1], "clamped": 0}


def _name_of(written: str) -> str:
    """Our name of torch's type."""
    return next((name for name, one in FLOATS.items() if str(one[0]) == f"torch.{written}"), written)


def load(asked: dict[str, Any]) -> tuple[torch.Tensor, str]:
    if not asked["file"]:
        torch.manual_seed(asked["seed"])
        count = asked["elements"]
        return torch.randn(count, dtype=torch.float64), f"{count:,} random normal numbers, seed {asked['seed']}"
    path = Path(asked["file"])
    try:
        found = _read(path, asked["key"])
    except Refused:
        raise
    except (OSError, ValueError, RuntimeError, EOFError, ImportError) as error:
        raise Refused(f"{path}: cannot be read: {' '.join(str(error).split())[:160]}") from None
    except Exception as error:  # torch's restricted loader raises the pickle module's own errors
        raise Refused(f"{path}: holds more than tensors, or is broken ({type(error).__name__})") from None
    if not found.is_floating_point() or not found.numel():
        raise Refused(
            f"{path}: needs a tensor of floating-point numbers, not {found.dtype} of {found.numel()} elements"
        )
    return found.double(), f"{path.name}, {str(found.dtype).removeprefix('torch.')}, shape {list(found.shape)}"


def _read(path: Path, key: str) -> torch.Tensor:
    if path.suffix == ".npy":
        return torch.from_numpy(numpy.load(path, allow_pickle=False).copy())
    if path.suffix not in (".pt", ".pth", ".bin"):
        raise Refused(f"{path}: is neither .npy nor .pt")
    found = torch.load(path, map_location="cpu", weights_only=True)
    if isinstance(found, dict):
        tensors = {name: one for name, one in found.items() if isinstance(one, torch.Tensor)}
        if key not in tensors and len(tensors) != 1:
            raise Refused(
                f"{path}: holds {len(tensors)} tensors; name one with --key: {', '.join(map(str, tensors))[:200]}"
            )
        found = tensors[key] if key in tensors else next(iter(tensors.values()))
    if not isinstance(found, torch.Tensor):
        raise Refused(f"{path}: holds {type(found).__name__}, not a tensor")
    return found


def stored(values: torch.Tensor, name: str, group: int, scale: bool) -> tuple[torch.Tensor, int]:
    """What is read back from memory in that format, in double precision, and how many elements were out of range."""
    if name in FLOATS:
        return _as_float(values, FLOATS[name][0], scale)
    if name in INTEGERS:
        return _as_integer(values, INTEGERS[name], group), 0
    return _as_four_bits(values, name), 0


def _as_float(values: torch.Tensor, dtype: torch.dtype, scale: bool) -> tuple[torch.Tensor, int]:
    if dtype == torch.float64:
        return values, 0
    top, factor = torch.finfo(dtype).max, _factor(values, dtype, scale)
    scaled = values * factor
    beyond = torch.isfinite(scaled) & (scaled.abs() > top)
    return scaled.clamp(-top, top).to(dtype).double() / factor, int(beyond.sum())


def _factor(values: torch.Tensor, dtype: torch.dtype, scale: bool) -> float:
    """What the tensor is multiplied with before it is stored: with `scale`, its largest element becomes the top."""
    if not scale or dtype == torch.float64:
        return 1.0
    finite = values[torch.isfinite(values)].abs()
    largest = finite.max().item() if finite.numel() else 0.0
    return torch.finfo(dtype).max / largest if largest else 1.0


def _as_integer(values: torch.Tensor, top: int, group: int) -> torch.Tensor:
    """Symmetric: the largest of a group is `top`."""
    rows = _grouped(values, group)
    step = rows.abs().amax(-1, keepdim=True) / top
    return _ungrouped(torch.where(step > 0, (rows / step).round() * step, rows), values)


def _as_four_bits(values: torch.Tensor, name: str) -> torch.Tensor:
    """E2M1 with a scale a group: a power of two for MXFP4, an E4M3 number under one fp32 scale for NVFP4."""
    rows = _grouped(values, FOURS[name])
    largest = rows.abs().amax(-1, keepdim=True)
    if name == "mxfp4":
        step = torch.exp2(torch.floor(torch.log2(largest)) - 2)
    else:
        whole = largest.max() / (E2M1_TOP * E4M3_TOP)
        step = (largest / E2M1_TOP / whole).clamp(max=E4M3_TOP).to(torch.float8_e4m3fn).double() * whole
    safe = torch.where(step > 0, step, torch.ones_like(step))
    return _ungrouped(_nearest(rows / safe) * torch.where(step > 0, step, torch.zeros_like(step)), values)


def _nearest(values: torch.Tensor) -> torch.Tensor:
    """The nearest number of E2M1, ties to the even one: those with an even place in the list."""
    size = values.abs().clamp(max=E2M1_TOP)
    upper = torch.searchsorted(E2M1, size.contiguous()).clamp(max=7)
    lower = (upper - 1).clamp(min=0)
    up, down = E2M1[upper] - size, size - E2M1[lower]
    take_up = (up < down) | ((up == down) & (upper % 2 == 0))
    return torch.where(take_up, E2M1[upper], E2M1[lower]).copysign(values)


def _grouped(values: torch.Tensor, group: int) -> torch.Tensor:
    flat = values.reshape(-1)
    if not group:
        return flat.reshape(1, -1)
    missing = -flat.numel() % group
    return torch.cat([flat, flat.new_zeros(missing)]).reshape(-1, group)


def _ungrouped(rows: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return rows.reshape(-1)[: like.numel()].reshape(like.shape)


def errors(first: torch.Tensor, second: torch.Tensor) -> dict[str, Any]:
    finite = torch.isfinite(first) & torch.isfinite(second)
    if not finite.any():
        raise Refused("no element is finite in both formats: there is nothing to compare")
    difference = torch.where(finite, (first - second).abs(), torch.zeros_like(first))
    worst = int(difference.reshape(-1).argmax())
    a, b, off = first[finite], second[finite], difference[finite]
    norm, noise = a.norm().item(), off.norm().item()
    relative = off[a != 0] / a[a != 0].abs()
    return {
        "elements": first.numel(),
        "max_absolute": off.max().item(),
        "worst_index": [int(place) for place in numpy.unravel_index(worst, tuple(first.shape) or (1,))],
        "worst_first": first.reshape(-1)[worst].item(),
        "worst_second": second.reshape(-1)[worst].item(),
        "mean_absolute": off.mean().item(),
        "max_relative": relative.max().item() if relative.numel() else 0.0,
        "rms_relative": noise / norm if norm else 0.0,
        "cosine": (a @ b).item() / (norm * b.norm().item()) if norm and b.norm().item() else 1.0 if not noise else 0.0,
        "signal_to_noise": 20 * math.log10(norm / noise) if norm and noise else None,
        "lost_to_zero": int(((a != 0) & (b == 0)).sum()),
        "not_finite": int((~finite).sum()),
        "exact": int((off == 0).sum()),
        "histogram": _histogram(relative[relative > 0]),
    }


def _histogram(relative: torch.Tensor) -> list[list[int]]:
    powers, counts = torch.floor(torch.log10(relative)).to(torch.int64).unique(return_counts=True)
    return [[int(power), int(count)] for power, count in zip(powers, counts, strict=True)]


def ulps(
    first: torch.Tensor, second: torch.Tensor, name: str, other: str, factors: dict[str, float] | None = None
) -> dict[str, Any]:
    """The worst error in spacings of the coarser format; None if that format has no spacing of its own.

    A tensor that was scaled before it was stored has the spacing of the scaled value, divided by the factor.
    """
    coarse = min((name, other), key=lambda one: FLOATS[one][1] if one in FLOATS else -1)
    if coarse not in FLOATS:
        return {"max_ulp": None, "ulp_of": coarse}
    _, mantissa, lowest = FLOATS[coarse]
    finite = torch.isfinite(first) & torch.isfinite(second)
    factor = (factors or {}).get(coarse, 1.0)
    a, off = first[finite].abs() * factor, (first - second)[finite].abs() * factor
    exponent = torch.floor(torch.log2(a)).clamp(min=lowest)  # of zero: minus infinity, clamped
    return {"max_ulp": (off / torch.exp2(exponent - mantissa)).max().item(), "ulp_of": coarse}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
