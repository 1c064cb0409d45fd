"""Print the attributes of every CUDA device as JSON. Its own process: a process that called cuInit must not be forked.

No context is made, so no memory is taken on the device and nothing runs there.
"""

import ctypes
import json
import sys

ATTRIBUTES = {  # CUdevice_attribute of cuda.h
    "multiprocessors": 16,
    "memory_bus_bits": 37,
    "l2_bytes": 38,
    "threads_per_sm": 39,
    "capability_major": 75,
    "capability_minor": 76,
    "shared_memory_per_sm_bytes": 81,
    "registers_per_sm": 82,
    "shared_memory_per_block_bytes": 97,
    "cluster_launch": 120,
}


def main() -> int:
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        print(json.dumps({"why": "libcuda.so.1 is not there"}))
        return 0
    code = cuda.cuInit(0)
    if code != 0:
        print(json.dumps({"why": f"cuInit says {code}"}))
        return 0
    count = ctypes.c_int()
    cuda.cuDeviceGetCount(ctypes.byref(count))
    print(json.dumps({"devices": [_device(cuda, number) for number in range(count.value)]}))
    return 0


def _device(cuda: ctypes.CDLL, number: int) -> dict[str, object]:
    device = ctypes.c_int()
    cuda.cuDeviceGet(ctypes.byref(device), number)
    bus = ctypes.create_string_buffer(32)
    cuda.cuDeviceGetPCIBusId(bus, len(bus), device)
    found: dict[str, object] = {"pci": bus.value.decode().lower()}
    for name, attribute in ATTRIBUTES.items():
        value = ctypes.c_int()
        if cuda.cuDeviceGetAttribute(ctypes.byref(value), attribute, device) == 0:
            found[name] = value.value
    return found


if __name__ == "__main__":
    sys.exit(main())
