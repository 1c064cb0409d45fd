"""Whether the machine runs on a battery: a laptop then holds its clocks down."""

from perfproof.machine import kernel_files

SUPPLIES = "/sys/class/power_supply"


def on_battery() -> bool | None:
    """True if a battery of the machine itself is being emptied; None where there is no battery to tell."""
    states = []
    for name in kernel_files.names(SUPPLIES, "*"):
        folder = f"{SUPPLIES}/{name}"
        of_a_device = kernel_files.read_text(f"{folder}/scope") == "Device"  # a mouse has a battery too
        if kernel_files.read_text(f"{folder}/type") == "Battery" and not of_a_device:
            states.append(kernel_files.read_text(f"{folder}/status"))
    return "Discharging" in states if states else None
