"""Read disks, the filesystem of the work folder, network devices with their error counts, InfiniBand ports."""

import shutil
from pathlib import Path

from perfproof.machine import disks, kernel_files, network
from perfproof.triage.evidence import Evidence

DEADLINE = 8
COUNTED = ("rx_errors", "tx_errors", "rx_dropped", "tx_dropped", "rx_missed_errors", "rx_crc_errors")
PORT_COUNTED = ("symbol_error", "link_downed", "port_rcv_errors", "port_xmit_discards", "port_xmit_wait")


def collect(evidence: Evidence) -> None:
    evidence.ask("lsblk", "-J", "-o", "NAME,TYPE,SIZE,ROTA,MODEL,FSTYPE,SCHED", keep="lsblk.json")
    evidence.ask("df", "-P", "-T", "-k", ".", keep="df.txt")
    evidence.ask("ip", "-s", "-j", "link", keep="ip-link.json")
    evidence.ask("ibstat")
    evidence.ask("ibdev2netdev")
    shared = shutil.disk_usage("/dev/shm") if Path("/dev/shm").is_dir() else None
    found = {
        "disks": [disk.model_dump() for disk in disks.disks()],
        "folder": disks.filesystem(Path.cwd()).model_dump(),
        "shared_memory_bytes": shared.total if shared else "unknown: there is no /dev/shm",
        "nics": [{**nic.model_dump(), "errors": device_errors(nic.name)} for nic in network.nics()],
        "infiniband": [
            {**port.model_dump(), "errors": port_errors(port.device, port.port)} for port in network.infiniband()
        ],
    }
    evidence.save("io", found)


def device_errors(name: str) -> dict[str, int | str]:
    folder = f"{network.NET}/{name}/statistics"
    return {field: _count(f"{folder}/{field}") for field in COUNTED}


def port_errors(device: str, port: int) -> dict[str, int | str]:
    folder = f"{network.INFINIBAND}/{device}/ports/{port}/counters"
    return {field: _count(f"{folder}/{field}") for field in PORT_COUNTED}


def _count(path: str) -> int | str:
    found = kernel_files.read_int(path)
    return "unknown: the device does not count it" if found is None else found
