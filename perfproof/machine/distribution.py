"""Lines that install a package with this system's own package manager."""

from perfproof.machine import software, tool_version

MANAGERS = {"apt-get": "sudo apt-get install -y", "dnf": "sudo dnf install -y", "zypper": "sudo zypper install -y"}
SEARCHES = {"apt-get": "apt-cache show", "dnf": "dnf -q info", "zypper": "zypper -q info"}
DRIVER = "nvidia-open"  # NVIDIA's package of the driver with open kernel modules, under this name for all three
REPOSITORY = "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/"


def install(*packages: str) -> str:
    return f"{MANAGERS[_manager()]} {' '.join(packages)}"


def install_of_nvidia(*packages: str) -> str:
    """Shell lines: NVIDIA's packages need NVIDIA's repository, which only a person can choose to trust."""
    return "\n".join(
        (
            f"if {SEARCHES[_manager()]} {packages[0]} > /dev/null 2>&1; then",
            f"  {install(*packages)}",
            "else",
            f'  echo "No configured repository has {packages[0]}. Set up NVIDIA\'s first: {REPOSITORY}"',
            "  false",
            "fi",
        )
    )


def install_of_cuda(part: str) -> str:
    """Shell lines for a part of the CUDA toolkit, of the version that torch was built for: cuda-nvcc-13-0."""
    version = software.torch_build().get("cuda")
    package = f"cuda-{part}-{version.replace('.', '-')}" if version else f"cuda-{part}"
    return f"{install_of_nvidia(package)} && echo 'Its programs are in /usr/local/cuda/bin: put that on your PATH.'"


def _manager() -> str:
    """The first package manager that is there; apt-get if none is."""
    return next((name for name in MANAGERS if tool_version.find(name)), "apt-get")
