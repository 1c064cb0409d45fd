"""Play back machines from tests/machine/recorded: kernel files as a folder, a driver as a made-up NVML.

Every file says in its first line, or its field `source`, whether it is "recorded" or "written after documentation".
`python -m tests.machine.replay > tests/machine/recorded/nvml_NAME.json` records the driver of the machine it runs on.
"""

import json
import re
from pathlib import Path
from types import SimpleNamespace

FOLDER = Path(__file__).parent / "recorded"
CONSTANTS = {"NVML_CLOCK_SM": 1, "NVML_CLOCK_MEM": 2, "NVML_TEMPERATURE_GPU": 0}


def recorded(name):
    """The text of a recording, without the line that says what it is."""
    first, _, text = (FOLDER / name).read_text().partition("\n")
    assert first.startswith(("# recorded: ", "# written after documentation: ")), name
    return text


def unpack(name, root):
    """Write the kernel files of a recorded machine under `root`: "==> /path <==", "==> /link -> target <=="."""
    parts = re.split(r"^==> (\S+)(?: -> (\S+))? <==\n", recorded(name), flags=re.MULTILINE)[1:]
    for path, target, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        file = root / path.lstrip("/")
        if path.endswith("/"):
            file.mkdir(parents=True, exist_ok=True)
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(target) if target else file.write_text(text)


class NVMLError(Exception):
    pass


class Handle:
    def __init__(self, name, answers):
        self.name, self.answers = name, answers


class Nvml(SimpleNamespace):
    """NVML as a recording answers it: "function:argument" or a list by number; what is not there is refused."""

    def __init__(self, name):
        told = json.loads((FOLDER / name).read_text())
        assert told["source"].startswith(("recorded: ", "written after documentation: ")), name
        handles = [Handle(f"gpu{index}", gpu) for index, gpu in enumerate(told["gpus"])]
        super().__init__(
            NVMLError=NVMLError,
            nvmlInit=lambda: None,
            nvmlShutdown=lambda: None,
            nvmlDeviceGetCount=lambda: len(handles),
            nvmlSystemGetDriverVersion=lambda: told["driver"],
            nvmlSystemGetCudaDriverVersion=lambda: told["cuda"],
            nvmlDeviceGetHandleByIndex=lambda index: handles[index],
            **CONSTANTS,
        )

    def __getattr__(self, function):
        if not function.startswith("nvmlDeviceGet"):
            raise AttributeError(function)
        return lambda handle, *arguments: self.answer(handle, function, arguments)

    def answer(self, handle, function, arguments):
        key = ":".join([function, *(a.name if isinstance(a, Handle) else str(a) for a in arguments)])
        value = handle.answers.get(key, handle.answers.get(function))
        if arguments and key not in handle.answers and isinstance(value, list):
            value = value[arguments[-1]] if arguments[-1] < len(value) else {"error": "Invalid Argument"}
        if value is None or (isinstance(value, dict) and "error" in value):
            raise NVMLError((value or {}).get("error", handle.answers.get("otherwise", "Not Supported")))
        if isinstance(value, dict):
            mig = function == "nvmlDeviceGetMigDeviceHandleByIndex"
            return Handle("mig", value) if mig else SimpleNamespace(**value)
        return value


def record():
    """This machine's driver, as the tests play it back; the UUID is replaced, and processes are left out."""
    import pynvml

    pynvml.nvmlInit()
    count = pynvml.nvmlDeviceGetCount()
    handles = [pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(count)]
    gpus = []
    for index, handle in enumerate(handles):
        gpu = {"nvmlDeviceGetUUID": f"GPU-{index}", "nvmlDeviceGetComputeRunningProcesses": []}
        for key in json.loads((FOLDER / "nvml_h200.json").read_text())["gpus"][0]:
            function, *arguments = key.split(":")
            if key not in gpu:
                gpu[key] = ask(pynvml, function, handle, *map(int, arguments))
        for function in ("State", "RemoteDeviceType", "Version"):
            links = (ask(pynvml, f"nvmlDeviceGetNvLink{function}", handle, link) for link in range(18))
            gpu[f"nvmlDeviceGetNvLink{function}"] = list(links)
        for other in range(count):
            if other != index:
                pair = (handle, handles[other])
                path = ask(pynvml, "nvmlDeviceGetTopologyCommonAncestor", *pair)
                gpu[f"nvmlDeviceGetTopologyCommonAncestor:gpu{other}"] = path
                gpu[f"nvmlDeviceGetP2PStatus:gpu{other}:2"] = ask(pynvml, "nvmlDeviceGetP2PStatus", *pair, 2)
        gpus.append(gpu)
    driver, cuda = pynvml.nvmlSystemGetDriverVersion(), pynvml.nvmlSystemGetCudaDriverVersion()
    return {"source": "recorded: say where and when", "driver": driver, "cuda": cuda, "gpus": gpus}


def ask(nvml, function, *arguments):
    try:
        value = getattr(nvml, function)(*arguments)
    except nvml.NVMLError as error:
        return {"error": str(error)}
    if hasattr(value, "_fields_"):
        fields = {
            name: getattr(value, name) for name, *_ in value._fields_ if name in ("total", "used", "gpu", "busId")
        }
        return {name: one.decode() if isinstance(one, bytes) else one for name, one in fields.items()}
    return value.decode() if isinstance(value, bytes) else value


if __name__ == "__main__":
    print(json.dumps(record(), indent=1))
