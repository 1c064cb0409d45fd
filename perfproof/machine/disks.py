"""Disks, and the filesystem of the current folder. Neither a serial number nor a mount point is read."""

import os
import re
from pathlib import Path

from perfproof.core.hardware import Disk, Filesystem
from perfproof.machine import kernel_files, memory

BLOCK = "/sys/block"
NO_DISK = ("loop", "ram", "zram", "fd", "sr")
TELLING = ("ro", "sync", "noatime", "discard", "data=", "nobarrier", "compress", "direct_io")
SECTOR_BYTES = 512  # the unit of /sys/block/*/size, whatever the disk's own sectors are


def disks() -> list[Disk]:
    names = kernel_files.names(BLOCK, "*")
    return [_disk(name) for name in names if not name.startswith(NO_DISK)]


def filesystem(folder: Path) -> Filesystem:
    """What `folder` lies on. The device is named as the kernel does: names of volumes often hold a host's name."""
    device = os.stat(folder).st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    kind, options = parse_mount(kernel_files.read_text("/proc/self/mountinfo"), number, str(folder.resolve()))
    block = kernel_files.link_name(f"/sys/dev/block/{number}")
    room = os.statvfs(folder)
    return Filesystem(
        type=kind,
        device=block or f"no disk of its own ({kind})",
        options=options,
        size_bytes=room.f_blocks * room.f_frsize,
        free_bytes=room.f_bavail * room.f_frsize,
    )


def parse_mount(text: str | None, number: str, folder: str) -> tuple[str, list[str]]:
    """Type and telling options of the filesystem with that device number (proc(5), mountinfo).

    Optional fields end at a lone "-": "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard". Filesystems
    with volumes inside (btrfs) show other numbers to stat: there the longest mount point above the folder counts.
    """
    if text is None:
        return "unknown: /proc/self/mountinfo cannot be read", []
    lines = [fields for fields in map(str.split, text.splitlines()) if len(fields) >= 5]
    above = [fields for fields in lines if Path(folder).is_relative_to(fields[4])]
    same = [fields for fields in lines if fields[2] == number] or sorted(above, key=lambda fields: len(fields[4]))
    if not same:
        return "unknown: /proc/self/mountinfo does not list it", []
    fields = same[-1]
    end = fields.index("-", 6) if "-" in fields[6:] else len(fields)
    if len(fields) < end + 4:
        return kernel_files.strange("/proc/self/mountinfo"), []
    options = {*fields[5].split(","), *fields[end + 3].split(",")}
    return fields[end + 1], sorted(option for option in options if option.startswith(TELLING))


def _disk(name: str) -> Disk:
    folder = f"{BLOCK}/{name}"
    sectors = kernel_files.read_int(f"{folder}/size")
    model = re.sub(r"\s+", " ", kernel_files.read_text(f"{folder}/device/model") or "")
    return Disk(
        name=name,
        model=model or "unknown: the device shows no model",
        rotational=_rotational(folder),
        size_bytes="unknown: the device shows no size" if sectors is None or sectors < 0 else sectors * SECTOR_BYTES,
        scheduler=memory.parse_chosen(kernel_files.read_text(f"{folder}/queue/scheduler")),
    )


def _rotational(folder: str) -> bool | str:
    """Whether it turns. A virtio disk carries the flag whatever lies behind it: it is the kernel's default for it."""
    if kernel_files.link_name(f"{folder}/device/driver") == "virtio_blk":
        return "unknown: a virtual disk (virtio) does not show what is behind it"
    flag = kernel_files.read_int(f"{folder}/queue/rotational")
    return "unknown: the device does not say" if flag not in (0, 1) else flag == 1
