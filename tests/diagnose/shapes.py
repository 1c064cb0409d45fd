"""Operators with recorded shapes and the kernels they launched."""

from perfproof.core.events import Kind
from tests.diagnose.building import Program

H200 = {"deviceProperties": [{"name": "NVIDIA H200"}]}


def with_operator(name, dims, kind, microseconds, calls=1, about=None, kernel="kernel"):
    """The evidence of a program that calls one operator so often in each step, its kernel taking so long each time."""
    program = Program()
    number = 0
    for base in program.starts():
        for place in range(calls):
            number += 1
            args = {"Input Dims": dims, "Input type": [kind] * len(dims)}
            start = base + place * microseconds
            program.add(Kind.OPERATOR, name, start, start + 5, external=number, args=args)
            program.work(start, start + microseconds, kernel, external=number)
    program.events.about = about or {}
    return program.evidence()
