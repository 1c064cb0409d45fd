"""Read a report file of Nsight Compute (`.ncu-rep`) through NVIDIA's `ncu-report` package, where it is installed."""

from pathlib import Path
from typing import Any

from perfproof.core.errors import DocumentError
from perfproof.profile.ncu.csv import DEVICE, EXPORT, CountedKernel, CountedKernels
from perfproof.profile.ncu.numbers import Reading, scaled, unknown


def read_file(path: Path) -> CountedKernels:
    """Every profiled kernel of the report."""
    package = _package(path)
    if not path.is_file():
        raise DocumentError(f"{path}: there is no such file")
    try:
        report = package.load_report(str(path))
        actions = [report[place][number] for place in range(len(report)) for number in range(len(report[place]))]
        if not actions:  # what the package answers to a file that is no report, too
            raise ValueError("it holds no kernels, or is no report")
        return CountedKernels(tuple(_kernel(action) for action in actions))
    except Exception as error:  # the package raises what its C++ side does: RuntimeError, ValueError, SystemError
        what = str(error).strip().splitlines()
        raise DocumentError(
            f"{path}: ncu-report cannot read it: {what[0] if what else type(error).__name__}; "
            f"with the ncu that wrote it, make the raw page: `{EXPORT}`"
        ) from None


def _package(path: Path) -> Any:
    try:
        import ncu_report
    except ImportError:
        raise DocumentError(
            f"{path}: reading .ncu-rep needs NVIDIA's package (`pip install ncu-report`); or make the raw page: "
            f"`{EXPORT.replace('REPORT.ncu-rep', path.name)}`"
        ) from None
    return ncu_report


def _kernel(action: Any) -> CountedKernel:
    readings = {name: _reading(action[name]) for name in action.metric_names() if "__" in name}

    def attribute(name: str) -> str:
        value = readings.get(f"device__attribute_compute_capability_{name}", unknown("")).value
        return "" if value is None else str(int(value))

    capability = f"{attribute('major')}.{attribute('minor')}" if attribute("major") else ""
    device = action[DEVICE].value() if DEVICE in readings else ""
    return CountedKernel(
        name=action.name(),
        capability=capability,
        grid=_grid(readings),
        readings=readings,
        device=device if isinstance(device, str) else "",
    )


def _reading(metric: Any) -> Reading:
    value = metric.value()
    if not isinstance(value, int | float) or isinstance(value, bool):
        return unknown("not a number")
    return scaled(float(value), metric.unit() or "")


def _grid(readings: dict[str, Reading]) -> str:
    size = readings.get("launch__grid_size", unknown("")).value
    return "" if size is None else f"{size:.0f} blocks"
