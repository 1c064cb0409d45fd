"""Run the programs of a half, and diagnose what was recorded."""

import torch
from torch.profiler import ProfilerActivity, profile

from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import gather
from tests.diagnose.plain.simulated_gpu import Gpu


def on_simulated_gpu(program, folder):
    gpu = Gpu()
    program(gpu)
    return gpu.write(folder / f"{program.__name__}.json.gz")


def on_this_cpu(program, folder):
    """As `perfproof profile --tool torch` records a program: all of it, with shapes."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    try:
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as recorded:
            program()
    finally:
        torch.set_num_threads(threads)
    path = folder / f"{program.__name__}.json"
    recorded.export_chrome_trace(str(path))
    return path


def diagnosed(path):
    return diagnose(gather([path]))


def is_right(diagnosis, causes):
    """The cause comes first with more than low confidence; on a healthy program nothing has more than low."""
    said = [one for one in diagnosis.findings if one.confidence != "low"]
    return said[0].rule in causes if causes and said else not causes and not said
