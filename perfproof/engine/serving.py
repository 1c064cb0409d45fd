"""Make the engine that a server was asked for: the model, its weights, the cache that fits, the speculation."""

import sys
import time
from dataclasses import replace
from pathlib import Path

import torch

from perfproof.core.errors import UnfitError, UsageError
from perfproof.engine.architecture import Architecture, find_architecture
from perfproof.engine.cache import Cache, bytes_per_block
from perfproof.engine.demo import NAME, train_demo
from perfproof.engine.engine import Engine, Settings
from perfproof.engine.runner import Runner
from perfproof.engine.server.settings import ServeSettings
from perfproof.engine.speculation import DraftSpeculator, NgramSpeculator, Speculator
from perfproof.engine.tokenizer import ByteTokenizer, FileTokenizer, Tokenizer
from perfproof.engine.weights import Weights, quantise_weights, random_weights, read_weights

CPU_BLOCKS = 512
DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32, "float64": torch.float64}
RESERVE = 2 * 2**30  # bytes of a GPU for activations and graphs


def make_engine(settings: ServeSettings) -> tuple[Engine, Tokenizer, str]:
    """The engine, its tokenizer, and the name of the model."""
    device = _device(settings)
    model, weights, name = _model(settings, device)
    tokenizer = _tokenizer(settings, model)
    model = replace(model, eos=tuple(dict.fromkeys((*model.eos, *tokenizer.eos))))
    if settings.quantise:
        weights = quantise_weights(weights, settings.quantise, settings.group)
    engine_settings = Settings(
        blocks=settings.blocks or _blocks_that_fit(settings, model, weights),
        block_size=settings.block_size,
        token_budget=settings.token_budget,
        most_running=settings.most_running,
        longest=settings.longest,
        prefix_cache=settings.prefix_cache,
        chunked=settings.chunked,
        int8_cache=settings.int8_cache,
        overlap=settings.overlap,
        graphs=settings.graphs,
        seed=settings.seed,
    )
    speculator = _speculator(settings, model, weights, engine_settings)
    return Engine(model, weights, engine_settings, speculator), tokenizer, settings.name or name


def _device(settings: ServeSettings) -> str:
    if not settings.device:
        return "cuda" if torch.cuda.is_available() and settings.model is not None else "cpu"  # the demo is tiny
    if settings.device.startswith("cuda") and not torch.cuda.is_available():
        raise UnfitError(f"--device {settings.device}: torch finds no CUDA device here; use --device cpu")
    if settings.device.startswith("cuda"):
        torch.cuda.set_device(settings.device)
    return settings.device


def _dtype(settings: ServeSettings, device: str) -> torch.dtype:
    name = settings.dtype or ("bfloat16" if device.startswith("cuda") else "float32")
    if name not in DTYPES:
        raise UsageError(f"--dtype {name}: choose one of {', '.join(DTYPES)}")
    return DTYPES[name]


def _model(settings: ServeSettings, device: str) -> tuple[Architecture, Weights, str]:
    if settings.model is None:
        started = time.perf_counter()
        model, weights, loss = train_demo()
        print(
            f"trained the demo model in {time.perf_counter() - started:.1f} s ({loss:.2f} nats per byte)",
            file=sys.stderr,
        )
        return model, weights.to(_dtype(settings, device), device), NAME
    model = find_architecture(settings.model)
    place = Path(settings.model)
    name = place.name if place.is_dir() else place.stem if place.is_file() else settings.model.lower()
    if settings.random or not place.is_dir():
        if not settings.random:
            raise UsageError(f"--model {settings.model} is a shape without weights; add --random for random ones")
        return model, random_weights(model, _dtype(settings, device), device), name
    return model, read_weights(place, model, _dtype(settings, device), device), name


def _tokenizer(settings: ServeSettings, model: Architecture) -> Tokenizer:
    path = Path(settings.model or "") / "tokenizer.json"
    if settings.model is not None and path.exists():
        return FileTokenizer(path, model.eos)
    if model.shape.vocab < ByteTokenizer.size:
        raise UsageError(
            f"no tokenizer.json beside the model, and its vocabulary of {model.shape.vocab} is too small for bytes"
        )
    return ByteTokenizer()


def _blocks_that_fit(settings: ServeSettings, model: Architecture, weights: Weights) -> int:
    if weights.device.type != "cuda":
        return CPU_BLOCKS
    free, total = torch.cuda.mem_get_info()
    room = free - (1 - settings.memory) * total - RESERVE
    count = int(room // bytes_per_block(model, settings.block_size, weights.dtype, settings.int8_cache))
    if count < 1:
        raise UnfitError("the weights leave no memory for the cache: quantise them, or raise --memory")
    return count


def _speculator(
    settings: ServeSettings, model: Architecture, weights: Weights, engine_settings: Settings
) -> Speculator | None:
    if not settings.speculate:
        return None
    if settings.speculate == "ngram":
        return NgramSpeculator(settings.drafts)
    draft = find_architecture(settings.speculate)
    if draft.shape.vocab != model.shape.vocab:
        raise UsageError(
            f"--speculate {settings.speculate}: a vocabulary of {draft.shape.vocab}, and the model has "
            f"{model.shape.vocab}; a draft model needs the same one"
        )
    draft_weights = (
        random_weights(draft, weights.dtype, str(weights.device))
        if settings.random
        else read_weights(Path(settings.speculate), draft, weights.dtype, str(weights.device))
    )
    longest = min(engine_settings.longest or model.longest, model.longest, engine_settings.blocks * settings.block_size)
    width = -(-longest // settings.block_size)
    blocks = width * settings.most_running
    cache = Cache(draft, blocks, settings.block_size, weights.dtype, weights.device)
    runner = Runner(draft, draft_weights, cache, longest, settings.most_running)
    if settings.graphs and weights.device.type == "cuda":
        runner.capture(settings.most_running)
    return DraftSpeculator(runner, settings.drafts)
