"""Make the engine that a server was asked for: model, weights, the cache that fits, speculation, roles and ranks."""

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path

import torch

from perfproof.core.errors import UnfitError, UsageError
from perfproof.engine.architecture import Architecture, find_architecture
from perfproof.engine.cache import Cache, bytes_per_block
from perfproof.engine.demo import NAME
from perfproof.engine.demo_weights import load_or_train_demo
from perfproof.engine.engine import Engine, Settings
from perfproof.engine.ranks import LeadingEngine, Ranks, start_ranks
from perfproof.engine.runner import Runner
from perfproof.engine.server.settings import ServeSettings
from perfproof.engine.speculation import DraftSpeculator, NgramSpeculator, Speculator
from perfproof.engine.tensor_parallel import split_model
from perfproof.engine.tokenizer import ByteTokenizer, FileTokenizer, LetterTokenizer, Tokenizer
from perfproof.engine.weights import Weights, quantise_weights, random_weights, read_weights, stored_bytes

CPU_BLOCKS = 512
DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32, "float64": torch.float64}
SHARED_MEMORY = Path("/dev/shm")
RESERVE = 2 * 2**30  # bytes of a GPU for activations and graphs


@dataclass
class Made:
    engine: Engine
    tokenizer: Tokenizer
    name: str  # of the model
    prefill: Callable[[], Engine] | None = None  # the engine of a prefill process, made there
    ranks: Ranks | None = None


def make_engine(settings: ServeSettings) -> Made:
    device = _device(settings)
    model, weights, name = _model(settings, "cpu" if settings.ranks > 1 else device)
    tokenizer = _tokenizer(settings, model)
    model = replace(model, eos=tuple(dict.fromkeys((*model.eos, *tokenizer.eos))))
    name = settings.name or name
    if settings.ranks > 1:
        return _on_ranks(settings, device, model, weights, tokenizer, name)
    weights = _quantised(settings, weights)
    settings = replace(settings, blocks=settings.blocks or _blocks_that_fit(settings, model, weights))
    if not settings.prefill_process:
        return Made(_engine(settings, model, weights), tokenizer, name)
    if weights.device.type == "cpu":
        _check_shared_memory(weights)
    return Made(_engine(settings, model, weights), tokenizer, name, partial(prefill_engine, settings, model, weights))


def _engine(settings: ServeSettings, model: Architecture, weights: Weights, kind: type[Engine] = Engine) -> Engine:
    engine_settings = Settings(**{one.name: getattr(settings, one.name) for one in fields(Settings)})
    if weights.device.type == "cpu":  # a launch returns when the step is done: its tokens would wait for the next one
        engine_settings = replace(engine_settings, overlap=False)
    return kind(model, weights, engine_settings, _speculator(settings, model, weights, engine_settings))


def prefill_engine(settings: ServeSettings, model: Architecture, weights: Weights) -> Engine:
    """In the prefill process: the same weights, a cache of its own, no guesses."""
    return _engine(replace(settings, speculate="", graphs=False), model, weights)


def _on_ranks(
    settings: ServeSettings, device: str, model: Architecture, weights: Weights, tokenizer: Tokenizer, name: str
) -> Made:
    """All ranks get the whole weights through shared memory, and each moves its share to its device."""
    if device == "cuda" and torch.cuda.device_count() < settings.ranks:
        raise UnfitError(f"--ranks {settings.ranks}: there are {torch.cuda.device_count()} GPUs; one rank needs one")
    _check_shared_memory(weights)
    own, share = _share(settings, device, model, weights, 0)
    settings = replace(settings, blocks=settings.blocks or _blocks_that_fit(settings, own, share))
    make = partial(rank_engine, settings, device, model, weights, tokenizer)
    ranks = start_ranks(settings.ranks, "nccl" if device == "cuda" else "gloo", make)
    engine = _engine(settings, own, share, LeadingEngine)
    assert isinstance(engine, LeadingEngine)
    engine.ranks = ranks
    return Made(engine, tokenizer, name, ranks=ranks)


def rank_engine(
    settings: ServeSettings, device: str, model: Architecture, weights: Weights, tokenizer: Tokenizer, rank: int
) -> tuple[Engine, Tokenizer]:
    """In the process of another rank."""
    return _engine(settings, *_share(settings, device, model, weights, rank)), tokenizer


def _share(
    settings: ServeSettings, device: str, model: Architecture, weights: Weights, rank: int
) -> tuple[Architecture, Weights]:
    own, share = split_model(model, weights, rank, settings.ranks)
    if device == "cuda":
        torch.cuda.set_device(rank)
    return own, _quantised(settings, share.to(share.dtype, f"cuda:{rank}" if device == "cuda" else device))


def _quantised(settings: ServeSettings, weights: Weights) -> Weights:
    return quantise_weights(weights, settings.quantise, settings.group) if settings.quantise else weights


def _check_shared_memory(weights: Weights) -> None:
    """Writing beyond its end would kill the process without a word."""
    needed = stored_bytes(weights) + weights.embedding.nbytes
    if SHARED_MEMORY.exists() and (free := shutil.disk_usage(SHARED_MEMORY).free) < needed:
        raise UnfitError(
            f"the processes share the weights in {SHARED_MEMORY}, which has {free / 1e9:.1f} GB free of the "
            f"{needed / 1e9:.1f} GB that are needed; make it larger (docker: --shm-size)"
        )


def _device(settings: ServeSettings) -> str:
    if not settings.device:
        return "cuda" if torch.cuda.is_available() and settings.model is not None else "cpu"  # the demo is tiny
    if settings.device.startswith("cuda") and not torch.cuda.is_available():
        raise UnfitError(f"--device {settings.device}: torch finds no CUDA device here; use --device cpu")
    if settings.device.startswith("cuda:") and settings.ranks > 1:
        raise UsageError(f"--device {settings.device}: ranks take the GPUs from the first on; write --device cuda")
    if settings.device.startswith("cuda:"):  # without a number it is the current one
        torch.cuda.set_device(settings.device)
    return settings.device


def _dtype(settings: ServeSettings, device: str) -> torch.dtype:
    name = settings.dtype or ("bfloat16" if device.startswith("cuda") else "float32")
    if name not in DTYPES:
        raise UsageError(f"--dtype {name}: choose one of {', '.join(DTYPES)}")
    return DTYPES[name]


def _model(settings: ServeSettings, device: str) -> tuple[Architecture, Weights, str]:
    if settings.model is None:
        model, weights = load_or_train_demo(partial(print, file=sys.stderr, flush=True))
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
    return LetterTokenizer() if settings.random else ByteTokenizer()


def _blocks_that_fit(settings: ServeSettings, model: Architecture, weights: Weights) -> int:
    if weights.device.type != "cuda":
        return CPU_BLOCKS
    free, total = torch.cuda.mem_get_info()
    room = free - (1 - settings.memory) * total - RESERVE
    room /= 1 + settings.prefill_process  # that has a cache of its own on the same GPU
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
