"""Network devices and InfiniBand ports. Addresses are not read, and a name that holds one is cut."""

import re

from perfproof.core.hardware import InfinibandPort, Nic
from perfproof.machine import kernel_files, numa

NET = "/sys/class/net"
INFINIBAND = "/sys/class/infiniband"
NAMED_BY_ADDRESS = re.compile(r"^(enx|wlx|wwx|ibx)[0-9a-f]{12,}$")  # systemd's names from a hardware address


def nics() -> list[Nic]:
    """Devices with hardware behind them; bridges, tunnels and loopback have none."""
    found = [_nic(name) for name in kernel_files.names(NET, "*") if kernel_files.names(f"{NET}/{name}", "device")]
    return sorted(found, key=lambda nic: nic.name)


def infiniband() -> list[InfinibandPort]:
    return [
        _port(device, int(port))
        for device in kernel_files.names(INFINIBAND, "*")
        for port in kernel_files.names(f"{INFINIBAND}/{device}/ports", "[0-9]*")
    ]


def without_address(name: str) -> str:
    """enx001a2b3c4d5e is named by its hardware address: what is shown is enx…"""
    match = NAMED_BY_ADDRESS.match(name)
    return f"{match[1]}…" if match else name


def parse_speed(text: str | None) -> int | str:
    """Mbit/s. The kernel writes -1, or refuses to be read, where the link is down or the device has no speed."""
    if text is None or text == "-1":
        return "unknown: the link is down or the device tells no speed"
    return int(text) if re.fullmatch(r"[0-9]{1,8}", text) and int(text) > 0 else kernel_files.strange("the link speed")


def parse_state(text: str | None) -> str:
    """ "4: ACTIVE" is active."""
    if text is None:
        return "unknown: the port shows no state"
    match = re.fullmatch(r"[0-9]+: ([A-Z][A-Za-z_]{1,20})", text)
    return match[1].lower() if match else kernel_files.strange("the port's state")


def parse_rate(text: str | None) -> float | str:
    """Gbit/s: "400 Gb/sec (4X NDR)"."""
    if text is None:
        return "unknown: the port shows no rate"
    match = re.match(r"([0-9]{1,6}(?:\.[0-9]{1,3})?) Gb/sec(?: |$)", text)
    return float(match[1]) if match else kernel_files.strange("the port's rate")


def _nic(name: str) -> Nic:
    folder = f"{NET}/{name}"
    mtu = kernel_files.read_int(f"{folder}/mtu")
    return Nic(
        name=without_address(name),
        state=kernel_files.read_text(f"{folder}/operstate") or "unknown: the device shows no state",
        speed_mbit=parse_speed(kernel_files.read_text(f"{folder}/speed")),
        mtu="unknown: the device shows no MTU" if mtu is None else mtu,
        driver=kernel_files.link_name(f"{folder}/device/driver") or "unknown: the device shows no driver",
        numa_node=numa.node_of_device(f"{folder}/device"),
    )


def _port(device: str, port: int) -> InfinibandPort:
    folder = f"{INFINIBAND}/{device}/ports/{port}"
    rate = kernel_files.read_text(f"{folder}/rate")
    return InfinibandPort(
        device=without_address(device),
        port=port,
        state=parse_state(kernel_files.read_text(f"{folder}/state")),
        rate_gbit=parse_rate(rate),
        rate=rate or "unknown: the port shows no rate",
        link_layer=kernel_files.read_text(f"{folder}/link_layer") or "unknown: the port shows no link layer",
        firmware=kernel_files.read_text(f"{INFINIBAND}/{device}/fw_ver") or "unknown: the device shows no firmware",
        numa_node=numa.node_of_device(f"{INFINIBAND}/{device}/device"),
    )
