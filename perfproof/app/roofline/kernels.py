"""A roofline: kernels placed under the roofs of a machine, what binds the tensor cores, and what is missing."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from perfproof import __version__
from perfproof.app.roofline.inputs import Inputs
from perfproof.calc import dual_roofline, roofline
from perfproof.core.errors import NothingMatched
from perfproof.core.roofline import Finding, Roof, Roofline


def place_kernels(found: Inputs, roofs: Sequence[Roof], machine: str, tolerance: float) -> Roofline:
    kernels, findings = roofline.place(found.kernels, roofs, tolerance)
    if not kernels:
        reasons = "; ".join(f"{name}: {why}" for name, why in list(found.not_shown.items())[:3])
        raise NothingMatched(f"{', '.join(found.names)}: no kernel to place{': ' if reasons else ''}{reasons}")
    return Roofline(
        perfproof_version=__version__,
        made=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        command=["perfproof", *sys.argv[1:]],
        inputs=found.names,
        machine=machine,
        tolerance=tolerance,
        roofs=list(roofs),
        kernels=[dual_roofline.judge(kernel, roofs) for kernel in kernels],
        not_shown=found.not_shown,
        findings=[*findings, *(Finding(level="warning", text=text) for text in found.warnings)],
    )
