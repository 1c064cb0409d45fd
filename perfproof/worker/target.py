"""The worker: a forked process that loads one target and does what the run asks, one command at a time.

    open      load the pair: inputs and reference in one instance, every side in its own
    verify    all sides against the reference, at smoke and timed sizes
    try_others  what drawn values do not show of the variants
    ready     preparation, first call, warm-up to a plateau
    plan      how many calls come next: the values for them are drawn together
    run       timed samples, as many calls of a side as the run says
    draw      values for another process, which finds nothing else of theirs
    recall    single calls on values that were not there before, held against timed ones
    check     the outputs of timed calls against the reference; what was patched or switched meanwhile
    kernels   what ran on the device, and how long
    memory    peak memory of one side
    startup   load, prepare and first call of one side
    energy    joules per call of one side

The run decides what is sampled, in which order, how long, and which outputs are kept to be checked: nothing in this
process knows it beforehand.
"""

import inspect
import math
import pickle
import random
import time
from dataclasses import astuple
from functools import partial
from pathlib import Path
from time import perf_counter as _now  # before a pair can reach it
from typing import Any

import torch

from perfproof.core.documents import Check
from perfproof.core.trees import clone
from perfproof.machine.cgroup import memory_left
from perfproof.worker import device_work, in_flight, leftovers, libraries, remembered, resources, verification
from perfproof.worker.constants import taken_by
from perfproof.worker.given_values import GivenValues
from perfproof.worker.measure.digest import digest
from perfproof.worker.measure.memory import room
from perfproof.worker.pair import LoadedPair
from perfproof.worker.raised import defined_at
from perfproof.worker.sampler import Sampler
from perfproof.worker.verify import (
    files_left,
    gradients,
    kept_answers,
    kept_memory,
    narrowed,
    never_drawn,
    other_setting,
    seeds_set,
    shared_settings,
    slowing_calls,
    unread_parts,
    usable_results,
    watch,
)
from perfproof.worker.verify.compare import Part
from perfproof.worker.verify.guard import Guard
from perfproof.worker.verify.outputs import argument_problem, same_bits

SHORT_SECONDS = 0.05  # of CPU time for a call of every side: then there is time for a few dozen
KEEPS_STATE = (
    "it was right when it was verified, so it keeps state between calls: pass what it changes (a model, an optimizer) "
    "as an argument, and name that in `mutates`"
)
VALUES_CHANGE = "values change"
SAME_VALUES = "values were given, and nothing in them can be drawn anew"


class Target:
    """What this process can be asked for; the loaded pair and its sampler do it."""

    pair: LoadedPair
    sampler: Sampler

    def __init__(self, guard: Guard):
        self._guard = guard

    def open(self, **asked: Any) -> dict:
        """Load the pair."""
        self.pair = LoadedPair(self._guard, **asked)
        self.sampler = Sampler(self.pair)
        return {"load_seconds": {name: side.load_seconds for name, side in self.pair.sides.items()}}

    def close(self) -> None:
        if hasattr(self, "pair"):
            self.pair.meeting.leave()

    def warm(self, *, device: str) -> dict:
        """Open the device before anything of a pair is there: that takes a quarter of a second."""
        torch.cuda.set_device(device)
        torch.empty(1, device=device)
        return {}

    def cost(self, *, sizes: dict[str, Any]) -> dict:
        cost = self.pair.source.named("cost")
        declared = cost(**taken_by(cost, sizes))
        return {"cost": {str(name): float(value) for name, value in declared.items()}}

    def verify(
        self,
        *,
        where: str,
        sizes: dict[str, Any],
        seed: int,
        repeats: int,
        last: bool,
        first: bool,
        may_leave: bool = False,
        answers: str = "",
        kept_sum: str = "",
    ) -> dict:
        """All sides at one size: a process of its own for each, so that nothing compiled for one serves the other.

        At the `last` size the proof itself is tested; it `may_leave` that to smaller ones. The `first` has more time
        for values that are never drawn.
        `answers` is the file in which the first of two settings keeps its answers for the second.
        """
        findings, pool = self.pair.findings, self.pair.new_pool(sizes, random.Random(seed))
        lent = digest(pool.constants) if self.pair.contract.lent else None
        odd = argument_problem(pool.draw(), self.pair.contract.names)
        findings.note("plain arguments", f"{odd}{defined_at(self.pair.inputs)}" if odd else "")
        if findings.failed:
            return {**self.pair.found(), "libraries": []}
        given = isinstance(self.pair.inputs, GivenValues) and self.pair.inputs.is_fixed
        same = "" if given else verification.sameness_problem(pool, self.pair.contract, self.pair.inputs)
        if given or (same and self.pair.values_may_repeat):
            findings.checks[VALUES_CHANGE] = Check(name=VALUES_CHANGE, result="not-run", detail=SAME_VALUES)
        else:
            findings.note(VALUES_CHANGE, same)
        self.pair.look_at_constants(pool)
        if findings.failed:  # before any preparation, which may take minutes
            return {**self.pair.found(), "libraries": []}
        baseline = self.pair.sides.get("baseline") or self.pair.source.side("baseline")
        sides = [baseline, *(side for name, side in self.pair.sides.items() if name not in ("baseline", "twin"))]
        for side in sides:
            side.make_ready(pool.draw, self.pair.device, self.pair.kept_preparation(side.name, sizes))
        self.pair.look_around("in its preparation")
        if not findings.failed:
            verification.verify_sides(
                sides,
                pool,
                self.pair.reference,
                self.pair.contract,
                findings,
                repeats=repeats,
                where=where,
                last=last,
                first=first,
                may_leave=may_leave,
                load_again=partial(self.pair.load_again, pool.draw),
                values=", ".join(f"{name}={value}" for name, value in sizes.items()),
            )
            in_flight.look(self.pair.meeting, sides, pool, self.pair.device, findings)
            if lent is not None and lent != digest(pool.constants):
                findings.note("arguments unchanged", "a constant argument was changed: work on a copy")
        if not findings.failed:
            verification.judge_precision(findings, self.pair.contract)
        self.pair.look_around("while it was verified")
        findings.notes += self.pair.settings_in_words()
        kept = self._across(Path(answers), kept_sum, sizes, seed) if answers and not findings.failed else {}
        return {
            **self.pair.found(),
            "libraries": libraries.loaded_since(self.pair.modules),
            "call_seconds": {side.name: side.call_seconds for side in sides if math.isfinite(side.call_seconds)},
            "setup_seconds": {side.name: side.setup_seconds for side in sides if side.setup_seconds},
            "room": room(self.pair.device, memory_left()),
            "proof_is_left": findings.proof_is_left,
            **kept,
        }

    def _across(self, file: Path, kept_sum: str, sizes: dict[str, Any], seed: int) -> dict:
        """Keep the answers of the first setting's side, or hold the second's against them."""
        pair = self.pair
        pool = pair.new_pool(sizes, random.Random(f"across {seed}"))
        side = next(side for name, side in pair.sides.items() if name != "twin")
        call = partial(verification.call_side, side, pair.contract)
        if side.name == "baseline":
            return {"kept_sum": other_setting.keep_answers(call, pool, pair.contract, file)}
        check = other_setting.hold_against(call, pool, pair.contract, file, kept_sum)
        pair.findings.checks[check.name] = check
        return {}

    def try_others(self, *, sizes: dict[str, Any], seed: int) -> dict:
        """What drawn values as a whole do not show: values of another kind, parts of arguments, files that are left."""
        pool, contract = self.pair.new_pool(sizes, random.Random(seed)), self.pair.contract
        for side in self.pair.sides.values():
            side.make_ready(pool.draw, self.pair.device, self.pair.kept_preparation(side.name, sizes))
        ready = {name: partial(verification.call_side, side, contract) for name, side in self.pair.sides.items()}
        anew = {name: partial(self._call_anew, name) for name in ready}
        drawn = [pool.draw(), pool.draw_everything(), pool.draw_everything()]
        raw = {name: partial(side.function, *side.state) for name, side in self.pair.sides.items()}
        said = kept_answers.check(contract, ready, self._reached(), drawn[0], pool.draw())
        said += shared_settings.check(contract, ready, drawn[0], self.pair.own_modules.values())
        said += files_left.check(contract, ready, drawn[0])
        is_short = self._cpu_seconds(ready, drawn[0]) < SHORT_SECONDS
        said += kept_memory.check(contract, raw, [drawn[0], pool.draw()], is_short)
        said += usable_results.check(contract, raw, drawn[0])
        said += seeds_set.check(contract, ready, drawn[0]) if is_short else []
        said += slowing_calls.check(contract, ready, drawn[0]) if is_short else []
        compiles = libraries.compiled_graphs() > 0  # anew for every shape and for `backward`, which takes seconds
        said += [] if compiles else gradients.check(contract, raw, drawn[0])
        said += [] if compiles else narrowed.check(contract, ready, drawn[0])
        return {
            "never_drawn": said + never_drawn.check(contract, ready, anew, drawn, cut=not compiles),
            "notes": unread_parts.check(contract, anew["baseline"], drawn),
            "load_seconds": self._load_seconds(),
        }

    def _reached(self) -> dict[str, list[Any]]:
        """What each side can keep something in: its file, what was prepared for it, modules of the project."""
        shared = [*self.pair.own_modules.values()]
        return {
            name: [getattr(inspect.unwrap(side.function), "__globals__", {}), side.function, *side.state, *shared]
            for name, side in self.pair.sides.items()
        }

    def _load_seconds(self) -> float:
        """CPU time that the file takes to load, its libraries aside: nothing that is timed contains it."""
        started = time.process_time()
        self.pair.source.side("baseline")
        return time.process_time() - started

    @staticmethod
    def _cpu_seconds(sides: dict[str, Any], drawn: tuple) -> float:
        started = time.process_time()
        for call in sides.values():
            call(clone(drawn))
        return time.process_time() - started

    def _call_anew(self, name: str, own: tuple) -> Any:
        """A side that is loaded and prepared for these constants alone."""
        contract = self.pair.contract
        return verification.call_side(self.pair.load_again(lambda: contract.copied(own), name), contract, own)

    def ready(self, **asked: Any) -> dict:
        return self.sampler.ready(**asked)

    def plan(self, **asked: Any) -> dict:
        return self.sampler.plan(**asked)

    def run(self, **asked: Any) -> dict:
        return self.sampler.run(**asked)

    def lay_out(self, **asked: Any) -> dict:
        return self.sampler.lay_out(**asked)

    def glance(self, **asked: Any) -> dict:
        return self.sampler.glance(**asked)

    def draw(self, *, sizes: dict, seed: int, sets: int, path: str) -> dict:
        """Write sets of values to a file, for calls in another process."""
        packed = self.pair.new_pool(sizes, random.Random(seed)).packed(sets)
        Path(path).write_bytes(pickle.dumps(packed))
        return {}

    def check(self, *, most_seconds: float, quiet: bool, sides: list[str], of_baseline: list | None = None) -> dict:
        """Hold what timed calls of these sides returned against the reference, and look for what was changed.

        `of_baseline` are the baseline's errors, where that has a process of its own.
        """
        findings, contract = self.pair.findings, self.pair.contract
        spent, checked = 0.0, set()
        kept = self.sampler.kept if quiet else self.sampler.kept[::-1]  # elsewhere the last come first
        for name, arguments, output, changed in (one for one in kept if one[0] in sides):
            enough = name in checked and not (contract.distribution and self.pair.draws.lacks(name))
            if self.pair.meeting.most(spent) > most_seconds and enough:
                continue
            started = _now()
            problem = self.pair.answer_problem(name, arguments, output, changed)
            spent += _now() - started
            state = f"; {KEEPS_STATE}" if name == "baseline" and not contract.distribution else ""
            findings.note("timed outputs", f"{name}: a timed call's result {problem}{state}" if problem else "")
            checked.add(name)
        for name in sides:
            if name not in checked:
                findings.note("timed outputs", f"{name}: no output of a timed call was kept")
        findings.of_baseline = tuple(Part(*part) for part in of_baseline or [])
        verification.judge_precision(findings, contract)
        same = same_bits(self.sampler.constants, self.sampler.bits_of_constants())
        findings.note("arguments unchanged", "" if same else "a constant argument was changed while it was timed")
        leftovers.between_samples(findings, self.sampler.between)
        if quiet:
            leftovers.busy(findings, "a side", self.sampler.call_each)
        self.pair.look_around("while it was timed")
        compiled = libraries.compiled_graphs() - self.sampler.graphs
        left = room(self.pair.device, memory_left())  # the reference may take more than the sides
        return {
            **self.pair.found(),
            "of_baseline": [astuple(part) for part in verification.parts_of_baseline(findings)],
            "compiled": compiled,
            "skipped_cuda_graphs": libraries.skipped_cuda_graphs(),
            "graph_breaks": libraries.graph_breaks(),
            "processes": watch.processes(),
            "room": left,
        }

    def recall(self, *, drawn: str, last: bool) -> dict:
        """Call on values that were not there before; `drawn` is a file with some that another process drew."""
        sets = pickle.loads(Path(drawn).read_bytes()) if drawn else []
        return {"again": remembered.look_for_memories(self.sampler, sets, last)}

    def memory(self, *, sizes: dict, small: dict, seed: int, calls: int) -> dict:
        """Peak memory over a few calls of the one side that this process has."""
        return resources.peak_memory(self.pair, sizes, small, random.Random(seed), calls)

    def startup(self, *, side: str, sizes: dict, seed: int) -> dict:
        """Seconds from an interpreter with torch to the first result: load, prepare, first call."""
        return resources.start_up(self.pair, side, sizes, random.Random(seed))

    def energy(self, *, side: str, seconds: float) -> dict:
        """Joules a call of a side that is ready, over a hot loop of so many seconds."""
        return resources.energy(self.sampler, self.pair.sides[side], seconds)

    def kernels(self, *, calls: dict[str, int]) -> dict:
        """What ran on the device in so many calls of each side, from its own activity records."""
        return device_work.kernels(self.sampler, calls)
