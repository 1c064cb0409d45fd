"""From the body of a request to what the engine is asked: every field is checked, and every refusal says which one.

A field is honoured, a label that changes no answer, accepted with values that change nothing, or refused in words. No
field is dropped without a word, whether it is documented or misspelt.
"""

import json
import math
import uuid
from dataclasses import dataclass
from typing import Any

from perfproof.engine.request import LARGEST_SEED, MOST_STOPS, Request, Sampling
from perfproof.engine.tokenizer import Tokenizer

HONOURED = (
    *("model", "temperature", "top_p", "top_k", "seed", "max_tokens", "stop", "stop_token_ids", "ignore_eos"),
    *("stream", "stream_options", "cache_salt"),
)
LABELS = (  # for the accounts of an operator or the place of a cache; they change no answer
    *("user", "metadata", "safety_identifier", "request_id"),
    *("prompt_cache_key", "prompt_cache_retention", "prompt_cache_options"),
)
NEUTRAL: dict[str, tuple[Any, ...]] = {  # fields that are accepted with these values only
    "n": (1,),
    "best_of": (1,),
    "echo": (False,),
    "suffix": ("",),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "presence_penalty": (0, 0.0),
    "frequency_penalty": (0, 0.0),
    "repetition_penalty": (1, 1.0),
    "length_penalty": (1, 1.0),
    "min_p": (0, 0.0),
    "min_tokens": (0,),
    "use_beam_search": (False,),
    "skip_special_tokens": (True,),
    "logit_bias": ({},),
    "tools": ([],),
    "tool_choice": ("none",),
    "parallel_tool_calls": (True, False),
    "functions": ([],),
    "function_call": ("none",),
    "response_format": ({"type": "text"},),
    "modalities": (["text"],),
    "reasoning_effort": ("none",),
    "verbosity": ("medium",),
    "service_tier": ("auto", "default"),
    "store": (False,),
    "add_generation_prompt": (True,),
}
MESSAGE = ("role", "content")
LONGEST_STOP = 1000
DEFAULT_COMPLETION_TOKENS = 16


class Refused(Exception):
    """A request that is answered with an error; `status` is the HTTP status, `code` a word that programs compare."""

    def __init__(self, status: int, message: str, parameter: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.parameter, self.code = status, message, parameter, code


@dataclass
class Asked:
    request: Request
    field: str  # of the prompt
    is_stream: bool
    with_usage: bool  # a last event with the usage
    usage_everywhere: bool  # in every event


def read_body(body: bytes, model: str) -> dict[str, Any]:
    try:
        fields = json.loads(body)
    except UnicodeDecodeError:
        raise Refused(400, "the body is not valid UTF-8; send JSON in UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise Refused(400, f"the body is not JSON: {str(error)[:200]}") from None
    if not isinstance(fields, dict):
        raise Refused(400, "the body must be a JSON object")
    check_model(fields.get("model", model), model)
    return fields


def check_model(asked: Any, served: str) -> None:
    if asked != served:
        what = f"the model {str(asked)[:100]!r} is not served here; ask for {served!r}"
        raise Refused(404, what, "model", "model_not_found")


def completion(fields: dict[str, Any], tokenizer: Tokenizer) -> Asked:
    _refuse_others(fields, "prompt")
    most = fields.get("max_tokens")
    return _asked(fields, _prompt(fields, tokenizer), DEFAULT_COMPLETION_TOKENS if most is None else most, "cmpl")


def chat(fields: dict[str, Any], tokenizer: Tokenizer, longest: int) -> Asked:
    """Without max_tokens an answer may fill the rest of the context."""
    _refuse_others(fields, "messages", "max_completion_tokens")
    prompt = tokenizer.chat(_messages(fields))
    given = [one for one in ("max_completion_tokens", "max_tokens") if fields.get(one) is not None]
    if len(given) > 1:
        raise Refused(400, "max_tokens is the old name of max_completion_tokens; send one of the two", given[0])
    return _asked(fields, prompt, fields[given[0]] if given else max(1, longest - len(prompt)), "chatcmpl")


def _refuse_others(fields: dict[str, Any], *more: str) -> None:
    for name, value in fields.items():
        if name in HONOURED or name in LABELS or name in more or value is None:
            continue
        allowed = NEUTRAL.get(name, ())
        if not any(type(value) is type(one) and value == one for one in allowed):
            only = f"; only {' or '.join(json.dumps(one) for one in allowed)} is accepted" if allowed else ""
            raise Refused(400, f"{name[:100]} is not supported by this server; leave it out{only}", name[:100])


def _asked(fields: dict[str, Any], prompt: list[int], most: Any, prefix: str) -> Asked:
    options = _or(fields.get("stream_options"), {})
    if not isinstance(options, dict):
        raise Refused(400, "stream_options must be an object", "stream_options")
    if options and not fields.get("stream"):
        raise Refused(400, "stream_options belong to a stream; leave them out or send stream: true", "stream_options")
    for name in options.keys() - {"include_usage", "continuous_usage_stats", "include_obfuscation"}:
        raise Refused(
            400, f"stream_options.{name[:100]} is not supported by this server; leave it out", "stream_options"
        )
    if _boolean(options, "include_obfuscation"):
        raise Refused(400, "stream_options.include_obfuscation is not supported; leave it out", "stream_options")
    salt = _or(fields.get("cache_salt"), "")
    if not isinstance(salt, str):
        raise Refused(400, "cache_salt must be a string", "cache_salt")
    request = Request(
        f"{prefix}-{uuid.uuid4().hex}", prompt, _sampling(fields, most), salt=_encoded(salt, "cache_salt")
    )
    return Asked(
        request,
        field="prompt" if prefix == "cmpl" else "messages",
        is_stream=_boolean(fields, "stream"),
        with_usage=_boolean(options, "include_usage"),
        usage_everywhere=_boolean(options, "continuous_usage_stats"),
    )


def _sampling(fields: dict[str, Any], most: Any) -> Sampling:
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise Refused(400, "max_tokens must be a whole number of at least 1", "max_tokens")
    return Sampling(
        temperature=_number(fields, "temperature", 1.0, 0.0, 100.0),
        top_p=_number(fields, "top_p", 1.0, 0.0, 1.0),
        top_k=max(0, _whole(fields, "top_k", 0, -1, 2**31)),
        seed=None if fields.get("seed") is None else _whole(fields, "seed", 0, -LARGEST_SEED, LARGEST_SEED),
        max_tokens=most,
        stop=_stops(fields.get("stop")),
        stop_ids=tuple(_token_list(_or(fields.get("stop_token_ids"), []), "stop_token_ids")),
        ignore_eos=_boolean(fields, "ignore_eos"),
    )


def _prompt(fields: dict[str, Any], tokenizer: Tokenizer) -> list[int]:
    prompt = fields.get("prompt")
    if isinstance(prompt, list) and len(prompt) == 1 and isinstance(prompt[0], str | list):
        prompt = prompt[0]
    if isinstance(prompt, str):
        _encoded(prompt, "prompt")
        return tokenizer.encode(prompt)
    if isinstance(prompt, list) and prompt and all(isinstance(one, str | list) for one in prompt):
        raise Refused(400, "one prompt per request; send several requests, they are computed together", "prompt")
    return _token_list(prompt, "prompt")


def _token_list(value: Any, name: str) -> list[int]:
    if not isinstance(value, list) or not all(type(one) is int and 0 <= one < 2**31 for one in value):
        raise Refused(400, f"{name} must be a {'string or a ' if name == 'prompt' else ''}list of token ids", name)
    return value


def _messages(fields: dict[str, Any]) -> list[dict[str, Any]]:
    messages = fields.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(one, dict) for one in messages):
        raise Refused(400, "messages must be a list of objects with role and content", "messages")
    for name, value in ((name, value) for one in messages for name, value in one.items() if name not in MESSAGE):
        if value is not None and value != []:
            raise Refused(400, f"{name[:100]} of a message is not supported; send role and content", "messages")
    return [{"role": _role(one), "content": _content(one.get("content"))} for one in messages]


def _role(message: dict[str, Any]) -> str:
    role = message.get("role")
    if role not in ("system", "developer", "user", "assistant"):
        raise Refused(400, f"role {str(role)[:40]!r} is not supported; use system, user or assistant", "messages")
    return "system" if role == "developer" else str(role)


def _content(content: Any) -> str:
    if isinstance(content, list) and all(_is_text(one) for one in content):
        content = "".join(one["text"] for one in content)
    if not isinstance(content, str):
        raise Refused(400, "content must be text; images, audio and tools are not supported", "messages")
    _encoded(content, "messages")
    return content


def _is_text(part: Any) -> bool:
    return (
        isinstance(part, dict)
        and part.keys() == {"type", "text"}
        and part["type"] == "text"
        and isinstance(part["text"], str)
    )


def _encoded(text: str, name: str) -> bytes:
    """JSON can hold half of a surrogate pair, which is no character."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Refused(400, f"{name} holds half of a surrogate pair, which is no text", name) from None


def _stops(value: Any) -> tuple[str, ...]:
    stops = [value] if isinstance(value, str) else _or(value, [])
    is_list = isinstance(stops, list) and len(stops) <= MOST_STOPS
    if not is_list or not all(isinstance(one, str) and 0 < len(one) <= LONGEST_STOP for one in stops):
        raise Refused(400, f"stop must be a string, or a list of at most {MOST_STOPS} strings, none empty", "stop")
    return tuple(stops)


def _or(value: Any, default: Any) -> Any:
    """The default for null alone: 0 and "" are values of a type."""
    return default if value is None else value


def _number(fields: dict[str, Any], name: str, default: float, low: float, high: float) -> float:
    value = fields.get(name)
    if value is None:
        return default
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not math.isfinite(value)
        or not low <= value <= high
    ):
        raise Refused(400, f"{name} must be a number from {low:g} to {high:g}", name)
    return float(value)


def _whole(fields: dict[str, Any], name: str, default: int, low: int, high: int) -> int:
    value = fields.get(name)
    if value is None:
        return default
    if type(value) is not int or not low <= value <= high:
        raise Refused(400, f"{name} must be a whole number from {low} to {high}", name)
    return value


def _boolean(fields: dict[str, Any], name: str) -> bool:
    value = fields.get(name)
    if value is not None and type(value) is not bool:
        raise Refused(400, f"{name} must be true or false", name)
    return bool(value)
