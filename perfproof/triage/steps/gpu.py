"""Read the GPUs: clocks and why they are there, power, heat, ECC, links now and at most, who computes on them."""

from perfproof.machine import gpus, interconnect
from perfproof.triage.evidence import Absent, Evidence
from perfproof.triage.gpu_health import health

DEADLINE = 15
DRIVER = "/proc/driver/nvidia"


def collect(evidence: Evidence) -> None:
    evidence.ask("nvidia-smi", "-q", "-x", keep="nvidia-smi.xml", seconds=8)
    driver = gpus.read_gpus()
    if "does not answer" in driver.why_none:  # there is a GPU, and it is lost or its driver is broken
        raise RuntimeError(driver.why_none)
    if not driver.found:
        raise Absent(driver.why_none)
    evidence.ask("nvidia-smi", "topo", "-m", keep="topology.txt")
    evidence.ask("nvidia-smi", "nvlink", "-s", keep="nvlink.txt")
    evidence.read(f"{DRIVER}/version", keep="driver-version.txt")
    evidence.read(f"{DRIVER}/params", keep="driver-params.txt")
    errors = [*health(), *(["unknown: the driver does not answer any more"] * len(driver.found))]
    links, slices, matrix = interconnect.read(len(driver.found))
    found = {
        "driver": driver.driver,
        "driver_cuda": driver.driver_cuda,
        "gpus": [
            {
                **gpu.details,
                "nvlink": link.model_dump(),
                "slices": [part.model_dump() for part in parts],
                "health": counted,
            }
            for gpu, link, parts, counted in zip(driver.found, links, slices, errors, strict=False)
        ],
        "matrix": matrix,
    }
    evidence.save("gpu", found)
