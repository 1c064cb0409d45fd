"""Values that took long to make, kept in files of a run for the workers to come."""

import hashlib
import mmap
import os
import secrets
from pathlib import Path
from typing import Any

import torch

OWN_CLASS = b"_pair_"  # a class of the pair's own file: every side has another one under another name


def place(folder: Path, what: str, *told_by: object) -> Path:
    """Where a value is kept that is known by these."""
    # Not a hash of OpenSSL's: the first one takes a megabyte, which would be counted as the side's memory.
    return folder / f"{what}-{hashlib.blake2b(repr(told_by).encode(), digest_size=8).hexdigest()}"


def keep(value: Any, file: Path, own_classes: bool = True) -> None:
    """Keep it if it can be pickled; without `own_classes` only if no class of the pair's own file is in it."""
    part = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    try:
        torch.save(value, part)
        if own_classes or not _holds(part, OWN_CLASS):
            os.replace(part, file)
    except Exception:  # it is made again by everyone who needs it
        pass
    finally:
        part.unlink(missing_ok=True)


def _holds(file: Path, text: bytes) -> bool:
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return data.find(text) >= 0


def read(file: Path, device: str) -> Any:
    """The value, or None if it is not there or cannot be read here."""
    if not file.exists():
        return None
    try:
        return torch.load(file, map_location=device, weights_only=False)
    except Exception:
        return None
