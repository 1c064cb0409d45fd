"""Can a pair run here? Timed, verified at its smoke sizes only, or not at all, and the reason."""

import sys

from perfproof.core.facts import Facts
from perfproof.pairs.pair import Availability, Pair
from perfproof.pairs.project import is_own

_INSTALL = {
    "triton": "pip install 'perfproof[triton]'",
    "cuda.bindings": "pip install 'perfproof[cuda]'",
    "numba": "pip install 'perfproof[numba]'",
}


def availability(pair: Pair, facts: Facts) -> Availability:
    missing = _missing_software(pair, facts) or _missing_hardware(pair, facts)
    if missing:
        return Availability(timed=False, verified=False, reason=missing)
    if facts.cuda is not None:
        return Availability(timed=True, verified=True)
    return _on_cpu(pair, facts)


def _missing_software(pair: Pair, facts: Facts) -> str:
    compiler = ("cuda.bindings",) if pair.kernel_files else ()
    for package in (*pair.needs.get("packages", ()), *pair.imports, *compiler):
        if not (_is_there(package, pair) or facts.has_package(package)):
            return f"needs {package}: {_INSTALL.get(package, 'not installed')}"
    return ""


def _is_there(package: str, pair: Pair) -> bool:
    if package in sys.stdlib_module_names or package == "perfproof":
        return True
    return package in pair.optional or is_own(package, pair.folders)


def _missing_hardware(pair: Pair, facts: Facts) -> str:
    least, architecture, gpus = (pair.needs.get(key) for key in ("cuda", "sm", "gpus"))
    gpus = gpus or (1 if pair.kernel_files else None)  # nothing interprets a CUDA kernel on a CPU
    nodes = pair.needs.get("numa", 1)
    if nodes > facts.numa:
        return f"needs {nodes} NUMA nodes; this machine has {facts.numa}"
    if facts.cuda is None:
        if least or architecture or gpus:
            kind = f" of sm_{architecture}" if architecture else f" of capability {least} or newer" if least else ""
            return f"needs {'a GPU' if (gpus or 1) == 1 else f'{gpus} GPUs'}{kind}; {_why_no_gpu(facts)}"
        return ""
    if architecture and round(facts.cuda * 10) != int(architecture.rstrip("af")):
        return f"needs sm_{architecture}; {facts.device} has capability {facts.cuda}"
    if least and facts.cuda < least:
        return f"needs capability {least} or newer; {facts.device} has {facts.cuda}"
    if gpus and facts.gpus < gpus:
        return f"needs {gpus} GPUs; torch can use {facts.gpus}"
    if pair.ranks > 1 and facts.gpus < pair.ranks:  # every rank has a GPU of its own
        there = "there is 1" if facts.gpus == 1 else f"there are {facts.gpus}"
        return f"needs {pair.ranks} GPUs for its {pair.ranks} ranks; {there}"
    return ""


def _on_cpu(pair: Pair, facts: Facts) -> Availability:
    interpreted = "triton" in pair.imports
    if pair.workload_cpu is not None and pair.clock != "kernel" and not interpreted:
        return Availability(timed=True, verified=True)
    needs = f"timing needs a GPU; {_why_no_gpu(facts)}"
    if pair.smoke is None:
        return Availability(timed=False, verified=False, reason=f"{needs} (and it has no smoke sizes to verify)")
    if interpreted:  # an interpreted kernel is right or wrong like a compiled one, but its time means nothing
        return Availability(timed=False, verified=True, reason=f"verified through Triton's interpreter; {needs}")
    return Availability(timed=False, verified=True, reason=needs)


def _why_no_gpu(facts: Facts) -> str:
    return facts.why_no_gpu or "there is no GPU here"
