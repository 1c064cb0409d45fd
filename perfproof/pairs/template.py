"""The file that `perfproof new NAME` writes: a complete small pair that runs anywhere, to be changed into yours."""

import re
from pathlib import Path

from perfproof.core.errors import UsageError

TEXT = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")


def write_new(name: str, folder: Path) -> Path:
    """Write NAME.py into the folder; an existing file stays as it is. A name may be a path, with or without .py."""
    folder, name = folder / Path(name).parent, Path(name).name.removesuffix(".py")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or name.startswith("test_") or name == "conftest":
        remedy = (
            "use small letters, digits and _, beginning with a letter and not with test_: `perfproof new fused_norm`"
        )
        raise UsageError(f"{name!r} is not a name for a pair; {remedy}")
    path = folder / f"{name}.py"
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(TEXT)
    except FileExistsError:
        raise UsageError(f"{path} exists and is left as it is; choose another name or remove the file") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}; choose another folder") from None
    return path
