"""Compile a kernel with NVRTC through cuda.core; needs no GPU. One JSON line says how large the cubin is."""

import json
import sys

SOURCE = 'extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }'


def main() -> int:
    from cuda.core import Program, ProgramOptions

    cubin = Program(SOURCE, "c++", ProgramOptions(arch="sm_90")).compile("cubin")
    print(json.dumps({"ok": len(cubin.code) > 0, "bytes": len(cubin.code)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
