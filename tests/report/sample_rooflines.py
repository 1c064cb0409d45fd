"""Rooflines as a test of the picture or the table needs them."""

from perfproof.calc.dual_roofline import judge
from perfproof.calc.roofline import place
from perfproof.core.roofline import Finding, Kernel, Roof, Roofline

ROOFS = [
    Roof(name="DRAM", kind="memory", value=4e12, unit="bytes/s", basis="measured", source="memory/copy"),
    Roof(name="L2", kind="memory", value=10e12, unit="bytes/s", basis="sheet", source="a sheet"),
    Roof(name="bf16", kind="compute", value=800e12, unit="flop/s", basis="measured", source="gemm/bf16/burst"),
    Roof(name="fp16", kind="compute", value=790e12, unit="flop/s", basis="measured", source="gemm/fp16/burst"),
    Roof(name="fp32", kind="compute", value=50e12, unit="flop/s", basis="measured", source="gemm/fp32/burst"),
    Roof(name="TMEM", kind="feed", value=1.0, unit="share", basis="derived", source="the counter's own peak"),
]


def kernel(name="k", flops=8e9, moved=4e9, seconds=2e-3, dtype="fp32", source="counters", **fields):
    values = {"label": name, "seconds": seconds, "flops": flops, "work": {dtype: flops} if flops else {}}
    return Kernel(name=name, source=source, **values | {"bytes": {"DRAM": moved}} | fields)


def roofline(*kernels, tolerance=0.05, **fields):
    placed, findings = place(kernels, ROOFS, tolerance)
    values = {"perfproof_version": "0", "made": "now", "machine": "nvidia-h200", "inputs": ["x.csv"], "roofs": ROOFS}
    warnings = [Finding(level="warning", text="something is missing")]
    judged = [judge(one, ROOFS) for one in placed]
    return Roofline(tolerance=tolerance, kernels=judged, findings=[*findings, *warnings], **values | fields)


def pairs():
    """Two pairs: one with two variants."""
    return roofline(
        kernel("a baseline", moved=36e8, seconds=1e-3, group="a", variant="baseline", source="model"),
        kernel("a", moved=4e8, seconds=2e-4, group="a", variant="optimized", source="model"),
        kernel("a torch", moved=4e8, seconds=3e-4, group="a", variant="optimized_torch", source="model"),
        kernel("b baseline", flops=8e11, seconds=9e-3, dtype="bf16", group="b", variant="baseline", source="model"),
        kernel("b", flops=8e11, seconds=2e-3, dtype="bf16", group="b", variant="optimized", source="model"),
    )


def tensor_kernels():
    """A kernel for each verdict of the dual roofline."""
    shares = {"gemm": (0.84, 0.5, 0.1), "epilogue": (0.39, 0.78, 0.1), "stalled": (0.3, 0.25, 0.1), "norm": (0, 0, 0.9)}
    return roofline(
        *(
            kernel(
                name,
                flops=8e11 if compute else 8e9,
                dtype="bf16" if compute else "fp32",
                capability="10.0",
                used={"SM compute": compute, "TMEM": feed, "DRAM": dram},
                clock_hz=1.8e9,
            )
            for name, (compute, feed, dram) in shares.items()
        )
    )
