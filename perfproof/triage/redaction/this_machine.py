"""A redactor that knows whose machine this is, without asking the network: names, homes and numbers from files."""

import contextlib
import getpass
import os
import re
import socket
from pathlib import Path

from perfproof.triage.redaction.redactor import Redactor
from perfproof.triage.redaction.second_reading import shipped

HOST_FILES = ("etc/hostname", "proc/sys/kernel/hostname")
NUMBER_FILES = (
    "etc/machine-id",
    "proc/sys/kernel/random/boot_id",
    "sys/class/dmi/id/product_serial",
    "sys/class/dmi/id/board_serial",
    "sys/class/dmi/id/chassis_serial",
    "sys/class/dmi/id/product_uuid",
)
SHORTEST_NUMBER = 6  # "None", "0", "Not Specified" stand where a maker wrote nothing


def for_this_machine(key: bytes | None = None, root: Path = Path("/")) -> Redactor:
    redactor = Redactor(key, hosts=_hosts(root), users=_users(), homes=_homes(), second=shipped())
    for name in NUMBER_FILES:
        number = _read(root / name)
        if len(number) >= SHORTEST_NUMBER and re.search(r"\d", number):
            redactor.learn("serial", number)
    return redactor


def _hosts(root: Path) -> set[str]:
    names = {socket.gethostname(), *(_read(root / name) for name in HOST_FILES)}
    for line in _read(root / "etc/hosts").splitlines():
        names |= {name for name in line.partition("#")[0].split()[1:] if "localhost" not in name}
    names = {name for name in names if not name.startswith("ip6-")}
    return names | {name.partition(".")[0] for name in names}


def _users() -> set[str]:
    found = {os.environ.get(name, "") for name in ("USER", "LOGNAME", "SUDO_USER", "USERNAME")}
    with contextlib.suppress(OSError, KeyError):
        found.add(getpass.getuser())
    return found


def _homes() -> set[str]:
    found = {os.environ.get("HOME", "")}
    with contextlib.suppress(RuntimeError):
        found.add(str(Path.home()))
    return found - {"", "/", "/root"}


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""
