"""Which kernels a program brought by itself (Triton, CUDA), and which are a library's; which take most of the time."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from perfproof.core.profile_record import Portion
from perfproof.profile.kernel_identity import last_part
from perfproof.profile.kernel_names import split_name

# Names of kernels of libraries, of torch's compiler and of its own operators.
LIBRARY = re.compile(
    r"at::|at_cuda_detail|c10::|cub::|thrust|cutlass|cudnn|cublas|cusparse|cufft|cusolver|magma|nccl|nvjet|xmma|flash|"
    r"fmha|gemm|gemv|splitK|implicit_convolve|winograd|nchw|nhwc|curand|^triton_(poi|red|per|mm|tem|for|split)|"
    r"multi_tensor|^Mem(cpy|set)|cask|ampere_|sm\d\d_|volta_|wgmma|cunn_|elementwise|reduce_kernel"
)
MOST = 5  # kernels that are counted
MOSTLY, LEAST_SECONDS = 0.5, 0.5  # of the recorded kernels' time; in all, or the device had little to do


@lru_cache(maxsize=10_000)  # a trace has few names, and many launches of each
def is_library(kernel: str) -> bool:
    return LIBRARY.search(kernel) is not None


def function_of(kernel: str) -> str:
    """As Nsight Compute matches it: without namespaces, parameters and templates."""
    return last_part(split_name(kernel).plain) or split_name(kernel).plain


def longest(portions: Sequence[Portion], most_launches: float = math.inf) -> list[str]:
    """The functions of the kernels that take most of the time; without those that alone are launched more often, as one
    of them would leave no room for the others."""
    names = [name for name, _ in _spent(portions).most_common()]
    return [name for name in names if launches_of(portions, [name]) <= most_launches][:MOST]


def dominant_own(portions: Sequence[Portion]) -> str:
    """The program's own kernel that takes most of the device's time; empty if none does."""
    spent = _spent(portions)
    own = {function_of(one.name) for one in portions if one.kind == "kernel" and not is_library(one.name)}
    name, seconds = next(iter(spent.most_common(1)), ("", 0.0))
    return name if name in own and seconds > MOSTLY * spent.total() and spent.total() > LEAST_SECONDS else ""


def launches_of(portions: Sequence[Portion], functions: Sequence[str]) -> float:
    """How often these were launched in the recording."""
    return sum(one.launches for one in portions if one.kind == "kernel" and function_of(one.name) in functions)


def pattern(functions: Sequence[str]) -> str:
    """A regular expression that matches these functions whole."""
    return f"^({'|'.join(re.escape(name) for name in functions)})$"


def _spent(portions: Sequence[Portion]) -> Counter[str]:
    spent: Counter[str] = Counter()
    for one in portions:
        if one.kind == "kernel":
            spent[function_of(one.name)] += one.seconds or 0.0  # type: ignore[assignment]
    return spent
