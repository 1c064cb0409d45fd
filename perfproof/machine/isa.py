"""The instruction sets of this CPU that decide the speed of arithmetic, and who made it, from /proc/cpuinfo."""

import platform
import re

from perfproof.machine import arm_cores, kernel_files

CPUINFO = "/proc/cpuinfo"

# What the kernel calls a feature, and what people call it. x86: "flags"; Arm: "Features" (arch/*/kernel/cpuinfo.c).
X86 = {
    "sse4_2": "SSE4.2",
    "avx": "AVX",
    "f16c": "F16C",
    "fma": "FMA",
    "avx2": "AVX2",
    "avx_vnni": "AVX-VNNI",
    "avx512f": "AVX-512F",
    "avx512bw": "AVX-512BW",
    "avx512dq": "AVX-512DQ",
    "avx512vl": "AVX-512VL",
    "avx512_vnni": "AVX-512-VNNI",
    "avx512_bf16": "AVX-512-BF16",
    "avx512_fp16": "AVX-512-FP16",
    "avx10": "AVX10",
    "amx_tile": "AMX-TILE",
    "amx_int8": "AMX-INT8",
    "amx_bf16": "AMX-BF16",
    "amx_fp16": "AMX-FP16",
}
ARM = {
    "asimd": "NEON",
    "asimdhp": "NEON-FP16",
    "asimddp": "NEON-DOTPROD",
    "i8mm": "I8MM",
    "bf16": "BF16",
    "sve": "SVE",
    "svei8mm": "SVE-I8MM",
    "svebf16": "SVE-BF16",
    "sve2": "SVE2",
    "sme": "SME",
    "sme2": "SME2",
}
WIDTHS = {"AVX-512F": 512, "AVX2": 256, "AVX": 256, "SSE4.2": 128}


def features() -> list[str]:
    return parse_features(kernel_files.read_text(CPUINFO) or "")


def features_of(host: object) -> frozenset[str]:
    """Those of this machine if it has that name; of another nothing is known."""
    return frozenset(features()) if host == platform.node() else frozenset()


def vendor() -> str:
    return parse_vendor(kernel_files.read_text(CPUINFO) or "")


def vector_bits() -> int | str:
    """The width of the widest vector register; of SVE, what the kernel gives to a process."""
    found = features()
    if "SVE" in found:
        length = kernel_files.read_int("/proc/sys/abi/sve_default_vector_length")
        if length is None or not 16 <= length <= 256:  # bytes: 128 to 2048 bits (Arm ARM, SVE)
            return "unknown: the kernel does not say how long an SVE vector is"
        return 8 * length
    if "NEON" in found:
        return 128
    widths = [WIDTHS[name] for name in found if name in WIDTHS]
    return max(widths) if widths else "unknown: /proc/cpuinfo names no vector instructions"


def parse_features(text: str) -> list[str]:
    for key, names in (("flags", X86), ("Features", ARM)):
        match = re.search(rf"^{key}\s*:(.*)$", text, re.MULTILINE)
        if match:
            present = set(match.group(1).split())
            return [name for flag, name in names.items() if flag in present]
    return []


def parse_vendor(text: str) -> str:
    match = re.search(r"^vendor_id[ \t]*:[ \t]*(\S.*)$", text, re.MULTILINE)
    if match:
        names = {"GenuineIntel": "Intel", "AuthenticAMD": "AMD", "HygonGenuine": "Hygon"}
        return names.get(match.group(1).strip(), match.group(1).strip())
    return arm_cores.implementer_name(text) or "unknown: /proc/cpuinfo names no vendor"
