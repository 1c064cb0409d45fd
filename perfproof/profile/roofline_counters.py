"""Which counters a roofline needs on which architecture, and the ncu command that collects them.

Names differ between chips: fp16 tensor operations are one counter on Hopper and two on Blackwell, and fp8 is counted
under other names on a B300 than on a B200. Each chip's own names are those of the manifest. Those of GH100 and GB100
were checked against the lists that `ncu --query-metrics` prints; a test keeps a copy of those it needs.
"""

from dataclasses import dataclass

from perfproof.profile.manifest.chips import chips
from perfproof.profile.manifest.roles import metrics_of

TIME = "gpu__time_duration.sum"
SM_CYCLES = "sm__cycles_elapsed.sum"  # over all SMs
SM_CLOCK = "sm__cycles_elapsed.avg.per_second"
DRAM_BYTES = "dram__bytes.sum"
DRAM_READ, DRAM_WRITE = "dram__bytes_read.sum", "dram__bytes_write.sum"
L2_BYTES = "lts__t_bytes.sum"
SHARED_BYTES = "sm__sass_data_bytes_mem_shared.sum"
DRAM_USED = "dram__throughput.avg.pct_of_peak_sustained_elapsed"
TENSOR_USED = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"
TC_USED = "sm__pipe_tc_cycles_active.avg.pct_of_peak_sustained_elapsed"  # of Blackwell
TENSOR_BUSY = (TENSOR_USED, TC_USED)
TMEM_USED = "sm__mem_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"
GMMA_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum"
GMMA_BYTES = "sm__sass_data_bytes_mem_shared_op_gmma.sum"


def instructions(kind: str) -> str:
    return f"sm__sass_thread_inst_executed_op_{kind}_pred_on.sum"


# Operations of one executed thread instruction. FADD2, FMUL2 and FFMA2 (Blackwell) work on two numbers.
VECTOR = {
    "fp32": {"fadd": 1, "fmul": 1, "ffma": 2},
    "fp64": {"dadd": 1, "dmul": 1, "dfma": 2},
    "fp16 vector": {"hadd": 1, "hmul": 1, "hfma": 2},
}
PACKED = {"fadd2": 2, "fmul2": 2, "ffma2": 4}
TENSOR_ROLES = {  # dtype -> role of the manifest's group TC; a chip that has no counter for one does without
    "bf16": "bf16",
    "fp16": "fp16",
    "tf32": "tf32",
    "fp8": "fp8",  # on GB100 with fp4 and fp6 in it
    "fp4": "fp4",
    "int8": "int8",
    "fp64 tensor": "fp64",
}


@dataclass(frozen=True)
class Architecture:
    """What is counted on one architecture."""

    name: str  # sm_90
    chip: str
    vector: dict[str, dict[str, int]]  # dtype -> instruction -> operations
    tensor: dict[str, list[str]]  # dtype -> counters
    feed: tuple[str, ...]  # counters of what feeds the tensor cores
    passes: int  # replays of each kernel: by NVIDIA's metrics evaluator, and one more (manifest.selection.made)

    def metrics(self) -> list[str]:
        """Everything the reader can use, in the order of the command."""
        vector = [instructions(kind) for kinds in self.vector.values() for kind in kinds]
        ops = [metric for metrics in self.tensor.values() for metric in metrics]
        level = [DRAM_BYTES, L2_BYTES, SHARED_BYTES]
        return [TIME, SM_CYCLES, SM_CLOCK, *level, *vector, *ops, TENSOR_USED, DRAM_USED, *self.feed]


def architecture(name: str, chip: str, passes: int) -> Architecture:
    """What the manifest knows of the chip."""
    packed = {kind: times for kind, times in PACKED.items() if metrics_of([f"FLOP.{kind}"], chip)}
    tensors = {dtype: metrics_of([f"TC.{role}"], chip) for dtype, role in TENSOR_ROLES.items()}
    return Architecture(
        name,
        chip,
        VECTOR | {"fp32": VECTOR["fp32"] | packed},
        {dtype: metrics for dtype, metrics in tensors.items() if metrics},
        tuple(metrics_of(["FEED", "TMEM.busy"], chip)),
        passes,
    )


HOPPER = architecture("sm_90", "GH100", passes=8)
ARCHITECTURES = {
    one.name: one
    for one in (
        HOPPER,
        architecture("sm_100", "GB100", passes=9),
        architecture("sm_103", "GB110", passes=10),
        architecture("sm_120", "GB202", passes=10),
        architecture("sm_80", "GA100", passes=8),
        architecture("sm_89", "AD102", passes=9),
        architecture("sm_75", "TU104", passes=4),
    )
}


def architecture_of(capability: str) -> Architecture | None:
    """By compute capability, as chips.toml lists it (9.0 is Hopper, 8.0 an A100); None if there is no list here."""
    return next((one for one in ARCHITECTURES.values() if capability in chips()[one.chip].also), None)


def collect_command(architecture: Architecture) -> str:
    """The command line to copy: raw page, base units, whole names, clocks and caches as the program finds them."""
    metrics = ",\\\n".join(architecture.metrics())
    return (
        "LC_ALL=C ncu --csv --page raw --print-units base --print-kernel-base mangled --log-file kernels.csv \\\n"
        "  --target-processes all --clock-control none --cache-control none \\\n"
        f"  --metrics \\\n{metrics} \\\n"
        "  python your_program.py"
    )
