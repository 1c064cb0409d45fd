"""XLA profiles, put together field by field as xplane.proto of openxla/xla numbers them."""


def number(value):
    value &= 2**64 - 1
    found = b""
    while value > 0x7F:
        found, value = found + bytes([value & 0x7F | 0x80]), value >> 7
    return found + bytes([value])


def message(*fields):
    """(number, value): whole numbers, texts, and messages that are made already."""
    found = b""
    for place, value in fields:
        if isinstance(value, int):
            found += number(place << 3) + number(value)
        else:
            content = value.encode() if isinstance(value, str) else value
            found += number(place << 3 | 2) + number(len(content)) + content
    return found


def names(field, *found):
    """The map of names of a plane, numbered from 1."""
    return [(field, message((1, place), (2, message((1, place), (2, one))))) for place, one in enumerate(found, 1)]


def event(name, offset_ns, ns, *stats):
    return (4, message((1, name), (2, offset_ns * 1000), (3, ns * 1000), *((4, stat) for stat in stats)))


def stat(name, value):
    return message((1, name), (4, value) if isinstance(value, int) else (5, value))


STEPS = [event(1, place * 100, 90, stat(1, place)) for place in range(4)]
HOST = message(
    (1, 2),
    (2, "/host:CPU"),
    (3, message((1, 70), (2, "python"), (3, 1000), *STEPS, event(2, 5, 20), event(3, 8, 4, stat(2, 11)))),
    *names(4, "train", "$train.py:12 step", "cuLaunchKernel"),
    *names(5, "step_num", "correlation_id"),
)
DETAILS = "regs:32 static_shared:0 dynamic_shared:0 grid:8,1,1 block:256,1,1 occ_pct:100"
GPU = message(
    (1, 1),
    (2, "/device:GPU:0"),
    (
        3,
        message(
            (1, 14),
            (2, "Stream #14(Compute,MemcpyH2D)"),
            (3, 1000),
            event(1, 20, 50, stat(1, 11), stat(2, DETAILS)),
            event(2, 80, 5, stat(3, "kind_src:pinned kind_dst:device size:4096 dest:0 async:1")),
        ),
    ),
    (3, message((1, 15), (2, "XLA Modules"), (3, 1000), event(3, 20, 65))),
    *names(4, "loop_add_fusion", "MemcpyH2D", "jit_train"),
    *names(5, "correlation_id", "kernel_details", "memcpy_details"),
)
TPU = message(
    (2, "/device:TPU:1"),
    (3, message((1, 3), (2, "XLA Ops"), (3, 1000), event(1, 0, 90), event(2, 10, 30), event(2, 50, 30))),
    *names(4, "while.1", "fusion.2"),
)
PROFILE = message((1, HOST), (1, GPU))
