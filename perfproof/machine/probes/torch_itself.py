"""torch: can a worker import it?"""

from perfproof.core.doctor import Finding
from perfproof.machine.torch_said import torch_said

GROUP, NEEDED = "measuring", True
FIX = "pip install torch"


def probe() -> Finding:
    return judge(torch_said("torch"))


def judge(said: dict) -> Finding:
    if said["ok"]:
        built = f"built for CUDA {said['cuda']}" if said.get("cuda") else "a CPU build"
        return Finding(name="torch", state="works", why=built, version=str(said.get("version", "")))
    if said["ok"] is None:
        return Finding(name="torch", state="unknown", why=said["why"])
    if "No module named 'torch'" in said["why"]:
        return Finding(name="torch", state="absent", why="torch is not installed", fix=FIX)
    return Finding(
        name="torch", state="denied", why=f"it cannot be imported: {said['why']}", fix=f"{FIX} --force-reinstall"
    )
