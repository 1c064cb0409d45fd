"""A request as the router sees it: how long its prompt and its answer may be, and the names of its prompt's blocks."""

import json
import math
from dataclasses import dataclass, field
from typing import Any

from perfproof.router.prefixes import BLOCK_TOKENS, BYTES_PER_TOKEN, names_of_text, names_of_tokens

DEFAULT_ANSWER = 16  # tokens, if a request names no limit


@dataclass(eq=False)
class Job:
    prompt: int  # tokens, estimated if the prompt is text
    answer: int = DEFAULT_ANSWER
    names: list[bytes] = field(default_factory=list)
    is_stream: bool = False
    placed_at: float = 0.0
    new_blocks: int = 0  # of the prompt, that its worker has to compute
    has_started: bool = False  # its first token was seen

    @property
    def blocks(self) -> int:
        """Blocks of the cache that it may fill in the end."""
        return math.ceil((self.prompt + self.answer) / BLOCK_TOKENS)

    @property
    def prompt_blocks(self) -> int:
        return math.ceil(self.prompt / BLOCK_TOKENS)


def job_of_tokens(tokens: list[int], answer: int) -> Job:
    return Job(len(tokens), answer, names_of_tokens(tokens))


def job_of_body(body: bytes) -> Job:
    """From the JSON of a request. What cannot be read has no names: the worker says what is wrong with it."""
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        return Job(1)
    if not isinstance(fields, dict):
        return Job(1)
    salt = str(fields.get("cache_salt") or "").encode(errors="replace")
    answer = next((n for key in ("max_completion_tokens", "max_tokens") if (n := _count(fields.get(key)))), 0)
    is_stream = fields.get("stream") is True
    prompt = fields.get("prompt")
    if isinstance(prompt, list) and len(prompt) == 1 and isinstance(prompt[0], str | list):
        prompt = prompt[0]
    if isinstance(prompt, list) and prompt and all(type(one) is int for one in prompt):
        return Job(len(prompt), answer or DEFAULT_ANSWER, names_of_tokens(prompt, salt), is_stream)
    text = _text(prompt, fields.get("messages"))
    length = max(1, len(text) // BYTES_PER_TOKEN)
    return Job(length, answer or DEFAULT_ANSWER, names_of_text(text, salt), is_stream)


def _count(value: Any) -> int:
    return value if type(value) is int and value > 0 else 0


def _text(prompt: Any, messages: Any) -> bytes:
    """One text that begins alike if the prompts do; roles are part of it."""
    if isinstance(prompt, str):
        return prompt.encode(errors="replace")
    if not isinstance(messages, list):
        return b""
    said = []
    for one in messages:
        if isinstance(one, dict):
            content = one.get("content")
            text = content if isinstance(content, str) else json.dumps(content, sort_keys=True)
            said.append(f"\0{one.get('role')}\0{text}")
    return "".join(said).encode(errors="replace")
