"""The driver against the CUDA that torch was built for, and GPUs that have no driver at all."""

from perfproof.core.doctor import Finding
from perfproof.machine import distribution, driver_needs, gpus, software
from perfproof.machine.snapshot import in_container
from perfproof.machine.torch_said import torch_said

GROUP, FOR_GPUS = "machine", True
NAME = "driver for torch"
FIX = distribution.install(distribution.DRIVER) + " && sudo reboot"
HOST = "on the host, outside of this container: "
TORCH_FIX = "pip install uv && uv pip install --reinstall torch --torch-backend=auto"  # takes the CUDA of this driver


def probe() -> Finding:
    seen, build = gpus.read_gpus(), software.torch_build()
    built_for = torch_said("targets").get("built_for", []) if seen.found and build.get("cuda") else []
    return judge(seen, driver_needs.gpus_on_the_bus(), build, built_for, in_container())


def judge(
    seen: gpus.Gpus, on_the_bus: int, build: dict[str, str | None], built_for: list[str], container: bool
) -> Finding:
    if not seen.found:
        return _without_driver(seen, on_the_bus, container)
    version = f"driver {seen.driver}" if seen.driver else ""
    cuda = build.get("cuda")
    if not build:
        return Finding(name=NAME, state="absent", why="torch is not installed", fix=TORCH_FIX, version=version)
    if build.get("hip"):
        why = "torch is a ROCm build: it can't use this GPU"
        return Finding(name=NAME, state="denied", why=why, fix=TORCH_FIX, version=version)
    if cuda is None:
        why = f"torch is a CPU build beside {len(seen.found)} GPU(s): it can't use them"
        return Finding(name=NAME, state="denied", why=why, fix=TORCH_FIX, version=version)
    return _judge_versions(seen, cuda, built_for, container).model_copy(update={"version": version})


def _without_driver(seen: gpus.Gpus, on_the_bus: int, container: bool) -> Finding:
    if not on_the_bus:
        return Finding(name=NAME, state="absent", why=f"no NVIDIA GPU on the PCI bus ({seen.why_none})")
    why = f"{on_the_bus} NVIDIA GPU(s) on the PCI bus and no driver that answers ({seen.why_none})"
    if container:
        return Finding(name=NAME, state="denied", why=why, fix="docker run --gpus all ...")
    if "nvidia-ml-py" in seen.why_none:
        return Finding(name=NAME, state="unknown", why=why, fix="pip install nvidia-ml-py")
    return Finding(name=NAME, state="denied", why=why, fix=FIX, script=_script())


def _judge_versions(seen: gpus.Gpus, cuda: str, built_for: list[str], container: bool) -> Finding:
    if seen.driver_cuda is None:
        return Finding(name=NAME, state="unknown", why="the driver does not say which CUDA it is for")
    versions = f"the driver is for CUDA {seen.driver_cuda}, torch for CUDA {cuda}"
    runs = driver_needs.runs(seen.driver_cuda, cuda)
    fix = f"{HOST}{FIX}" if container else FIX
    script = "" if container else _script()
    if runs == "nothing":
        least = driver_needs.first_driver(cuda)
        why = f"{versions}: torch can't start CUDA" + (f"; it needs driver {least} or newer" if least else "")
        return Finding(name=NAME, state="denied", why=why, fix=fix, script=script)
    lacking = [gpu for gpu in seen.found if gpu.capability and not driver_needs.has_kernels(gpu.capability, built_for)]
    if built_for and lacking:
        why = f"torch has no kernels for {lacking[0].details['name']} (compute capability {lacking[0].capability})"
        return Finding(name=NAME, state="denied", why=why, fix=TORCH_FIX)
    if runs == "no new ptx":
        why = f"{versions}: kernels run, but PTX that this torch's CUDA compiles is refused"
        return Finding(name=NAME, state="limited", why=why, fix=fix, script=script)
    return Finding(name=NAME, state="works", why=versions)


def _script() -> str:
    return (
        f"{distribution.install_of_nvidia(distribution.DRIVER)} && echo 'Restart the machine to load the new driver.'"
    )
