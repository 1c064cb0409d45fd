"""Which variables of the environment may be shown: those that change how fast a program is, and no others.

A list of what is allowed: a list of what is forbidden never names the variable that somebody invents tomorrow.
"""

from perfproof.core.secrets import find, is_secret, names_a_secret

PREFIXES = (
    "CUDA_", "CUBLAS_", "CUDNN_", "NCCL_", "NVSHMEM_", "NVIDIA_", "NVTE_", "TORCH", "PYTORCH_", "TRITON_", "OMP_",
    "MKL_", "KMP_", "GOMP_", "OPENBLAS_", "BLIS_", "DNNL_", "ONEDNN_", "UCX_", "FI_", "GLOO_", "IBV_", "RDMAV_", "XLA_",
    "MALLOC_", "PERFPROOF_", "VLLM_", "FLASH_ATTENTION_", "TOKENIZERS_",
)  # fmt: skip
_NAMES = (
    "WORLD_SIZE RANK LOCAL_RANK LOCAL_WORLD_SIZE NODE_RANK GROUP_RANK LANG LC_ALL PYTHONHASHSEED PYTHONOPTIMIZE "
    "PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONGIL LD_PRELOAD LD_LIBRARY_PATH NO_COLOR CI "
    "SLURM_NNODES SLURM_JOB_NUM_NODES SLURM_NTASKS SLURM_NTASKS_PER_NODE SLURM_CPUS_PER_TASK SLURM_CPUS_ON_NODE "
    "SLURM_GPUS SLURM_GPUS_ON_NODE SLURM_GPUS_PER_NODE SLURM_GPUS_PER_TASK SLURM_PROCID SLURM_LOCALID SLURM_NODEID "
    "SLURM_MEM_PER_NODE SLURM_CPU_BIND SLURM_DISTRIBUTION"
)
NAMES = frozenset(_NAMES.split())
JSON_KEYS = frozenset({"env", "environ", "environment", "env_vars", "environment_variables"})
SHORTEST_SECRET = 6


def is_allowed(name: str) -> bool:
    return (name in NAMES or name.startswith(PREFIXES)) and not names_a_secret(name)


def holds_a_secret(name: str, value: str) -> bool:
    """By its name, or because the whole value has the form of one."""
    if len(value) < SHORTEST_SECRET:
        return False
    return is_secret(name, value) or any(found.end - found.start == len(value) for found in find(value))
