"""`cuda.Graph` for emulated kernels: the same launches in the same order, and loops that a kernel ends."""

import ctypes
from dataclasses import dataclass, field
from typing import Any

MOST_ROUNDS = 1_000


class EndlessLoop(Exception):
    """A kernel never ends its loop."""


@dataclass
class EmulatedNode:
    kernel: Any
    arguments: tuple
    launch: dict

    def run(self) -> None:
        self.kernel(*self.arguments, **self.launch)


@dataclass
class EmulatedGraph:
    nodes: list = field(default_factory=list)

    def add(self, kernel: Any, *arguments: Any, **launch: Any) -> EmulatedNode:
        self.nodes.append(EmulatedNode(kernel, arguments, launch))
        return self.nodes[-1]

    def add_loop(self) -> "EmulatedLoop":
        self.nodes.append(EmulatedLoop())
        return self.nodes[-1]

    def update(self, node: EmulatedNode, *arguments: Any) -> None:
        assert node in self.nodes
        node.arguments = arguments

    def launch(self) -> None:
        for node in self.nodes:
            node.run()


@dataclass
class EmulatedLoop(EmulatedGraph):
    value: ctypes.c_uint = field(default_factory=ctypes.c_uint)

    @property
    def condition(self) -> int:
        """What emulation.h takes for the handle: an address."""
        return ctypes.addressof(self.value)

    def run(self) -> None:
        self.value.value = 1  # as at each launch of the graph
        for _ in range(MOST_ROUNDS):
            if not self.value.value:
                return
            self.launch()
        raise EndlessLoop
