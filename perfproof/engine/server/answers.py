"""The JSON of answers: whole ones, and the events of a stream. Chat and completion differ in a few names."""

import json
import time
from dataclasses import dataclass, field
from typing import Any

from perfproof.engine.request import Request
from perfproof.engine.server.asked import Refused

END = b"data: [DONE]\n\n"
KINDS = {403: "permission_error", 429: "rate_limit_error"}
CODES = {401: "invalid_api_key", 429: "rate_limit_exceeded"}  # words that clients compare, as OpenAI writes them


@dataclass
class Answer:
    """One answer as it grows."""

    request: Request
    model: str
    is_chat: bool
    says_usage: bool = False  # at the end of the stream: OpenAI's events before it then have `usage: null`
    tokens: int = 0
    created: int = field(default_factory=lambda: int(time.time()))

    def usage(self) -> dict[str, Any]:
        prompt = len(self.request.prompt)
        return {
            "prompt_tokens": prompt,
            "completion_tokens": self.tokens,
            "total_tokens": prompt + self.tokens,
            "prompt_tokens_details": {"cached_tokens": self.request.cached},
        }

    def whole(self, text: str, finish: str) -> dict[str, Any]:
        content: dict[str, Any] = (
            {"message": {"role": "assistant", "content": text, "refusal": None}} if self.is_chat else {"text": text}
        )
        choice = {"index": 0, **content, "logprobs": None, "finish_reason": finish}
        kind = "chat.completion" if self.is_chat else "text_completion"
        return {**self._head(kind), "choices": [choice], "usage": self.usage()}

    def first(self) -> bytes | None:
        """A chat says first who speaks."""
        return self._event({"delta": {"role": "assistant", "content": ""}}, None) if self.is_chat else None

    def piece(self, text: str, finish: str | None, with_usage: bool) -> bytes:
        return self._event({"delta": {"content": text}} if self.is_chat else {"text": text}, finish, with_usage)

    def last(self) -> bytes:
        return _data({**self._head(self._chunk_kind()), "choices": [], "usage": self.usage()})

    def _event(self, content: dict[str, Any], finish: str | None, with_usage: bool = False) -> bytes:
        choice = {"index": 0, **content, "logprobs": None, "finish_reason": finish}
        more = {"usage": self.usage() if with_usage else None} if with_usage or self.says_usage else {}
        return _data({**self._head(self._chunk_kind()), "choices": [choice], **more})

    def _chunk_kind(self) -> str:
        return "chat.completion.chunk" if self.is_chat else "text_completion"

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self.request.id, "object": kind, "created": self.created, "model": self.model}


def error(refused: Refused) -> dict[str, Any]:
    kind = KINDS.get(refused.status, "server_error" if refused.status >= 500 else "invalid_request_error")
    code = refused.code or CODES.get(refused.status)
    return {"error": {"message": refused.message, "type": kind, "param": refused.parameter, "code": code}}


def error_event(message: str) -> bytes:
    return _data(error(Refused(500, message)))


def _data(fields: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(fields, separators=(",", ":")).encode() + b"\n\n"
