"""How GPUs are joined: NVLink links of each, the slices of MIG, and the matrix of the nearest path between any two.

The words are those of `nvidia-smi topo -m`: NV18 (eighteen NVLink links), PIX (one PCIe switch), PXB (several), PHB
(the host bridge), NODE (within a NUMA node), SYS (across nodes).
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from perfproof.core.hardware import NvLink, Slice

PATHS = {0: "PSB", 10: "PIX", 20: "PXB", 30: "PHB", 40: "NODE", 50: "SYS"}  # nvmlGpuTopologyLevel_t
VERSIONS = {1: "1.0", 2: "2.0", 3: "2.2", 4: "3.0", 5: "3.1", 6: "4.0", 7: "5.0", 8: "6.0"}  # nvmlNvlinkVersion_t
MOST_LINKS = 36
SWITCH = 2  # nvmlIntNvLinkDeviceType_t
P2P_NVLINK, P2P_OK = 2, 0  # nvmlGpuP2PCapsIndex_t, nvmlGpuP2PStatus_t
ABSENT = NvLink(links="unknown: no driver", active="unknown: no driver", version="unknown: no driver", peers=[])


def read(count: int) -> tuple[list[NvLink], list[list[Slice]], list[list[str]]]:
    """For each of `count` GPUs its links and slices, and the matrix between them all."""
    if count == 0:
        return [], [], []
    with _driver() as nvml:
        if nvml is None:
            return [ABSENT] * count, [[] for _ in range(count)], []
        opened = [_handle(nvml, index) for index in range(count)]
        handles = [handle for handle, _ in opened]
        buses = [_bus(nvml, handle) for handle in handles]
        ends = [why or _link_ends(nvml, handle, buses) for handle, why in opened]
        links = [_nvlink(nvml, handle, end) for handle, end in zip(handles, ends, strict=True)]
        return links, [_slices(nvml, handle) for handle in handles], _matrix(nvml, handles, ends)


@contextmanager
def _driver() -> Iterator[Any]:
    try:
        import pynvml as nvml

        nvml.nvmlInit()
    except Exception:  # ImportError, or an NVMLError whose class comes with the import
        yield None
        return
    try:
        yield nvml
    finally:
        with suppress(nvml.NVMLError):
            nvml.nvmlShutdown()


def _handle(nvml: Any, index: int) -> tuple[Any, str]:
    """None and the reason for a GPU that fell off the bus: nothing can be asked about it, and the others answer."""
    try:
        return nvml.nvmlDeviceGetHandleByIndex(index), ""
    except nvml.NVMLError as error:
        return None, f"unknown: {error}"


def _link_ends(nvml: Any, handle: Any, buses: list[str]) -> dict[int, str | None] | str:
    """Link -> where it leads ("GPU 3", "switch", "elsewhere"), None if it is down; or why nothing is known."""
    ends: dict[int, str | None] = {}
    for link in range(MOST_LINKS):
        try:
            active = nvml.nvmlDeviceGetNvLinkState(handle, link)
        except (nvml.NVMLError, AttributeError) as error:
            if not ends and "permission" in str(error).lower():
                return f"unknown: {error}"
            break  # the driver refuses the first number past the last link
        ends[link] = _far_end(nvml, handle, link, buses) if active else None
    return ends


def _far_end(nvml: Any, handle: Any, link: int, buses: list[str]) -> str:
    try:
        if nvml.nvmlDeviceGetNvLinkRemoteDeviceType(handle, link) == SWITCH:
            return "switch"
    except (nvml.NVMLError, AttributeError):
        pass  # older drivers do not tell the type; the address below does for GPUs
    try:
        bus = _text(nvml.nvmlDeviceGetNvLinkRemotePciInfo(handle, link).busId)
    except (nvml.NVMLError, AttributeError):
        return "elsewhere"
    return f"GPU {buses.index(bus)}" if bus in buses else "elsewhere"


def _nvlink(nvml: Any, handle: Any, ends: dict[int, str | None] | str) -> NvLink:
    if isinstance(ends, str):
        return NvLink(links=ends, active=ends, version=ends, peers=[])
    up = [link for link, end in ends.items() if end is not None]
    version = _version(nvml, handle, up[0]) if up else "unknown: no link is active"
    peers = sorted({end for end in ends.values() if end is not None})
    return NvLink(links=len(ends), active=len(up), version=version, peers=peers)


def _version(nvml: Any, handle: Any, link: int) -> str:
    try:
        number = int(nvml.nvmlDeviceGetNvLinkVersion(handle, link))
        hopper = tuple(nvml.nvmlDeviceGetCudaComputeCapability(handle)) == (9, 0)
    except (nvml.NVMLError, AttributeError) as error:
        return f"unknown: {error}"
    version = VERSIONS.get(number, f"unknown: the driver says {number}, which is not in the table")
    if hopper and version == "5.0":  # some drivers do: Hopper has the fourth generation
        return "unknown: the driver says 5.0, which no Hopper has"
    return version


def _matrix(nvml: Any, handles: list[Any], ends: list[dict[int, str | None] | str]) -> list[list[str]]:
    size = range(len(handles))
    return [[_path(nvml, handles, ends, one, other) for other in size] for one in size]


def _path(nvml: Any, handles: list[Any], ends: list[dict[int, str | None] | str], one: int, other: int) -> str:
    if one == other:
        return "X"
    for end in (one, other):
        if handles[end] is None:
            return str(ends[end])
    links = _links_between(nvml, handles, ends, one, other)
    if links:
        return f"NV{links}"
    try:
        level = int(nvml.nvmlDeviceGetTopologyCommonAncestor(handles[one], handles[other]))
    except (nvml.NVMLError, AttributeError) as error:
        return f"unknown: {error}"
    return PATHS.get(level, f"unknown: the driver says level {level}")


def _links_between(nvml: Any, handles: list[Any], ends: list[dict[int, str | None] | str], one: int, other: int) -> int:
    """Direct links; through switches, what both have to the switches, if the driver lets the two talk over them."""
    here, there = ends[one], ends[other]
    if isinstance(here, str) or isinstance(there, str):
        return 0
    direct = list(here.values()).count(f"GPU {other}")
    if direct:
        return direct
    switched = min(list(here.values()).count("switch"), list(there.values()).count("switch"))
    try:
        joined = nvml.nvmlDeviceGetP2PStatus(handles[one], handles[other], P2P_NVLINK) == P2P_OK
    except (nvml.NVMLError, AttributeError):
        joined = False  # a switch whose fabric is not up joins nobody
    return switched if joined else 0


def _slices(nvml: Any, handle: Any) -> list[Slice]:
    if handle is None:
        return []
    try:
        if not nvml.nvmlDeviceGetMigMode(handle)[0]:
            return []
        most = nvml.nvmlDeviceGetMaxMigDeviceCount(handle)
    except (nvml.NVMLError, AttributeError):
        return []
    found = []
    for number in range(most):
        try:
            part = nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, number)
        except (nvml.NVMLError, AttributeError):
            continue  # numbers of slices have gaps
        found.append(_slice(nvml, part))
    return found


def _slice(nvml: Any, part: Any) -> Slice:
    try:
        name = _text(nvml.nvmlDeviceGetName(part))
    except (nvml.NVMLError, AttributeError) as error:
        name = f"unknown: {error}"
    try:
        attributes = nvml.nvmlDeviceGetAttributes(part)
        return Slice(
            name=name, multiprocessors=attributes.multiprocessorCount, memory_bytes=attributes.memorySizeMB * 2**20
        )
    except (nvml.NVMLError, AttributeError) as error:
        return Slice(name=name, multiprocessors=f"unknown: {error}", memory_bytes=f"unknown: {error}")


def _bus(nvml: Any, handle: Any) -> str:
    if handle is None:
        return ""
    try:
        return _text(nvml.nvmlDeviceGetPciInfo(handle).busId)
    except (nvml.NVMLError, AttributeError):
        return ""


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
