"""Which tokens came when: the events of a streamed completion as times, kinds and numbers of tokens.

The server's own usage says how many tokens there are. If it comes with every event, the tokens of each event are
exact. If it comes at the end, they are exact if every event held one token; else they are shared out by the number of
characters, and marked as estimated. Without usage, events are counted, and nothing calls them tokens of the server.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

DONE = b"[DONE]"
USAGE = b'"usage":'
PLAIN = bytes(set(range(32, 127)) - set(b'"\\'))  # stands for itself in JSON and in a line of an event
PLAIN_PARTS = {"role", "content", "reasoning_content", "reasoning"}
scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]  # `decode` spends as long again on blanks


@dataclass(slots=True)
class Stream:
    """What a response said. Events with text are columns: an object per event would keep the garbage collector busy."""

    times: list[float] = field(default_factory=list)
    characters: list[int] = field(default_factory=list)
    totals: dict[int, int] = field(default_factory=dict)  # the server's total of tokens after the event of this number
    first_answer: float | None = None  # time of the first text that is no reasoning
    text: str = ""
    output_tokens: int | None = None  # by the server's usage
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    finish: str = ""
    garbage: int = 0  # events that are no JSON object
    error: str = ""
    done: bool = False  # [DONE] was seen


@dataclass(frozen=True, slots=True)
class Around:
    """The bytes of an event around its text. With usage, `after` ends where the usage begins."""

    before: bytes
    after: bytes
    usage: bool
    thought: bool  # the text is reasoning


class EventReader:
    """Reads the events of a response one after the other. `around` is what the next event may have around its text.

    An event that has the same bytes around another plain text is the same JSON with another text. It need not be
    parsed, which takes most of the time per event. Of an event with usage only the usage is parsed.
    """

    __slots__ = ("around", "keep_text", "stream", "texts")

    def __init__(self, keep_text: bool = False) -> None:
        self.keep_text = keep_text
        self.stream = Stream()
        self.texts: list[str] = []
        self.around: Around | None = None

    def read(self, time: float, payload: bytes) -> None:
        before = self.around.before if self.around else b""
        if before and payload.startswith(before) and self.plain(time, payload[len(before) :]):
            return
        if payload.strip() == DONE:
            self.stream.done = True
            return
        said = _parsed(payload)
        if not isinstance(said, dict):
            self.stream.garbage += 1
            return
        text, thought = _read_event(self.stream, time, said, self.texts)
        self.around = (_around(payload, text, thought) if text else None) or self.around

    def plain(self, time: float, rest: bytes) -> bool:
        """Take an event that begins as expected, by its bytes from the text on; False if it has to be parsed."""
        around, stream = self.around, self.stream
        assert around is not None
        text, found, usage = rest.partition(around.after)
        if not found or not text or text.translate(None, PLAIN):
            return False
        if around.usage:
            counts = _parsed(usage[:-1])
            if not isinstance(counts, dict) or usage[-1:] != b"}":
                return False
            _read_usage(stream, counts)
            if stream.output_tokens is not None:
                stream.totals[len(stream.times)] = stream.output_tokens
        elif usage:
            return False
        stream.times.append(time)
        stream.characters.append(len(text))
        if self.keep_text and not around.thought:
            self.texts.append(text.decode())
        return True

    def fail(self, payload: bytes) -> None:
        """The server says that this event is an error."""
        said = _parsed(payload)
        said = said.get("error") or said if isinstance(said, dict) else payload.decode(errors="replace")
        self.stream.error = _error_text(said)

    def end(self) -> Stream:
        self.stream.text = "".join(self.texts) if self.keep_text else ""
        return self.stream


def read_events(events: Sequence[tuple[float, bytes]], keep_text: bool = False) -> Stream:
    reader = EventReader(keep_text)
    for time, payload in events:
        reader.read(time, payload)
    return reader.end()


def _around(payload: bytes, text: str, thought: bool) -> Around | None:
    """What stands before and behind the text of an event, if the text is plain and stands there once."""
    quoted = f'"{text}"'.encode()
    if b"\\" in payload or b"\n" in payload or not quoted.isascii() or payload.count(quoted) != 1:
        return None
    before, _, after = payload.partition(quoted)
    until, _, counts = after.partition(USAGE)
    usage = counts.lstrip().startswith(b"{")  # else it is null, or not there
    if USAGE in before or (usage and not isinstance(_parsed(counts[:-1]), dict)):
        return None  # it is not the last field
    return Around(before + b'"', b'"' + (until + USAGE if usage else after), usage, thought)


def read_body(time: float, body: bytes, keep_text: bool = False) -> Stream:
    """A response that was not streamed: all its tokens came at once."""
    return read_events([(time, body)], keep_text)


def _parsed(payload: bytes) -> Any:
    text = payload.decode(errors="replace").strip()  # some servers cut a character between two events
    try:
        said, end = scan(text, 0)
    except (ValueError, RecursionError, StopIteration):  # the last one: no value at all
        return None
    return said if end == len(text) else None


def _read_event(stream: Stream, time: float, said: dict[str, Any], texts: list[str]) -> tuple[str, bool]:
    """The text of the event if it holds nothing else that matters, and whether that is reasoning."""
    choices = said.get("choices")
    choices = [one for one in choices if isinstance(one, dict)] if isinstance(choices, list) else []
    usage = _usage_in(said, choices)
    if usage is not None:
        _read_usage(stream, usage)
    if said.get("error") or said.get("object") == "error":
        stream.error = _error_text(said.get("error") or said)
        return "", False
    content = thought = ""
    finished = False
    for choice in choices:
        if isinstance(choice.get("finish_reason"), str):
            stream.finish, finished = choice["finish_reason"], True
        own, reasoning = _texts(choice)
        content, thought = content + own, thought + reasoning
        if own and not choice.get("index"):  # a conversation goes on with the first of several choices
            texts.append(own)
    if not content and not thought:
        return "", False
    if usage is not None and stream.output_tokens is not None:
        stream.totals[len(stream.times)] = stream.output_tokens
    stream.times.append(time)
    stream.characters.append(len(content) + len(thought))
    if content and stream.first_answer is None:
        stream.first_answer = time
    alone = usage is said.get("usage") and not finished and not (content and thought) and len(choices) == 1
    return (content or thought, not content) if alone and not choices[0].get("index") else ("", False)


def _texts(choice: dict[str, Any]) -> tuple[str, str]:
    """The answer's text and the reasoning's text in an event; a tool call and a refusal are answers."""
    part = choice.get("delta") or choice.get("message")
    if not isinstance(part, dict):
        text = choice.get("text")
        return (text if isinstance(text, str) else ""), ""
    content, thought = part.get("content"), part.get("reasoning_content") or part.get("reasoning")
    found = content if isinstance(content, str) else ""
    if isinstance(content, list):
        found, thought = _texts_of_parts(content)
    if part.keys() - PLAIN_PARTS:
        found += part["refusal"] if isinstance(part.get("refusal"), str) else ""
        calls = part.get("tool_calls") or part.get("function_call") or ()
        for call in calls if isinstance(calls, list) else (calls,):
            function = call.get("function", call) if isinstance(call, dict) else None
            if isinstance(function, dict):
                found += "".join(str(function.get(key) or "") for key in ("name", "arguments"))
    return found, thought if isinstance(thought, str) else ""


def _texts_of_parts(parts: Sequence[Any]) -> tuple[str, str]:
    """The texts of a content that is a list: Mistral's API has parts with `text` and parts with `thinking`."""
    found = thought = ""
    for part in parts:
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            found += part["text"]
        elif isinstance(part, dict) and isinstance(part.get("thinking"), list):
            thought += "".join(_texts_of_parts(part["thinking"]))
    return found, thought


def _usage_in(said: dict[str, Any], choices: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The counts of an event: beside the choices, in one of them (Kimi), under x_groq, or as llama.cpp's timings."""
    usage = said.get("usage")
    if not usage and (groq := said.get("x_groq")) and isinstance(groq, dict):
        usage = groq.get("usage")
    for choice in choices:
        usage = usage or choice.get("usage")
    usage = usage or _usage_of_timings(said.get("timings"))
    return usage if usage and isinstance(usage, dict) else None


def _usage_of_timings(timings: Any) -> dict[str, Any] | None:
    """llama.cpp's server counts in `timings` also if it was not asked for usage; prompt_n is without cached tokens."""
    if not isinstance(timings, dict):
        return None
    cached, computed = (_count(timings.get(name), None) for name in ("cache_n", "prompt_n"))
    prompt = None if cached is None or computed is None else cached + computed
    usage = {"completion_tokens": timings.get("predicted_n"), "prompt_tokens": prompt}
    return usage | {"prompt_tokens_details": {"cached_tokens": cached}}


def _read_usage(stream: Stream, usage: dict[str, Any]) -> None:
    stream.output_tokens = _count(usage.get("completion_tokens"), stream.output_tokens)
    stream.prompt_tokens = _count(usage.get("prompt_tokens"), stream.prompt_tokens)
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    if cached is None:
        cached = usage.get("cached_tokens", usage.get("prompt_cache_hit_tokens"))  # Kimi, DeepSeek
    stream.cached_tokens = _count(cached, stream.cached_tokens)


def _count(value: Any, before: int | None) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else before


def _error_text(error: Any) -> str:
    said = (error.get("message") or error) if isinstance(error, dict) else error
    return " ".join(str(said).split())[:200] or "an error without a message"


def tokens_per_event(stream: Stream) -> tuple[list[int], str]:
    """Tokens of each event with text, and how they are known: "usage", "one per event", "estimated" or "events"."""
    events, total = len(stream.times), stream.output_tokens
    if total is None:
        return [1] * events, "events"
    counted = list(stream.totals.values())
    if events and len(counted) == events and counted[-1] <= total:
        steps = [after - before for before, after in zip([0, *counted], counted, strict=False)]
        if min(steps) >= 0 and 2 * sum(step > 0 for step in steps) >= events:  # else it is no running count
            return steps, "usage"
    if events <= total <= events + 1:  # the token that ends a text is counted, and has no text
        return [1] * events, "one per event"
    return _shared_out(stream.characters, total), "estimated"


def _shared_out(weights: Sequence[int], total: int) -> list[int]:
    """Whole numbers in proportion to the weights that add up to the total: running sums, rounded."""
    whole = sum(weights) or 1
    found, before, running = [], 0, 0
    for weight in weights:
        running += weight
        after = round(total * running / whole)
        found.append(after - before)
        before = after
    return found
