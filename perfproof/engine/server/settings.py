"""What a server is started with, handed over to its process in one environment variable."""

import json
from dataclasses import asdict, dataclass

VARIABLE = "PERFPROOF_SERVE"  # not an argument: a key would be in the list of processes


@dataclass(frozen=True)
class ServeSettings:
    model: str | None = None  # a folder, a config.json or a shipped shape; None is the demo
    name: str = ""  # under which clients ask for it; empty: the folder's name
    random: bool = False
    host: str = "127.0.0.1"
    key: str | None = None
    descriptor: int = -1  # of the listening socket
    device: str = ""  # empty: a GPU if there is one; the demo runs on the CPU
    dtype: str = ""  # empty: bfloat16 on a GPU, float32 on a CPU
    quantise: int = 0  # bits
    group: int = 128
    int8_cache: bool = False
    blocks: int = 0  # 0: what fits into `memory` of the device, or 512 on a CPU
    memory: float = 0.9
    block_size: int = 16
    token_budget: int = 2048
    most_running: int = 64
    longest: int | None = None
    prefix_cache: bool = True
    chunked: bool = True
    overlap: bool = True
    graphs: bool = True
    speculate: str = ""  # ngram, or the model folder of a draft
    drafts: int = 4
    seed: int | None = None
    prefill_process: bool = False  # prompts are computed in a process of their own
    ranks: int = 1  # processes that share the model
    ends_on_failure: bool = False  # another process starts it again
    queue: int = 128
    most_body: int = 4_000_000  # bytes
    body_seconds: float = 30.0
    write_seconds: float = 30.0
    drain_seconds: float = 30.0
    step_log: str | None = None


def to_text(settings: ServeSettings) -> str:
    return json.dumps(asdict(settings))


def from_text(text: str) -> ServeSettings:
    return ServeSettings(**json.loads(text))
