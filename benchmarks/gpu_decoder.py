"""Hold a decoder's measured steps against its roofline, and a model calibrated on part of them against the others.

    python benchmarks/gpu_decoder.py [--ceilings FILE] [--shape NAME] [--seconds S] [--save FILE] [--json FILE]
    python benchmarks/gpu_decoder.py --tiny          a toy on the CPU: shows that the script works, judges nothing

A plain decoder of a shipped shape in bf16 with random weights (plain_decoder.py). Its parameters must be as many as
perfproof.calc counts, and a decode step, replayed as a CUDA graph on a token that it was not captured with, must give
the logits of a prefill of the same tokens; its attention is held against a plain softmax at every point. Then

decode   one token for each sequence, the cache holding `context` tokens with it, as a CUDA graph; attention by a
         kernel that shares out the cache, or by torch's flash kernel (--attention flash);
prefill  prompts of one length, causal, launched one operation after the other.

Every reading follows a quarter of a second of the same step, so that all see a clock that has settled. Nothing is
rotated: the weights are some hundred times the L2, and each step pushes out what the last one left there. The rooflines
are perfproof.calc's, with the ceilings of `perfproof peak` (without --ceilings, reading and bf16 bursts are measured
here). Every third point of a sweep is held back, by its place in the sweep; the model is fitted to the others.

Exits with 1 where a step is above its roofline, a held-back point is predicted more than 15 % wrong, or a point is
missing because the time was over.
"""

import argparse
import json
import math
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

import psutil
import torch
from heading import heading
from plain_decoder import Decoder

from perfproof.calc import kv_bytes, roofline, sweep_fit
from perfproof.calc.accelerator import Accelerator
from perfproof.calc.model_shape import Layer, Shape
from perfproof.calc.shipped_shapes import shipped_shape
from perfproof.calc.step_time import LIGHT, decode_step, prefill_step
from perfproof.calc.weighed_model import Model, weigh
from perfproof.core.ceilings import Ceiling, Ceilings
from perfproof.core.units import percent, seconds
from perfproof.machine import ceilings as stored

STARTED = psutil.Process().create_time()  # imports are part of the time that is allowed
DECODE = [(batch, context) for context in (512, 2048, 8192) for batch in (1, 2, 4, 8, 16, 32, 64)]
PREFILL = [(batch, prompt) for batch in (1, 4) for prompt in (512, 1024, 2048, 4096, 8192)]
TINY_DECODE = [(batch, context) for context in (32, 64, 128) for batch in (1, 2, 4)]
TINY_PREFILL = [(batch, prompt) for batch in (1, 2) for prompt in (32, 64, 128)]
TINY = Shape("tiny", 64, 4, 2, 16, (Layer(), Layer()), vocab=256, ffn=160, weight_dtype="fp32")
CACHE_BYTES = 100e9
WARM_SECONDS, READ_SECONDS, LEAST_READINGS = 0.25, 0.35, 3
ALLOWED_ERROR = 0.15
SAME_LOGITS = {torch.bfloat16: 0.05, torch.float32: 1e-4}  # relative; bf16 rounds in every layer
SAME_ATTENTION = {torch.bfloat16: 0.02, torch.float32: 1e-4}
CHECKED_TOKENS = 201  # more than one part of the cache, and a ragged end


@dataclass
class Reading:
    """One point of a sweep; `tokens` is the context of a decode step or the length of a prompt."""

    batch: int
    tokens: int
    held_back: bool
    readings: list[float]
    light: float  # seconds by the roofline
    bound: str
    predicted: float = math.nan

    @property
    def seconds(self) -> float:
        return median(self.readings)

    @property
    def of_roofline(self) -> float:
        return self.light / self.seconds

    @property
    def error(self) -> float:
        return self.predicted / self.seconds - 1


@dataclass
class Sweep:
    points: list[Reading]
    missing: list[str]
    fitted: dict[str, object] = field(default_factory=dict)


def main() -> None:
    options = arguments()
    torch.set_grad_enabled(False)
    torch.manual_seed(0)
    shape = TINY if options.tiny else shipped_shape(options.shape)
    dtype = "fp32" if options.tiny else "bf16"
    model, gpu = weigh(shape, dtype, dtype), rates(options)
    sweeps = (TINY_DECODE, TINY_PREFILL) if options.tiny else (DECODE, PREFILL)
    device, attention = ("cpu", "flash") if options.tiny else ("cuda", options.attention)
    longest = max(CHECKED_TOKENS, *(tokens for sweep in sweeps for _, tokens in sweep))
    decoder = Decoder(model, most_tokens(model, options.tiny, *sweeps), longest, device, attention)
    say(f"{shape.name}: {model.parameters.total:,} parameters, as counted; a cache of {decoder.most:,} tokens")
    check_attention(decoder, sweeps[0])
    agreed = check(decoder)
    say(f"decode and prefill agree within {percent(agreed)}")
    found = {
        "decode": measure("decode", sweeps[0], decoder, gpu, options.seconds),
        "prefill": measure("prefill", sweeps[1], decoder, gpu, options.seconds),
    }
    for phase, sweep in found.items():
        predict(phase, sweep, model, gpu)
    wrong = [fault for phase, sweep in found.items() for fault in faults(phase, sweep)]
    text = report(found, gpu, decoder, agreed, wrong, options.tiny)
    print(text)
    if options.save:
        options.save.write_text(text + "\n")
    if options.json:
        options.json.write_text(json.dumps(document(found, gpu, shape, agreed, wrong), indent=1) + "\n")
    sys.exit(1 if wrong and not options.tiny else 0)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ceilings", type=Path, help="what `perfproof peak --json` printed on this machine")
    parser.add_argument("--shape", default="llama-3.1-8b", help="a shipped dense shape of the Llama kind")
    parser.add_argument("--seconds", type=float, default=70.0, help="no new point is begun after so many")
    parser.add_argument("--attention", choices=("split", "flash"), default="split", help="of a decode step")
    parser.add_argument("--tiny", action="store_true", help="a toy on the CPU, without graphs; judges nothing")
    parser.add_argument("--save", type=Path, help="write the table here")
    parser.add_argument("--json", type=Path, help="write every point here")
    options = parser.parse_args()
    if not options.tiny and not torch.cuda.is_available():
        parser.exit(3, "there is no GPU that torch can use; --tiny needs none\n")
    return options


def say(text: str) -> None:
    print(f"{time.time() - STARTED:5.1f} s  {text}", file=sys.stderr, flush=True)


def rates(options: argparse.Namespace) -> Accelerator:
    """The ceilings as `perfproof calc roofline --ceilings` reads them: the best rate of memory, and that of bf16."""
    if options.tiny:
        return toy_rates()
    if options.ceilings:
        measured = stored.parse(options.ceilings.read_text(), str(options.ceilings))
        source = f"ceilings of {measured.measured}"
    else:
        measured, source = measured_here(), "ceilings measured before the sweep"
    roofs = {roof.name: roof for roof in roofline.roofs_of(measured)}
    if not {"DRAM", "bf16"} <= roofs.keys():
        sys.exit(f"--ceilings {options.ceilings} has no memory or no bf16 rate: run `perfproof peak` for both")
    memory, compute = roofs["DRAM"], roofs["bf16"]
    source += f": {memory.source} {memory.value / 1e12:.2f} TB/s, {compute.source} {compute.value / 1e12:.0f} TFLOP/s"
    say(source)
    return Accelerator(torch.cuda.get_device_name(), memory.value, {"bf16": compute.value}, source=source)


def measured_here() -> Ceilings:
    from perfproof.peak.plan import QUICK_REPEATS, Plan
    from perfproof.peak.probes import device_gemm, device_memory

    wanted = ("memory/read", "gemm/bf16/burst")
    plan = Plan(device="cuda:0", quick=True, only=wanted, repeats=QUICK_REPEATS, idle_seconds=0.5)
    found = [*device_memory.probe(plan), *device_gemm.probe(plan)]
    torch.cuda.empty_cache()
    missing = [f"{one.name}: {one.why}" for one in found if not isinstance(one, Ceiling)]
    if missing:
        sys.exit(f"a ceiling could not be measured, so there is no roofline: {'; '.join(missing)}")
    kept = [one for one in found if isinstance(one, Ceiling)]
    return Ceilings(perfproof_version="", fingerprint="", kind="", device="cuda:0", measured="", ceilings=kept)


def toy_rates() -> Accelerator:
    """Of this CPU with everything in its caches, where a toy's weights are too."""
    buffer, square = torch.randn(64 * 1024), torch.randn(256, 256)
    read = buffer.numel() * 4 / min(host_readings(buffer.sum))
    compute = 2 * 256**3 / min(host_readings(lambda: square @ square))
    return Accelerator("CPU", read, {"fp32": compute}, source="a toy's: a sum and a product in the caches")


def most_tokens(model: Model, tiny: bool, *sweeps: list[tuple[int, int]]) -> int:
    """What the largest point needs, or what memory holds: a point above that is then missing."""
    needed = max(batch * tokens for sweep in sweeps for batch, tokens in sweep)
    if tiny:
        return needed
    room = min(CACHE_BYTES, torch.cuda.mem_get_info()[0] - 1.5 * model.bytes.stored)
    return min(needed, int(room / kv_bytes.per_token(model.shape, kv_bytes.Cache(model.formats.kv))))


def check_attention(decoder: Decoder, sweep: list[tuple[int, int]]) -> None:
    """The last sequence of every decode point against a plain softmax in float32; ends the script where it is wrong."""
    shape = decoder.shape
    for batch, context in [(2, CHECKED_TOKENS), *sweep]:
        if batch * context > decoder.most:
            continue
        cache = decoder.held(0, batch, context)
        query = torch.randn(batch, 1, shape.heads, shape.head_dim, device=decoder.device).to(decoder.dtype)
        found = decoder.decode_attention(query, cache)[-1].float()
        key, value = cache[:, -1].float()
        grouped = query[-1].float().view(shape.kv_heads, -1, shape.head_dim)
        weights = (torch.einsum("hgd,chd->hgc", grouped, key) * shape.head_dim**-0.5).softmax(-1)
        expected = torch.einsum("hgc,chd->hgd", weights, value).flatten()
        apart = ((found - expected).norm() / expected.norm()).item()
        if not apart < SAME_ATTENTION[decoder.dtype]:
            sys.exit(f"attention of batch {batch}, {context} tokens is {percent(apart)} away from a plain softmax")


def check(decoder: Decoder) -> float:
    """How far a cached step's logits are from a prefill's, relative to them; ends the script where they are wrong."""
    ids = decoder.ids(2, CHECKED_TOKENS)
    expected = decoder.forward(ids, CHECKED_TOKENS).float()
    for place in range(len(decoder.layers)):  # the step must write its own entry, not find it
        decoder.held(place, 2, CHECKED_TOKENS)[:, :, -1] = 0
    fed = decoder.ids(2, 1)
    results: list[torch.Tensor] = []
    step = runnable("decode", lambda: results.append(decoder.forward(fed, CHECKED_TOKENS)), decoder.device)
    fed.copy_(ids[:, -1:])
    step()
    apart = ((results[-1].float() - expected).norm() / expected.norm()).item()
    if not apart < SAME_LOGITS[decoder.dtype]:
        sys.exit(f"a decode step and a prefill of the same tokens are {percent(apart)} apart: the decoder is wrong")
    return apart


def runnable(phase: str, step, device: str):
    """Decode as a CUDA graph, so that launches are not the measure; its last run before is the capture itself."""
    if device == "cpu" or phase == "prefill":
        return step
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        step()
        step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def measure(phase: str, sweep: list[tuple[int, int]], decoder: Decoder, gpu: Accelerator, allowed: float) -> Sweep:
    """Every third point, from the second on, is held back: decided before anything is measured."""
    found = Sweep([], [])
    for place, (batch, tokens) in enumerate(sweep):
        name = f"{phase}, batch {batch}, {tokens} tokens"
        if batch * tokens > decoder.most:
            found.missing.append(f"{name}: its cache does not fit")
        elif time.time() - STARTED > allowed:
            found.missing.append(f"{name}: the time was over")
        else:
            readings = timed(phase, decoder, batch, tokens)
            light = step_of(phase, decoder.model, gpu, batch, tokens)
            point = Reading(batch, tokens, place % 3 == 1, readings, light.seconds, light.bound)
            found.points.append(point)
            say(f"{name}: {seconds(point.seconds)}, {percent(point.of_roofline)} of the roofline")
    return found


def timed(phase: str, decoder: Decoder, batch: int, tokens: int) -> list[float]:
    ids = decoder.ids(batch, 1 if phase == "decode" else tokens)
    step = runnable(phase, lambda: decoder.forward(ids, tokens), decoder.device)
    return host_readings(step) if decoder.device == "cpu" else device_readings(step)


def device_readings(step) -> list[float]:
    from perfproof.peak.probes._device_timing import read_batches

    step()
    (one,) = read_batches(step, 1, 1)
    if one < WARM_SECONDS:
        read_batches(step, 1, round(WARM_SECONDS / one))
    return read_batches(step, 1, max(LEAST_READINGS, round(READ_SECONDS / one)))


def host_readings(step) -> list[float]:
    found = []
    for _ in range(12):
        start = time.perf_counter()
        step()
        found.append(time.perf_counter() - start)
    return found[2:]


def step_of(phase: str, model: Model, gpu: Accelerator, batch: int, tokens: int, reached=LIGHT):
    if phase == "decode":
        return decode_step(model, gpu, batch, tokens, reached=reached)
    return prefill_step(model, gpu, tokens, reached=reached, batch=batch)


def predict(phase: str, sweep: Sweep, model: Model, gpu: Accelerator) -> None:
    """Fit to the points that are not held back; then the model's time for every point."""
    used = [sweep_fit.Point(one.batch, one.tokens, one.seconds) for one in sweep.points if not one.held_back]
    if not used:
        return
    fitted = sweep_fit.fit(used, lambda one: step_of(phase, model, gpu, one.batch, one.context))
    sweep.fitted = {**asdict(fitted.reached), "points": len(used), "worst": max(map(abs, fitted.residuals))}
    for one in sweep.points:
        one.predicted = step_of(phase, model, gpu, one.batch, one.tokens, fitted.reached).seconds


def faults(phase: str, sweep: Sweep) -> list[str]:
    found = [f"not measured: {one}" for one in sweep.missing]
    for one in sweep.points:
        name = f"{phase}, batch {one.batch}, {one.tokens} tokens"
        if one.of_roofline > 1:
            found.append(f"above the roofline: {name} at {percent(one.of_roofline)}")
        if one.held_back and not abs(one.error) <= ALLOWED_ERROR:
            found.append(f"predicted wrong: {name} by {100 * one.error:+.1f} %")
    return found


def report(found: dict[str, Sweep], gpu: Accelerator, decoder: Decoder, agreed: float, wrong: list[str], tiny: bool):
    lines = [*heading("cpu" if tiny else "cuda"), ""]
    lines += ["A toy on the CPU: nothing below is judged.", ""] if tiny else []
    lines += [
        f"{decoder.shape.name}, {decoder.model.parameters.total:,} parameters, {decoder.model.formats.matrices}, "
        f"random weights; decode attention: {decoder.attention}; {gpu.source}.",
        f"A decode step and a prefill of the same tokens agree within {percent(agreed)}.",
        "",
    ]
    for phase, sweep in found.items():
        lines += [*table(phase, sweep), "", summary(phase, sweep), ""]
    lines += [f"- {one}" for one in wrong] or ["No step is above its roofline, and no held-back point is missed."]
    return "\n".join(lines)


def table(phase: str, sweep: Sweep) -> list[str]:
    what = "context" if phase == "decode" else "prompt"
    lines = [
        f"| {phase}: batch | {what} | measured | lowest | highest | roofline | of it | bound | model | error | |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for one in sweep.points:
        times = [seconds(value) for value in (one.seconds, min(one.readings), max(one.readings), one.light)]
        cells = [str(one.batch), str(one.tokens), *times, percent(one.of_roofline), one.bound]
        cells += [seconds(one.predicted), f"{100 * one.error:+.1f} %", "held back" if one.held_back else "fitted"]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def summary(phase: str, sweep: Sweep) -> str:
    held = [abs(one.error) for one in sweep.points if one.held_back]
    if not held or not sweep.fitted:
        return f"{phase}: too few points were measured to hold any back."
    best = max(one.of_roofline for one in sweep.points)
    shares = [f"{name} {sweep.fitted[name]:.3f}" for name in ("memory", "cache", "compute") if sweep.fitted[name]]
    return (
        f"{phase}: at most {percent(best)} of the roofline. Fitted to {sweep.fitted['points']} points: shares "
        f"{', '.join(shares)} (1 where no point is bound by it), {seconds(sweep.fitted['launch'])} a step besides; "
        f"worst of {len(held)} held back: {percent(max(held))}, median {percent(median(held))}."
    )


def document(found: dict[str, Sweep], gpu: Accelerator, shape: Shape, agreed: float, wrong: list[str]) -> dict:
    """Every reading; `decode` is also what `perfproof calc roofline --sweep` reads."""

    def row(one: Reading) -> dict:
        kept = {"seconds": one.seconds, "context": one.tokens, "of_roofline": one.of_roofline, "error": one.error}
        return {name: None if value != value else value for name, value in (asdict(one) | kept).items()}  # NaN: no fit

    phases = {
        phase: {"fit": sweep.fitted, "missing": sweep.missing, "points": [row(one) for one in sweep.points]}
        for phase, sweep in found.items()
    }
    return {"shape": shape.name, "gpu": asdict(gpu), "logits_apart": agreed, "wrong": wrong, **phases}


if __name__ == "__main__":
    main()
