"""A server whose behaviour is known: to try the client, to find its limits, and to check every number it reports.

It speaks the OpenAI protocol and runs no model. Requests are batched in steps as an engine does it: a step takes
`base` seconds, plus so much per prompt token, per answer in the batch and per token of context. A word is a token.

    python -m perfproof.load.known_server --slots 8 --base 0.01 --prefill 0.00002
"""

import argparse
import asyncio
import json
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from perfproof.load.step_model import StepModel

EVENT = (
    '{{"id":"cmpl-1","object":"chat.completion.chunk","created":1,"model":"known",'
    '"choices":[{{"index":0,"delta":{{{delta}}},"finish_reason":{finish}}}]{usage}}}'
)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
CACHE_BLOCK = 16  # tokens: shared beginnings count in whole blocks


@dataclass
class Settings:
    steps: StepModel = field(default_factory=StepModel)
    slots: int = 256  # answers in a batch
    chunk: int = 8192  # tokens of a step
    tokens_per_event: int = 1
    cache: bool = False
    continuous: bool = True  # takes continuous_usage_stats


@dataclass(eq=False)
class Job:
    connection: "Server"
    prompt: int
    output: int
    stream: bool
    usage: bool
    continuous: bool
    cached: int = 0
    prefilled: int = 0
    made: int = 0
    unsent: int = 0
    gone: bool = False


@dataclass
class Engine:
    settings: Settings
    waiting: deque[Job] = field(default_factory=deque)
    running: list[Job] = field(default_factory=list)
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    seen: set[int] = field(default_factory=set)
    queries: int = 0
    hits: int = 0

    def add(self, job: Job, words: Sequence[str]) -> None:
        self.queries += job.prompt
        if self.settings.cache:
            job.cached = self._cached(words)
            job.prefilled = min(job.cached, job.prompt - 1)
            self.hits += job.cached
        self.waiting.append(job)
        self.wake.set()

    def _cached(self, words: Sequence[str]) -> int:
        chain, found, matches = 0, 0, True
        for end in range(CACHE_BLOCK, len(words) + 1, CACHE_BLOCK):
            chain = hash((chain, *words[end - CACHE_BLOCK : end]))
            matches = matches and chain in self.seen
            found += CACHE_BLOCK * matches
            self.seen.add(chain)
        return found

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            if not self.waiting and not self.running:
                self.wake.clear()
                await self.wake.wait()
                due = loop.time()
            seconds, prompts, answers = self._step()
            due += seconds
            if due > loop.time():
                await asyncio.sleep(due - loop.time())
            else:
                await asyncio.sleep(0)
            self._advance(prompts, answers)

    def _step(self) -> tuple[float, list[tuple[Job, int]], list[Job]]:
        """What one step does: a token for each answer in the batch, and prompt tokens while the chunk has room."""
        self.running = [job for job in self.running if not job.gone]
        while self.waiting and len(self.running) < self.settings.slots:
            job = self.waiting.popleft()
            if not job.gone:
                self.running.append(job)
        answers = [job for job in self.running if job.prefilled >= job.prompt]
        room, prompts = self.settings.chunk - len(answers), []
        for job in self.running:
            if job.prefilled < job.prompt and room > 0:
                part = min(room, job.prompt - job.prefilled)
                prompts.append((job, part))
                room -= part
        tokens = sum(part for _, part in prompts)
        context = sum(job.prompt + job.made for job in answers)
        return self.settings.steps.seconds(tokens, len(answers), context), prompts, answers

    def _advance(self, prompts: list[tuple[Job, int]], answers: list[Job]) -> None:
        for job, part in prompts:
            job.prefilled += part
            if job.prefilled >= job.prompt:
                answers.append(job)  # the step that ends a prompt makes the first token
        ended = False
        for job in answers:
            job.made += 1
            job.unsent += 1
            last = job.made >= job.output
            if job.unsent >= self.settings.tokens_per_event or last:
                job.connection.token(job, last)
                job.unsent = 0
            ended = ended or last
        if ended:
            self.running = [job for job in self.running if job.made < job.output]


class Server(asyncio.Protocol):
    """One connection."""

    def __init__(self, engine: Engine):
        self.engine = engine
        self.buffer = b""
        self.job: Job | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]

    def connection_lost(self, error: Exception | None) -> None:
        if self.job is not None:
            self.job.gone = True

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, end, rest = self.buffer.partition(b"\r\n\r\n")
        if not end:
            return
        length = 0
        for line in head.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                length = int(value)
        if len(rest) < length:
            return
        self.buffer = rest[length:]
        method, path, _ = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)
        self._answer(method, path, rest[:length])

    def _answer(self, method: str, path: str, body: bytes) -> None:
        if path == "/v1/models":
            self._say(200, json.dumps({"object": "list", "data": [{"id": "known", "object": "model"}]}))
        elif path == "/metrics":
            self._say(200, self._metrics(), "text/plain")
        elif method == "POST" and path in ("/v1/chat/completions", "/v1/completions"):
            self._begin(json.loads(body))
        else:
            self._say(404, json.dumps({"error": {"message": f"no {path} here"}}))

    def _metrics(self) -> str:
        counts = {"prefix_cache_queries": self.engine.queries, "prefix_cache_hits": self.engine.hits}
        return "".join(f"# TYPE vllm:{name} counter\nvllm:{name}_total {value}\n" for name, value in counts.items())

    def _begin(self, said: dict) -> None:  # type: ignore[type-arg]
        options = said.get("stream_options") or {}
        continuous = bool(options.get("continuous_usage_stats"))
        if continuous and not self.engine.settings.continuous:
            self._say(400, json.dumps({"error": {"message": "continuous_usage_stats is unknown"}}))
            return
        text = said.get("prompt") or " ".join(str(one.get("content")) for one in said.get("messages", []))
        words = text.split()
        usage = bool(options.get("include_usage"))
        self.job = Job(
            self,
            max(1, len(words)),
            max(1, int(said.get("max_tokens", 16))),
            bool(said.get("stream")),
            usage,
            continuous,
        )
        if self.job.stream:
            self.transport.write(HEAD)
        self.engine.add(self.job, words)

    def token(self, job: Job, last: bool) -> None:
        if job.gone or self.transport.is_closing():
            return
        if job.unsent == 1 and job.stream and not last and not job.continuous:
            self.transport.write(ONE_TOKEN)
            return
        text = " word" * job.unsent
        if not job.stream:
            if last:
                self._say(
                    200,
                    json.dumps(
                        {
                            "choices": [{"message": {"content": " word" * job.made}, "finish_reason": "length"}],
                            "usage": usage_of(job),
                        }
                    ),
                )
            return
        usage = f',"usage":{json.dumps(usage_of(job))}' if job.continuous else ""
        out = _chunk(EVENT.format(delta=f'"content":"{text}"', finish='"length"' if last else "null", usage=usage))
        if last:
            if job.usage:
                out += _chunk(json.dumps({"choices": [], "usage": usage_of(job)}))
            out += _chunk("[DONE]") + b"0\r\n\r\n"
            self.job = None
        self.transport.write(out)

    def _say(self, status: int, text: str, kind: str = "application/json") -> None:
        body = text.encode()
        head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        self.transport.write(head.encode() + body)


def usage_of(job: Job) -> dict[str, object]:
    return {
        "prompt_tokens": job.prompt,
        "completion_tokens": job.made,
        "total_tokens": job.prompt + job.made,
        "prompt_tokens_details": {"cached_tokens": job.cached},
    }


def _chunk(payload: str) -> bytes:
    data = b"data: " + payload.encode() + b"\n\n"
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


# What most events are; written once, so that the server costs less than the client that is tried.
ONE_TOKEN = _chunk(EVENT.format(delta='"content":" word"', finish="null", usage=""))


async def serve(
    settings: Settings, host: str = "127.0.0.1", port: int = 0
) -> tuple[asyncio.Server, asyncio.Task[None]]:
    engine = Engine(settings)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Server(engine), host, port, backlog=4096)
    return server, asyncio.create_task(engine.run())


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Serve with known step times.")
    for name, default in (("base", 0.01), ("prefill", 0.0), ("sequence", 0.0), ("context", 0.0)):
        parser.add_argument(f"--{name}", type=float, default=default, help="seconds")
    for name, number in (("slots", 256), ("chunk", 8192), ("tokens-per-event", 1), ("port", 0)):
        parser.add_argument(f"--{name}", type=int, default=number)
    parser.add_argument("--cache", action="store_true", help="keep a prefix cache")
    said = parser.parse_args(arguments)
    steps = StepModel(said.base, said.prefill, said.sequence, said.context)
    asyncio.run(_until_closed(Settings(steps, said.slots, said.chunk, said.tokens_per_event, said.cache), said.port))


async def _until_closed(settings: Settings, port: int) -> None:
    """Serve until standard input ends: the parent is gone then, and so is this process."""
    server, steps = await serve(settings, port=port)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    steps.cancel()
    server.close()


if __name__ == "__main__":
    main()
