"""Measure the engine on one GPU, beside a plain eager decoder and the same decoder under torch.compile.

    python benchmarks/engine_gpu.py [--shape NAME ...] [--beside KIND ...] [--quantise BITS] [--seconds S]
                                    [--save FILE] [--rows FILE]
    python benchmarks/engine_gpu.py --tiny       a toy on the CPU: shows that the script works, judges nothing

Random weights in bf16 of the shipped shapes llama-3.2-1b and llama-3.1-8b, and of llama-40b, a shape of that size. All
three kinds run in this process, one after the other, on the same weights. `--rows` appends a line of JSON per row, and
`perfproof report chapters` writes docs/models.md from them.

engine    steps of perfproof.engine with its scheduler, as they are served (`overlap`, CUDA graphs); a request's tokens
          are read by the host. The time of a step is wall time over many steps, so the host's work is part of it;
eager     a step of a decoder with a static cache, written in plain torch operations, one after the other;
compiled  the same function under torch.compile(mode="reduce-overhead"), which uses CUDA graphs as well.

Before anything is timed, the tokens of the engine must equal those of the plain decoder wherever the logits leave no
doubt in bf16: the engine's token must be within TIE of the largest logit. The share of the limit is the bytes that a
step must read (weights once, the cache of every sequence) over the time, against the bandwidth of a copy. For a prompt
it is the operations of its products, against a large product. Both limits are measured here, in the same process. The
host's time is the engine's own count: planning, sending and reading without waiting for the device. Power is the GPU's
own counter, over all readings of a row.
"""

import argparse
import datetime
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import torch
import torch.nn.functional as F
from heading import heading

from perfproof.calc.parameters import count
from perfproof.engine.architecture import Architecture, architecture_of, find_architecture
from perfproof.engine.cache import bytes_per_block
from perfproof.engine.engine import Engine, Settings
from perfproof.engine.plain_decoder import logits_of
from perfproof.engine.request import Request, Sampling
from perfproof.engine.weights import Layer, Weights, quantise_weights, random_weights, stored_bytes
from perfproof.machine.energy import GpuEnergy

BESIDE = ("eager", "compiled")
SHAPES = ("llama-3.2-1b", "llama-3.1-8b", "llama-40b")
MIDDLE = {
    "model_type": "llama", "hidden_size": 6144, "num_hidden_layers": 60, "num_attention_heads": 48,
    "num_key_value_heads": 8, "intermediate_size": 30_720, "vocab_size": 32_000, "max_position_embeddings": 8192,
}  # fmt: skip
LEAST_SECONDS = 1.0  # of an energy reading: the counter moves in steps of some tens of milliseconds
BATCHES, CONTEXT = (1, 64), 1024
PROMPTS, PROMPT = 8, 2048
BLOCK = 16
READINGS = 5
COPY_BYTES = 4 << 30
TIE = 0.05  # of the spread of the logits: bf16 rounds in every layer, so two nearly equal logits may change places
CHECKED = 8  # tokens
TINY = {
    "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 300, "max_position_embeddings": 512,
}  # fmt: skip


KEPT = ("shape", "parameters", "kind", "batch", "tokens", "seconds", "per_step", "host_seconds")


@dataclass
class Limits:
    copy: float  # bytes per second
    product: float  # operations per second


class Meter:
    """Mean power of the GPU since it was made; None if it has no counter or the time was short."""

    def __init__(self, weights: Weights) -> None:
        self.counter = GpuEnergy(0) if weights.device.type == "cuda" else None
        self.started, self.joules = time.perf_counter(), self.counter and self.counter.joules()

    def watts(self) -> float | None:
        passed = time.perf_counter() - self.started
        if self.counter is None or self.joules is None or passed < LEAST_SECONDS:
            return None
        now = self.counter.joules()
        return None if now is None else (now - self.joules) / passed


@dataclass
class Row:
    shape: str
    kind: str
    batch: int
    tokens: int  # per sequence: context of a decode step, or prompt
    seconds: float  # per step
    per_step: int  # tokens
    needed: int  # bytes that a decode step must read; 0 for a prompt
    host_seconds: float | None = None
    watts: float | None = None
    flops: float = 0.0  # of a prompt's products
    parameters: int = 0

    def share(self, limits: "Limits") -> float:
        return max(self.needed / limits.copy, self.flops / limits.product) / self.seconds

    def saved(self, limits: "Limits", device: str) -> dict:
        """As perfproof/report/model_table.py reads it."""
        machine = "CPU" if device == "cpu" else f"one {torch.cuda.get_device_name()}"
        own = {name: getattr(self, name) for name in KEPT}
        joules = None if self.watts is None else self.watts * self.seconds
        derived = {"phase": "prefill" if self.flops else "decode", "share": self.share(limits), "joules": joules}
        return {**own, **derived, "machine": machine, "date": str(datetime.date.today())}

    def line(self, limits: "Limits") -> str:
        share = f"{self.share(limits):6.1%}"
        host = f"{self.host_seconds * 1e6:9.0f}" if self.host_seconds is not None else "        -"
        what = f"{self.shape:14} {self.kind:9} {self.batch:5} {self.tokens:6}"
        return f"{what} {self.seconds * 1e3:10.3f} {self.per_step / self.seconds:12,.0f} {share:>9} {host}"


def main() -> None:
    options = parse()
    device = "cpu" if options.tiny else "cuda"
    limits = Limits(copy_bandwidth(device), product_rate(device))
    said = f"measured copy: {limits.copy / 1e9:,.0f} GB/s (bytes read plus bytes written)"
    lines = [*heading(device), "", f"{said}, product: {limits.product / 1e12:,.3g} TFLOP/s", ""]
    names = f"{'shape':14} {'kind':9} {'batch':>5} {'tokens':>6}"
    lines.append(f"{names} {'ms/step':>10} {'tokens/s':>12} {'of limit':>9} {'host us':>9}")
    print("\n".join(lines), flush=True)
    for name in ["tiny"] if options.tiny else options.shape:
        for row in measure(name, device, options):
            row.parameters = count(model_of(name).shape).total
            row.kind += f" int{options.quantise}" if options.quantise else ""
            lines.append(row.line(limits))
            print(lines[-1], flush=True)
            if options.rows:
                with options.rows.open("a") as file:
                    file.write(json.dumps(row.saved(limits, device)) + "\n")
    if options.save:
        options.save.write_text("\n".join(lines) + "\n")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", nargs="+", default=list(SHAPES))
    parser.add_argument(
        "--beside", nargs="*", default=BESIDE, choices=BESIDE, help="plain decoders; none is the engine alone"
    )
    parser.add_argument("--quantise", type=int, default=0, choices=(0, 4, 8))
    parser.add_argument("--seconds", type=float, default=0.5, help="of each reading of the plain decoders")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--rows", type=Path, help="append a line of JSON per row")
    parser.add_argument("--tiny", action="store_true")
    options = parser.parse_args()
    if not options.tiny and not torch.cuda.is_available():
        sys.exit("no CUDA device here; --tiny shows on a CPU that the script works")
    if options.tiny:
        options.seconds = 0.02
    return options


def measure(name: str, device: str, options: argparse.Namespace):
    """Rows of one shape. Weights are made once and shared by all kinds."""
    is_tiny, model = name == "tiny", model_of(name)
    dtype = torch.float32 if is_tiny else torch.bfloat16
    weights = random_weights(model, dtype, device)
    used = quantise_weights(weights, options.quantise, 32 if is_tiny else 128) if options.quantise else weights
    check_tokens(model, used, device)
    batches, context = ((1, 4), 64) if is_tiny else (BATCHES, CONTEXT)
    kinds = () if options.quantise else ("eager",) if is_tiny else options.beside
    for batch in batches:
        yield decode_engine(name, model, used, batch, context)
        for kind in kinds:
            yield from attempt(decode_plain, name, kind, model, weights, batch, context, options)
    prompts, length = (2, 48) if is_tiny else (PROMPTS, PROMPT)
    yield prefill_engine(name, model, used, prompts, length)
    for kind in kinds:
        yield from attempt(prefill_plain, name, kind, model, weights, prompts, length, options)


def model_of(name: str) -> Architecture:
    own = {"tiny": TINY, "llama-40b": MIDDLE}
    return architecture_of(own[name]) if name in own else find_architecture(name)


def attempt(measured, name, kind, *arguments):
    """A decoder beside the engine that cannot run here is said to be missing; the engine itself may not fail."""
    try:
        yield measured(name, kind, *arguments)
    except (RuntimeError, torch._dynamo.exc.TorchDynamoException) as error:
        print(f"{name:14} {kind:9} not-run: {str(error).splitlines()[0][:90]}", flush=True)


def make_engine(model: Architecture, weights: Weights, batch: int, longest: int, budget: int) -> Engine:
    blocks = (batch + 1) * (-(-longest // BLOCK) + 1)
    settings = Settings(blocks, BLOCK, budget, batch, longest, prefix_cache=False, seed=0)
    return Engine(model, weights, settings)


def check_tokens(model: Architecture, weights: Weights, device: str) -> None:
    """Greedy tokens of the engine, alone and in a batch, against the logits of the full recomputation."""
    engine = make_engine(model, weights, 5, 256, 64)  # chunks, rows and graphs of more than one size
    drawn = torch.randint(model.shape.vocab, (5, 100), generator=torch.Generator().manual_seed(1)).tolist()
    asked = [Request(str(n), one[: 20 + 19 * n], Sampling(0, max_tokens=CHECKED)) for n, one in enumerate(drawn)]
    for request in asked:
        engine.add(request)
    while engine.is_busy:
        engine.step()
    with torch.inference_mode():
        for request in asked:
            logits = logits_of(model, weights, torch.tensor([request.tokens[:-1]], device=device))[0].float()
            logits = logits[len(request.prompt) - 1 :]
            chosen = logits.gather(1, torch.tensor(request.answer, device=device)[:, None])[:, 0]
            behind = (logits.amax(1) - chosen) / logits.std(1)
            if float(behind.max()) > TIE:
                sys.exit(
                    f"request {request.id}: a token is {float(behind.max()):.3f} of the spread behind the largest logit"
                )


def decode_engine(name, model, weights, batch: int, context: int) -> Row:
    """Steps in which every request decodes, with `context` tokens each in the middle."""
    steps = min(256, context // 2)
    warm, per_reading = steps // 8, (steps - steps // 8 - 4) // READINGS
    engine = decoding_engine(model, weights, batch, context - warm - (steps - warm) // 2, steps)
    for _ in range(warm):
        engine.step()
    readings, host, lengths, meter = [], [], [], Meter(weights)
    for _ in range(READINGS):
        synchronise(weights)
        started = time.perf_counter()
        for _ in range(per_reading):
            engine.step()
            host.append(engine.last_step.host_seconds)
        synchronise(weights)
        readings.append((time.perf_counter() - started) / per_reading)
        lengths.append(engine.scheduler.running[0].length - per_reading / 2)
    held = round(sum(lengths) / len(lengths))  # the context grows while it is measured
    needed = stored_bytes(weights) + batch * held * bytes_per_block(model, 1, weights.dtype, int8=False)
    watts = meter.watts() or decode_watts(model, weights, batch, context, median(readings))
    return Row(name, "engine", batch, held, median(readings), batch, needed, median(host), watts)


def decoding_engine(model, weights, batch: int, start: int, steps: int) -> Engine:
    """All prompts are computed; the next steps only decode."""
    engine = make_engine(model, weights, batch, start + steps + 1, max(2048, batch))
    drawn = torch.randint(model.shape.vocab, (batch, start), generator=torch.Generator().manual_seed(2)).tolist()
    for number, prompt in enumerate(drawn):
        engine.add(Request(str(number), prompt, Sampling(0, max_tokens=steps, ignore_eos=True)))
    while engine.scheduler.waiting or any(one.computed < len(one.prompt) for one in engine.scheduler.running):
        engine.step()
    return engine


def decode_watts(model, weights, batch: int, context: int, seconds: float) -> float | None:
    """Power over as many steps as the counter needs: their contexts are longer and shorter, and the same on average."""
    steps = min(int(1.2 * LEAST_SECONDS / seconds) + 1, 2 * context - 2)
    if weights.device.type != "cuda":
        return None
    engine = decoding_engine(model, weights, batch, context - steps // 2, steps)
    synchronise(weights)
    meter = Meter(weights)
    for _ in range(steps - 4):
        engine.step()
    synchronise(weights)
    return meter.watts()


def prefill_engine(name, model, weights, prompts: int, length: int) -> Row:
    engine = make_engine(model, weights, prompts, length + 8, prompts * length)
    drawn = torch.randint(model.shape.vocab, (prompts, length), generator=torch.Generator().manual_seed(3)).tolist()
    readings, host, turn, meter = [], [], 0, Meter(weights)
    while len(readings) < READINGS or (meter.counter and sum(readings) < LEAST_SECONDS):
        if turn == 2:  # what came before compiled kernels and warmed up
            meter = Meter(weights)
        for number, prompt in enumerate(drawn):
            engine.add(Request(f"{turn}-{number}", prompt, Sampling(0, max_tokens=1)))
        synchronise(weights)
        started = time.perf_counter()
        engine.step()
        first = engine.last_step
        while engine.is_busy:
            engine.step()
        synchronise(weights)
        if turn >= 2:
            readings.append(time.perf_counter() - started)
            host.append(first.host_seconds)
        turn += 1
    flops = prompt_flops(model, prompts, length)
    return Row(
        name, "engine", prompts, length, median(readings), prompts * length, 0, median(host), meter.watts(), flops
    )


def decode_plain(name, kind, model, weights, batch: int, context: int, options) -> Row:
    room = context + 64
    step = PlainDecoder(model, weights, batch, room)
    if kind == "compiled":
        step = torch.compile(step, mode="reduce-overhead", fullgraph=True)
    tokens = torch.randint(model.shape.vocab, (batch, 1), device=weights.device)
    position = torch.tensor([context], device=weights.device)
    seconds, watts = timed(lambda: step(tokens, position).clone(), weights, options.seconds)
    # The static cache is read to its end: a mask hides what lies behind the position.
    needed = stored_bytes(weights) + batch * room * bytes_per_block(model, 1, weights.dtype, int8=False)
    return Row(name, kind, batch, context, seconds, batch, needed, watts=watts)


def prefill_plain(name, kind, model, weights, prompts: int, length: int, options) -> Row:
    step = PlainDecoder(model, weights, prompts, length)
    if kind == "compiled":
        step = torch.compile(step, fullgraph=True)
    tokens = torch.randint(model.shape.vocab, (prompts, length), device=weights.device)
    position = torch.arange(length, device=weights.device)
    seconds, watts = timed(lambda: step(tokens, position), weights, options.seconds)
    flops = prompt_flops(model, prompts, length)
    return Row(name, kind, prompts, length, seconds, prompts * length, 0, watts=watts, flops=flops)


def prompt_flops(model: Architecture, prompts: int, length: int) -> float:
    """Products of the layers, half of the scores, and logits of one token per prompt."""
    shape = model.shape
    heads = (2 * shape.heads + 2 * shape.kv_heads) * shape.head_dim
    layer = shape.hidden * (heads + 3 * shape.ffn) + length * shape.heads * shape.head_dim
    return 2 * prompts * (length * len(shape.layers) * layer + shape.hidden * shape.vocab)


class PlainLayer(torch.nn.Module):
    """The weights of a layer and its static cache, as buffers: torch.compile takes those for fixed memory."""

    def __init__(self, layer: Layer, size: tuple[int, ...]) -> None:
        super().__init__()
        for name in ("attention_norm", "qkv", "out", "mlp_norm", "gate_up", "down"):
            self.register_buffer(name, getattr(layer, name))
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(size, dtype=layer.qkv.dtype, device=layer.qkv.device))


class PlainDecoder(torch.nn.Module):
    """Logits of the last token, in the form that tutorials have and torch.compile likes."""

    def __init__(self, model: Architecture, weights: Weights, batch: int, length: int) -> None:
        super().__init__()
        self.shape, self.eps = model.shape, model.eps
        size = (batch, model.shape.kv_heads, length, model.shape.head_dim)
        self.layers = torch.nn.ModuleList(PlainLayer(layer, size) for layer in weights.layers)
        for name in ("embedding", "norm", "head"):
            self.register_buffer(name, getattr(weights, name))
        frequencies = model.rope.frequencies(model.shape.head_dim)
        self.register_buffer("frequencies", torch.tensor(frequencies, device=weights.device))

    def forward(self, tokens, position):
        x = F.embedding(tokens, self.embedding)
        angles = position[:, None] * self.frequencies
        cosine, sine = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        for layer in self.layers:
            x = x + self.attend(layer, self.normed(x, layer.attention_norm), position, cosine, sine)
            gate, up = F.linear(self.normed(x, layer.mlp_norm), layer.gate_up).chunk(2, -1)
            x = x + F.linear(F.silu(gate) * up, layer.down)
        return F.linear(self.normed(x[:, -1], self.norm), self.head)

    def attend(self, layer: PlainLayer, x, position, cosine, sine):
        shape, (batch, count, _) = self.shape, x.shape
        heads = F.linear(x, layer.qkv).view(batch, count, -1, shape.head_dim).transpose(1, 2)
        query, key, value = heads.split([shape.heads, shape.kv_heads, shape.kv_heads], 1)
        query, key = turned(query, cosine, sine), turned(key, cosine, sine)
        layer.keys.index_copy_(2, position, key)
        layer.values.index_copy_(2, position, value)
        if count > 1:  # a whole prompt
            mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
        else:
            mask = (torch.arange(layer.keys.shape[2], device=x.device) <= position[-1])[None, None, None]
            mixed = F.scaled_dot_product_attention(query, layer.keys, layer.values, mask, enable_gqa=True)
        return F.linear(mixed.transpose(1, 2).reshape(batch, count, -1), layer.out)

    def normed(self, x, weight):
        return F.rms_norm(x, weight.shape, weight, self.eps)


def turned(x, cosine, sine):
    first, second = x.chunk(2, -1)
    return torch.cat([first * cosine - second * sine, second * cosine + first * sine], -1)


def timed(call, weights: Weights, seconds: float) -> tuple[float, float | None]:
    """Median over readings of wall time per call, and watts; a reading is many calls, and ends when the device has."""
    with torch.no_grad():
        for _ in range(4):
            call()
        readings, meter = [], Meter(weights)
        for _ in range(READINGS):
            synchronise(weights)
            count, started = 0, time.perf_counter()
            while time.perf_counter() - started < seconds:
                call()
                count += 1
                if count % 8 == 0:
                    synchronise(weights)  # or the host would run far ahead and the reading would never end
            synchronise(weights)
            readings.append((time.perf_counter() - started) / count)
    return median(readings), meter.watts()


def product_rate(device: str) -> float:
    """Operations per second of a large product in bf16 (on a CPU a small one in float32)."""
    size, dtype = (8192, torch.bfloat16) if device == "cuda" else (512, torch.float32)
    left, right = torch.randn(2, size, size, dtype=dtype, device=device)
    return 2 * size**3 / best_seconds(lambda: left @ right, device)


def best_seconds(call, device: str) -> float:
    """The shortest of twelve readings of four calls, per call."""
    best = float("inf")
    for _ in range(12):
        if device == "cuda":
            torch.cuda.synchronize()
        started = time.perf_counter()
        for _ in range(4):
            call()
        if device == "cuda":
            torch.cuda.synchronize()
        best = min(best, (time.perf_counter() - started) / 4)
    return best


def copy_bandwidth(device: str) -> float:
    """Bytes per second of a large device-to-device copy: read plus written."""
    count = COPY_BYTES if device == "cuda" else 64 << 20
    source = torch.empty(count, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    return 2 * count / best_seconds(lambda: target.copy_(source), device)


def synchronise(weights: Weights) -> None:
    if weights.device.type == "cuda":
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
