"""The libraries that a pair imports. They are loaded before the pair, so that no side is blamed for what they do.

A library that sets an environment variable, a signal handler or a thread count when it is imported does so for every
side alike. And it is loaded once per launch, not in every worker: importing a compiler takes longer than most pairs.
"""

import ast
import contextlib
import importlib.util
import os
import re
import site
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType

# A virtual environment with --system-site-packages uses the packages of the Python that it was made from, too.
_SITES = (*site.getsitepackages([sys.prefix, sys.base_prefix]), site.getusersitepackages())
_OWN = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
FOLDERS = tuple({folder + os.sep for folder in (*_OWN, *_SITES)})
COMPILES = "-compiles-"  # among names: the pair has compiled something
_USES_DYNAMO = re.compile(r"torch\.(optim|utils\.checkpoint)\b|from torch(\.utils)? import .*\b(optim|checkpoint)\b")
WORTH_IT = 10  # modules: fewer are imported faster than a process is made for them
LONGEST_REASON = 80  # characters of torch's own words
COMPILERS = ("torch._dynamo", "torch._functorch.aot_autograd", "torch._inductor.compile_fx")  # thousands of modules


def load(names: Iterable[str]) -> list[str]:
    """Import these and return the new ones. One that cannot be imported is skipped: the pair will raise the error."""
    new = [name for name in names if name not in sys.modules]
    for name in new:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    return new


def worth_a_process(names: list[str]) -> bool:
    return len(names) >= WORTH_IT or any(name in COMPILERS for name in names)


def work_out_once(folder: Path) -> None:
    """What Inductor works out in every process about itself and the processor: seconds, and alike in all of them.

    The keys of its caches are checksums of whole libraries: the first process keeps them in a `folder` of the run.
    """
    for name in ("torch_key", "triton_key"):
        with contextlib.suppress(Exception):
            _share(getattr(sys.modules["torch._inductor.codecache"], name), folder / name)
    if sys.modules["torch"].version.cuda is None:  # kernels for a GPU need no vector instructions
        with contextlib.suppress(Exception):
            _choose_instructions()


def _choose_instructions() -> None:
    """Have Inductor choose the vector instructions: the best ones for which a test program builds and loads.

    Of an x86 processor it takes the first that work, and builds a program for each of the others too. They are taken as
    they come here if the best ones work and nobody asked for others.
    """
    known, cpp = sys.modules["torch._inductor.cpu_vec_isa"], sys.modules["torch._inductor.config"].cpp
    here, before = known.x86_isa_checker(), cpp.vec_isa_ok
    best = next((one for one in known.supported_vec_isa_list if here and set(str(one).split()) <= set(here)), None)
    if best is not None and before is None and "ATEN_CPU_CAPABILITY" not in os.environ and bool(best):
        cpp.vec_isa_ok = True
    try:
        known.pick_vec_isa()
    finally:
        cpp.vec_isa_ok = before


def _share(key: Callable[[], bytes | str | None], path: Path) -> None:
    """Give a checksum to torch if another process has kept it, else have it worked out and keep it."""
    if path.exists() and hasattr(key, "set"):
        key.set(ast.literal_eval(path.read_text()))
        return
    found = repr(key())
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(found)
    os.replace(file.name, path)


def compiled_graphs() -> int:
    """Graphs that torch.compile has made in this process so far."""
    utils = sys.modules.get("torch._dynamo.utils")
    return utils.counters["stats"]["unique_graphs"] if utils else 0


def skipped_cuda_graphs() -> int:
    """How often torch.compile was to record a CUDA graph, as with mode="reduce-overhead", and could not."""
    utils = sys.modules.get("torch._dynamo.utils")
    return utils.counters["inductor"]["cudagraph_skips"] if utils else 0


def graph_breaks() -> list[str]:
    """Why torch.compile has cut functions into several graphs in this process so far: the reasons, shortened."""
    utils = sys.modules.get("torch._dynamo.utils")
    reasons = [*utils.counters["graph_break"], *utils.counters["unimplemented"]] if utils else []
    return sorted({str(reason).splitlines()[0][:LONGEST_REASON] for reason in reasons if str(reason).strip()})


def forget_graphs() -> None:
    """Let Dynamo begin anew, as in a process that has compiled nothing."""
    if compiled_graphs():
        sys.modules["torch._dynamo"].reset()


def installed(packages: Iterable[str]) -> list[str]:
    """Those that are libraries: installed, not a file of the user's beside the pair."""
    found = []
    for name in packages:
        with contextlib.suppress(Exception):
            spec = importlib.util.find_spec(name)
            if spec is not None and is_installed(spec.origin):
                found.append(name)
    return found


def compilers_in(path: str) -> list[str]:
    """Dynamo and Inductor, if the file calls torch.compile; Dynamo alone, if what it uses of torch imports that.

    On import Inductor puts headers into the run's folder.
    """
    text = Path(path).read_text(errors="replace") if path else ""
    if "torch.compile" in text:
        return [*COMPILERS]
    return [COMPILERS[0]] if _USES_DYNAMO.search(text) else []


def loaded_since(before: frozenset[str]) -> list[str]:
    """Modules of libraries imported since, in the order of their import; and whether something was compiled."""
    found = [name for name, module in list(sys.modules.items()) if name not in before and _is_library(name, module)]
    return [*found, COMPILES] if compiled_graphs() else found


def _is_library(name: str, module: ModuleType | None) -> bool:
    spec = getattr(module, "__spec__", None)
    return spec is not None and spec.name == name and is_installed(spec.origin)


def is_installed(origin: str | None) -> bool:
    """A package without a file of its own (a namespace) has no origin; what it holds is imported by name."""
    return origin in ("built-in", "frozen") or (origin is not None and origin.startswith(FOLDERS))
