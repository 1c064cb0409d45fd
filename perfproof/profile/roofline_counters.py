"""Which counters a roofline needs on which architecture, and the ncu command that collects them.

Names differ between chips: fp16 tensor operations are one counter on Hopper and two on Blackwell. The names were
checked against the lists that `ncu --query-metrics` prints for GH100 and GB100; a test keeps a copy of those it needs.
"""

from dataclasses import dataclass

TIME = "gpu__time_duration.sum"
SM_CYCLES = "sm__cycles_elapsed.sum"  # over all SMs
SM_CLOCK = "sm__cycles_elapsed.avg.per_second"
DRAM_BYTES = "dram__bytes.sum"
DRAM_READ, DRAM_WRITE = "dram__bytes_read.sum", "dram__bytes_write.sum"
L2_BYTES = "lts__t_bytes.sum"
SHARED_BYTES = "sm__sass_data_bytes_mem_shared.sum"
DRAM_USED = "dram__throughput.avg.pct_of_peak_sustained_elapsed"
TENSOR_USED = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"
TMEM_USED = "sm__mem_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"
GMMA_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum"
GMMA_BYTES = "sm__sass_data_bytes_mem_shared_op_gmma.sum"


def instructions(kind: str) -> str:
    return f"sm__sass_thread_inst_executed_op_{kind}_pred_on.sum"


def tensor(kind: str) -> str:
    return f"sm__ops_path_tensor_src_{kind}.sum"


# Operations of one executed thread instruction. FADD2, FMUL2 and FFMA2 (Blackwell) work on two numbers.
VECTOR = {
    "fp32": {"fadd": 1, "fmul": 1, "ffma": 2},
    "fp64": {"dadd": 1, "dmul": 1, "dfma": 2},
    "fp16 vector": {"hadd": 1, "hmul": 1, "hfma": 2},
}
VECTOR_BLACKWELL = {"fp32": VECTOR["fp32"] | {"fadd2": 2, "fmul2": 2, "ffma2": 4}}
TENSOR_HOPPER = {"bf16": ["bf16_dst_fp32"], "fp16": ["fp16"], "tf32": ["tf32_dst_fp32"], "fp8": ["fp8"]}
TENSOR_BLACKWELL = {
    "bf16": ["bf16_dst_fp32"],
    "fp16": ["fp16_dst_fp32", "fp16_dst_fp16"],
    "tf32": ["tf32_dst_fp32"],
    "fp8": ["fp4_fp6_fp8_dst_fp32", "fp4_fp6_fp8_dst_fp16"],
    "fp4": ["fp4_dst_fp32"],
}
TENSOR_BOTH = {"int8": ["int8"], "fp64 tensor": ["fp64"]}


@dataclass(frozen=True)
class Architecture:
    """What is counted on one architecture."""

    name: str  # sm_90
    chip: str
    vector: dict[str, dict[str, int]]  # dtype -> instruction -> operations
    tensor: dict[str, list[str]]  # dtype -> source types
    feed: tuple[str, ...]  # counters of what feeds the tensor cores
    passes: int  # replays of each kernel: by NVIDIA's metrics evaluator, and one more (manifest.selection.made)

    def metrics(self) -> list[str]:
        """Everything the reader can use, in the order of the command."""
        vector = [instructions(kind) for kinds in self.vector.values() for kind in kinds]
        ops = [tensor(kind) for kinds in self.tensor.values() for kind in kinds]
        level = [DRAM_BYTES, L2_BYTES, SHARED_BYTES]
        return [TIME, SM_CYCLES, SM_CLOCK, *level, *vector, *ops, TENSOR_USED, DRAM_USED, *self.feed]


HOPPER = Architecture("sm_90", "GH100", VECTOR, TENSOR_HOPPER | TENSOR_BOTH, (GMMA_WAVEFRONTS, GMMA_BYTES), passes=8)
BLACKWELL = Architecture(
    "sm_100", "GB100", VECTOR | VECTOR_BLACKWELL, TENSOR_BLACKWELL | TENSOR_BOTH, (TMEM_USED,), passes=9
)
ARCHITECTURES = {one.name: one for one in (HOPPER, BLACKWELL)}


def architecture_of(capability: str) -> Architecture | None:
    """By compute capability: 9.0 is Hopper, 10.0 and 10.3 Blackwell of the data centre; others have no list here."""
    return {"9": HOPPER, "10": BLACKWELL}.get(capability.partition(".")[0])


def collect_command(architecture: Architecture) -> str:
    """The command line to copy: raw page, base units, whole names, clocks and caches as the program finds them."""
    metrics = ",\\\n".join(architecture.metrics())
    return (
        "LC_ALL=C ncu --csv --page raw --print-units base --print-kernel-base mangled --log-file kernels.csv \\\n"
        "  --target-processes all --clock-control none --cache-control none \\\n"
        f"  --metrics \\\n{metrics} \\\n"
        "  python your_program.py"
    )
