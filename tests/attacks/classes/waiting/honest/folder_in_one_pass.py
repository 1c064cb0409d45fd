"""List files with `scandir`, which knows what is a folder without asking again.

Honest: both sides ask the file system for the same folder, and the suffix that is asked for changes.
"""

import os

import torch

workload = workload_cpu = dict(files=60)
smoke = dict(files=5)
constant = ("folder",)
tolerance = dict(rtol=0.0, atol=0.0)  # names are exact
tier = "idiomatic"


def inputs(files):
    folder = f"folder-{files}"
    if not os.path.exists(folder):  # made once per process
        os.makedirs(os.path.join(folder, "below"))
        for place in range(files):
            with open(os.path.join(folder, f"file-{place:03}.{place % 7}"), "w") as file:
                file.write("x")
    return folder, f".{int(torch.randint(7, ()))}"


def reference(folder, suffix):
    files = next(os.walk(folder))[2]
    return sorted(name for name in files if os.path.splitext(name)[1] == suffix)


def baseline(folder, suffix):
    names = os.listdir(folder)
    return sorted(name for name in names if os.path.isfile(os.path.join(folder, name)) and name.endswith(suffix))


def optimized(folder, suffix):
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries if entry.is_file() and entry.name.endswith(suffix))


def cost(files):
    return dict(predicted_optimized=4.0)
