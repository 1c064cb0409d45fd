"""Values that took long to make, kept in files of a run for the workers to come."""

import hashlib
import os
import secrets
from pathlib import Path
from typing import Any

import torch

from perfproof.core.trees import is_tensor, leaves


def place(folder: Path, what: str, *told_by: object) -> Path:
    """Where a value is kept that is known by these."""
    # Not a hash of OpenSSL's: the first one takes a megabyte, which would be counted as the side's memory.
    return folder / f"{what}-{hashlib.blake2b(repr(told_by).encode(), digest_size=8).hexdigest()}"


def keep(value: Any, file: Path) -> None:
    """Keep it if it can be pickled and comes back as it was: pinned memory and gradients would be lost."""
    tensors = [leaf for _, leaf in leaves(value) if is_tensor(leaf)]
    if any(tensor.is_pinned() or (tensor.is_leaf and tensor.grad is not None) for tensor in tensors):
        return
    part = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    try:
        torch.save(value, part)
        os.replace(part, file)
    except Exception:  # it is made again by everyone who needs it
        pass
    finally:
        part.unlink(missing_ok=True)


def read(file: Path, device: str) -> Any:
    """The value, or None if it is not there or cannot be read here."""
    if not file.exists():
        return None
    try:
        return torch.load(file, map_location=lambda storage, place: _where(storage, place, device), weights_only=False)
    except Exception:
        return None


def _where(storage: Any, place: str, device: str) -> Any:
    """What was on a host stays on one; what was on a GPU comes to this worker's."""
    return storage.cuda(device) if place.startswith("cuda") else storage
