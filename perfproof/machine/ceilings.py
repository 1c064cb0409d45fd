"""The stored ceilings of a machine: one file a fingerprint and device, under the user's state folder."""

import os
from pathlib import Path

from perfproof.core.atomic import write_atomic
from perfproof.core.ceilings import Ceilings
from perfproof.core.errors import DocumentError


def state_folder() -> Path:
    """Where what is kept between runs lies: $PERFPROOF_STATE, else $XDG_STATE_HOME/perfproof."""
    own = os.environ.get("PERFPROOF_STATE")
    home = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(own) if own else Path(home) / "perfproof"


def file_of(fingerprint: str, device: str) -> Path:
    kind = "gpu" if device.startswith("cuda") else "cpu"
    return state_folder() / "ceilings" / f"{fingerprint}-{kind}.json"


def load(fingerprint: str, device: str) -> Ceilings | None:
    """None where nothing was measured yet; a file that cannot be read is an error, not an absence."""
    path = file_of(fingerprint, device)
    try:
        text = path.read_text()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DocumentError(f"{path} cannot be read: {error.strerror}; `perfproof peak` measures it anew") from None
    return parse(text, str(path))


def parse(text: str, where: str) -> Ceilings:
    try:
        return Ceilings.model_validate_json(text)
    except ValueError as error:
        first = " ".join(str(error).split()[:12])
        raise DocumentError(f"{where} holds no ceilings: {first}; `perfproof peak` measures them anew") from None


def save(found: Ceilings) -> Path:
    path = file_of(found.fingerprint, found.device)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, found.model_dump_json(indent=2) + "\n")
    return path
