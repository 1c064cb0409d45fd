"""What a GPU can do by its compute capability: a table, each row with where it is written.

A capability that is not in the table is unknown, not "no": a newer chip may have everything, or lack one thing.
"""

from dataclasses import dataclass

from perfproof.core.hardware import Capability

KNOWN = (7.0, 7.5, 8.0, 8.6, 8.7, 8.9, 9.0, 10.0, 10.3, 11.0, 12.0, 12.1)
ARCHITECTURES = {
    7.0: "Volta",
    7.5: "Turing",
    8.0: "Ampere",
    8.6: "Ampere",
    8.7: "Ampere",
    8.9: "Ada",
    9.0: "Hopper",
    10.0: "Blackwell",
    10.3: "Blackwell Ultra",
    11.0: "Blackwell (Thor)",
    12.0: "Blackwell (RTX)",
    12.1: "Blackwell (GB10)",
}
GUIDE = "CUDA C++ Programming Guide, Compute Capabilities"
PTX = "PTX ISA"
DATACENTRE_BLACKWELL = (10.0, 10.3, 11.0)


@dataclass(frozen=True)
class Feature:
    name: str
    on: tuple[float, ...]
    source: str
    note: str = ""  # what to know where it is supported


def _from(first: float) -> tuple[float, ...]:
    return tuple(capability for capability in KNOWN if capability >= first)


FEATURES = (
    Feature("fp16 tensor cores", _from(7.0), f"{PTX}, wmma and mma: .f16, sm_70"),
    Feature("int8 tensor cores", _from(7.5), f"{PTX}, mma: .s8 and .u8, sm_75"),
    Feature("ldmatrix", _from(7.5), f"{PTX}, ldmatrix: sm_75"),
    Feature("bf16 tensor cores", _from(8.0), f"{PTX}, mma: .bf16, sm_80"),
    Feature("tf32 tensor cores", _from(8.0), f"{PTX}, mma: .tf32, sm_80"),
    Feature("2:4 structured sparsity", _from(8.0), f"{PTX}, mma.sp: sm_80"),
    Feature("cp.async", _from(8.0), f"{PTX}, cp.async: sm_80"),
    Feature("mbarrier", _from(8.0), f"{PTX}, mbarrier: sm_80"),
    Feature("L2 residency control", _from(8.0), f"{GUIDE}: L2 cache residency management, 8.0"),
    Feature("fp8 tensor cores", _from(8.9), f"{PTX}, mma: .e4m3 and .e5m2, sm_89"),
    Feature("thread-block clusters", _from(9.0), f"{GUIDE}: thread block cluster, 9.0"),
    Feature("distributed shared memory", _from(9.0), f"{GUIDE}: distributed shared memory, 9.0"),
    Feature("TMA (cp.async.bulk.tensor)", _from(9.0), f"{PTX}, cp.async.bulk.tensor: sm_90"),
    Feature(
        "TMA multicast",
        (9.0, *DATACENTRE_BLACKWELL),
        f"{PTX}, cp.async.bulk.tensor: .multicast::cluster",
        "elsewhere from sm_90 on it is accepted and may be much slower",
    ),
    Feature("async proxy fences", _from(9.0), f"{PTX}, fence.proxy.async: sm_90"),
    Feature("stmatrix", _from(9.0), f"{PTX}, stmatrix: sm_90"),
    Feature("programmatic dependent launch", _from(9.0), f"{PTX}, griddepcontrol: sm_90"),
    Feature("wgmma", (9.0,), f"{PTX}, wgmma.mma_async: sm_90a", "compile for sm_90a"),
    Feature("cluster launch control", _from(10.0), f"{PTX}, clusterlaunchcontrol.try_cancel: sm_100"),
    Feature(
        "tcgen05 and Tensor Memory",
        DATACENTRE_BLACKWELL,
        f"{PTX}, tcgen05 instructions: sm_100a, sm_103a, sm_110a",
        "compile for the architecture with its suffix a or f",
    ),
    Feature(
        "fp6 and fp4 tensor cores",
        _from(10.0),
        f"{PTX}, tcgen05.mma and mma: .kind::f8f6f4, sm_100a and sm_120a",
        "compile for the architecture with its suffix a or f",
    ),
    Feature(
        "block-scaled formats (MX, NVFP4)",
        _from(10.0),
        f"{PTX}, tcgen05.mma and mma: .block_scale, sm_100a and sm_120a",
        "compile for the architecture with its suffix a or f",
    ),
)


def capabilities(capability: float) -> list[Capability]:
    if capability not in KNOWN:
        why = f"unknown: compute capability {capability} is not in the table"
        return [Capability(feature=one.name, supported=why, source=one.source) for one in FEATURES]
    return [
        Capability(
            feature=one.name,
            supported=capability in one.on,
            note=one.note if capability in one.on or (one.name == "TMA multicast" and capability > 9) else "",
            source=one.source,
        )
        for one in FEATURES
    ]


def architecture(capability: float | None) -> str:
    if capability is None:
        return "unknown: the driver tells no compute capability"
    return ARCHITECTURES.get(capability, f"unknown: compute capability {capability} is not in the table")
