"""The pair in this process: inputs, reference and sides, each in an instance of its own, and what is found of it."""

import inspect
import os
import random
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from perfproof.core.trees import size_in_bytes
from perfproof.core.units import MiB
from perfproof.machine.cgroup import memory_left
from perfproof.worker import libraries, own_files, shelf, verification
from perfproof.worker.constants import Constants
from perfproof.worker.load import Side, Source
from perfproof.worker.measure import own_seeds
from perfproof.worker.measure.arguments import ArgumentPool, seed_generators, seeded
from perfproof.worker.measure.memory import fits
from perfproof.worker.ranks import process_group
from perfproof.worker.ranks.barrier import Alone, Meeting
from perfproof.worker.verify import watch
from perfproof.worker.verify.case import Answer
from perfproof.worker.verify.compare import Difference
from perfproof.worker.verify.guard import Guard
from perfproof.worker.verify.numbers import for_numbers_of_python
from perfproof.worker.verify.oracle import Oracle
from perfproof.worker.verify.outputs import kind_problem
from perfproof.worker.verify.shown_inputs import inputs_shown
from perfproof.worker.verify.sway import apart_from
from perfproof.worker.verify.timed_draws import TimedDraws

COMBINED = "its seed was combined with the draw's, so that every call sees other values"
LENT_BYTES = 256 * MiB  # larger constants are not copied for every side


class LoadedPair:
    """What the file defines, on its device, with its place among ranks."""

    def __init__(
        self,
        guard: Guard,
        spec: dict[str, Any],
        sides: list[str],
        cpus: list[int],
        threads: int,
        scratch: str,
        place: dict[str, Any] | None = None,
    ):
        """`sides` gives the order in which instances are created. Without any a start is timed: nothing is loaded."""
        self._guard, self.modules = guard, frozenset(sys.modules)
        os.sched_setaffinity(0, cpus)
        sys.path[:0] = [folder for folder in spec["folders"] if folder not in sys.path]
        self.variables = self._load_libraries(spec) if sides else []
        os.chdir(scratch)
        self._beside = own_files.link(spec["files"])
        os.environ["TMPDIR"] = tempfile.tempdir = scratch  # what is kept in the temporary folder ends with this process
        torch.set_num_threads(threads)
        self.device = spec["device"]
        if self.device.startswith("cuda"):
            torch.cuda.set_device(self.device)
        self.meeting: Alone | Meeting = process_group.join(place, self.device, threads) if place else Alone()
        self._flags = watch.flags()
        self.source = Source(spec["path"], spec["siblings"], spec["borrowed"], spec["pickled"], spec.get("ranks", 1))
        if not spec["distribution"]:  # or samples of all processes would be alike
            self.source.begin = partial(seed_generators, spec["constants_seed"], self.device, spec["imports"])
        self.contract = verification.Contract(
            names=tuple(spec["arguments"]),
            constant=tuple(spec["constant"]),
            mutates=tuple(spec["mutates"]),
            tolerance=spec["tolerance"],
            lowers_precision=spec["lowers_precision"],
            device=self.device,
            domain=spec["domain"],
            layout=spec["layout"],
            distribution=spec["distribution"],
            alone=not self.meeting.several,
        )
        self.cold = [spec["arguments"].index(name) for name in spec["cold"]]
        self.imports = spec["imports"]
        self._seed_of_constants, self._has_maker = spec["constants_seed"], spec["constants"]
        self._has_reference = spec["has_reference"]
        self.values_may_repeat = spec["values_may_repeat"]
        self._shared = Path(scratch).parent
        self.findings = verification.Findings(agree=self.meeting.most)
        self.draws = TimedDraws(self.contract.tolerance)
        self.sides: dict[str, Side] = {}
        self.own_modules: dict[str, ModuleType] = {}
        if sides:
            self._load(sides, tuple(spec["folders"]))

    def _load(self, sides: list[str], folders: tuple[str, ...]) -> None:
        self.load_inputs()
        self.sides = {name: self.source.side(name) for name in sides}
        self.own_modules = dict(own_files.modules_in(folders))
        for name, module in self.own_modules.items():
            self._guard.remember(name, vars(module))
        self.look_around("on import")

    def load_inputs(self) -> None:
        """`inputs` and `reference`, or the baseline in its place, in instances of their own."""
        self.inputs = self.source.named("inputs")
        self.settings = watch.accept_settings(self._flags) if self.source.is_one_file else []
        oracle = None if self._has_reference else self._oracle()
        self.reference: Any = oracle or self.source.named("reference")
        right: Any = oracle.side.function if oracle else self.reference
        for name, function in (("inputs", self.inputs), ("reference", right)):
            self._guard.remember(f"{name}'s own", getattr(inspect.unwrap(function), "__globals__", {}))
        self._constants_made = self._maker_of_constants() if self._has_maker else None

    def _oracle(self) -> Oracle:
        return Oracle(self.source.side("baseline"), in_double=not self.contract.distribution)

    def _baseline_on(self, own: tuple) -> Answer:
        """An instance of its own: not every process has the baseline among its sides."""
        return self._baseline.call(own, self.contract, self.device)

    @cached_property
    def _baseline(self) -> Oracle:
        return self._oracle()

    def _maker_of_constants(self) -> Constants:
        return Constants(
            inspect.unwrap(self.inputs).__globals__["constants"],
            self.inputs,
            self.contract.names,
            self.contract.constant,
            self.device,
            self.imports,
            self._seed_of_constants,
            self._shared,
            self.source.path,
        )

    def answer_problem(self, name: str, arguments: tuple, output: Any, changed: dict) -> str:
        if self.contract.distribution:
            problem = kind_problem(output, self.device)
            draw = verification.reference_draws(self.reference, arguments, self.contract, self.findings)
            alike = not self.meeting.most(bool(problem))
            compared = verification.only_compared((output, changed))
            return self.draws.problem(name, compared, draw, self.meeting.most) if alike else problem
        expected = verification.expect(self.reference, arguments, self.contract, self.findings)
        problem = kind_problem(output, self.device)
        apart = Difference()
        if not problem:
            apart = apart_from((output, changed), expected, self.contract, arguments, self._baseline_on)
        self.findings.error(name, apart)
        given = inputs_shown(self.contract.names, arguments, expected[0], apart.problem) if apart.problem else ""
        return problem or f"{apart.problem}{given}"

    def new_pool(self, sizes: dict[str, Any], rng: random.Random, afresh: bool = False) -> ArgumentPool:
        """The arguments of this process. All processes of a run have equal constants, if not drawn `afresh`."""
        contract, redraw, made = self.contract, None, self._constants_made
        if made and afresh:
            made = replace(made, seed=rng.getrandbits(62), _made={})
        if made:
            draw, redraw = made.draw(sizes), partial(made.draw_all, sizes)
        else:
            draw = seeded(self.inputs, sizes, self.device, self.imports, contract.names)
        draw = self.meeting.draw(draw, contract.names, contract.constant)
        seed = self._seed_of_constants if contract.constant and not afresh else None
        pool = ArgumentPool(
            draw, contract.names, contract.constant, contract.mutates, rng, redraw, seed, self.meeting.most
        )
        large = size_in_bytes(pool.constants)
        lent = frozenset(contract.constant) if large > LENT_BYTES else frozenset()
        self.contract = replace(contract, lent=lent, tolerance=for_numbers_of_python(contract.tolerance, pool.example))
        if redraw and self.meeting.most(not fits(large, self.device, memory_left())):
            pool.keep_constants()
        return pool

    def kept_preparation(self, name: str, sizes: dict[str, Any]) -> Path | None:
        """Where what a side has prepared at this size is kept; the twin is another baseline. Not of ranks."""
        if self.meeting.several:
            return None
        side = "baseline" if name == "twin" else name
        told_by = (self.source.path, self.source.borrowed, self._seed_of_constants, sorted(sizes.items()), side)
        return shelf.place(self._shared, "prepared", *told_by)

    def look_at_constants(self, pool: ArgumentPool) -> None:
        problem = "a constant argument differs between ranks: `inputs` must give the same one for the same seed"
        self.findings.note("values change", problem if self.meeting.unequal(pool.constants) else "")

    def look_around(self, when: str) -> None:
        moved = watch.switched(self._flags) + own_files.written(self._beside)
        problem = f"{'; '.join(moved[:4])} {when}: set and restore it inside the function" if moved else ""
        self.findings.note("switches restored", problem)

    def settings_in_words(self) -> list[str]:
        said = [f"a library that the pair imports sets {', '.join(self.variables)}"] if self.variables else []
        if self.settings:
            said.append(f"the file sets {', '.join(self.settings)} on import: it holds for all sides")
        if any(name.startswith(watch.VARIABLE) for name in self.settings):
            said.append("libraries were loaded before the file: set variables that they read on import outside of it")
        if own_seeds.combined_in:
            said.append(f"`inputs` calls {', '.join(sorted(own_seeds.combined_in))}: {COMBINED}")
        return said

    def found(self) -> dict:
        return {
            "checks": [check.model_dump() for check in self.findings.checks.values()],
            "errors": {side: _as_dict(apart) for side, apart in self.findings.errors.items()},
            "calls": self.findings.calls,
            "notes": self.findings.notes,
            "reference_seconds": self.findings.reference_seconds,
            "oracle": self.findings.oracle.said if self.findings.oracle else "",
        }

    def _load_libraries(self, spec: dict[str, Any]) -> list[str]:
        """What libraries do on import is part of no side; the variables that they set are said."""
        before = dict(os.environ)
        if libraries.load([*libraries.installed(spec["imports"]), *libraries.compilers_in(spec["path"])]):
            self._guard.begin()
        return sorted(name for name, value in os.environ.items() if before.get(name) != value)

    def load_again(self, draw: Callable[[], tuple], name: str) -> Side:
        side = self.source.side(name)
        side.make_ready(draw, self.device)
        return side


def _as_dict(apart: Difference) -> dict[str, float]:
    return {"rms_relative": apart.rms_relative, "max_absolute": apart.max_absolute, "of_tolerance": apart.of_tolerance}
