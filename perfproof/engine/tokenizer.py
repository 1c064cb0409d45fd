"""Text to tokens and back: bytes, or a tokenizer.json read by the package tokenizers.

A `Detokenizer` turns tokens into text as they come. It keeps back bytes that are no whole character yet.
"""

import codecs
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from perfproof.core.errors import DocumentError, UsageError

END_OF_TEXT = 256
BYTE_VOCABULARY = 257
DEFAULT_TEMPLATE = (
    "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)
LETTERS = "abcdefghijklmnopqrstuvwxyz "
CONTEXT = 6  # tokens of the prompt
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class Detokenizer(Protocol):
    def add(self, token: int) -> str: ...

    def end(self) -> str: ...


class Tokenizer(Protocol):
    eos: tuple[int, ...]
    size: int

    def encode(self, text: str) -> list[int]: ...

    def detokenizer(self, prompt: Sequence[int] = ()) -> Detokenizer: ...

    def chat(self, messages: list[dict[str, Any]]) -> list[int]: ...


class ByteTokenizer:
    """One token per byte of UTF-8, and one for the end of the text."""

    eos: tuple[int, ...] = (END_OF_TEXT,)
    size = BYTE_VOCABULARY

    def encode(self, text: str) -> list[int]:
        return list(text.encode())

    def detokenizer(self, prompt: Sequence[int] = ()) -> Detokenizer:
        return _Bytes()

    def chat(self, messages: list[dict[str, Any]]) -> list[int]:
        return self.encode(render(DEFAULT_TEMPLATE, messages, {}))


class _Bytes:
    def __init__(self) -> None:
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def add(self, token: int) -> str:
        return self.decoder.decode(bytes([token])) if token < 256 else ""

    def end(self) -> str:
        return self.decoder.decode(b"", final=True)


class LetterTokenizer(ByteTokenizer):
    """Bytes in, one letter per token out, for random weights: most of their tokens are no bytes, and a client of a
    stream sees that a token came by its text."""

    def detokenizer(self, prompt: Sequence[int] = ()) -> Detokenizer:
        return _Letters()


class _Letters:
    def add(self, token: int) -> str:
        return LETTERS[token % len(LETTERS)]

    def end(self) -> str:
        return ""


class FileTokenizer:
    """A tokenizer.json, with the chat template and the special tokens of tokenizer_config.json beside it."""

    def __init__(self, path: Path, eos: tuple[int, ...] = ()) -> None:
        try:
            from tokenizers import Tokenizer as Backend
        except ImportError:
            raise UsageError(f"{path} needs the package tokenizers: pip install 'perfproof[serve]'") from None
        try:
            self.backend = Backend.from_file(str(path))
        except Exception as error:  # the package raises plain Exception
            raise DocumentError(f"{path} cannot be read: {error}; download the file again") from None
        config = path.with_name("tokenizer_config.json")
        self.config: dict[str, Any] = json.loads(config.read_text()) if config.exists() else {}
        template = path.with_name("chat_template.jinja")
        self.template = template.read_text() if template.exists() else self.config.get("chat_template")
        named = self.backend.token_to_id(_content(self.config.get("eos_token")))
        self.eos = eos + ((named,) if named is not None and named not in eos else ())
        self.size = self.backend.get_vocab_size()

    def encode(self, text: str) -> list[int]:
        return self.backend.encode(text).ids

    def detokenizer(self, prompt: Sequence[int] = ()) -> Detokenizer:
        return _Pieces(self.backend, prompt)

    def chat(self, messages: list[dict[str, Any]]) -> list[int]:
        special = {name: _content(self.config.get(name)) for name in ("bos_token", "eos_token")}
        text = render(self.template or DEFAULT_TEMPLATE, messages, special)
        return self.backend.encode(text, add_special_tokens=self.template is None).ids


class _Pieces:
    """Decode a window of tokens, and give what the newest of them added to it.

    The window begins with the end of the prompt: some tokenizers drop the space before the first word of a text.
    """

    def __init__(self, backend: Any, prompt: Sequence[int]) -> None:
        self.backend = backend
        self.tokens = list(prompt[-CONTEXT:])
        self.start, self.read = 0, len(self.tokens)

    def add(self, token: int) -> str:
        self.tokens.append(token)
        whole = self.backend.decode(self.tokens[self.start :])
        known = self.backend.decode(self.tokens[self.start : self.read])
        if len(whole) <= len(known) or whole.endswith(REPLACEMENT):
            return ""
        self.start, self.read = self.read, len(self.tokens)
        return whole[len(known) :]

    def end(self) -> str:
        whole = self.backend.decode(self.tokens[self.start :])
        return whole[len(self.backend.decode(self.tokens[self.start : self.read])) :]


def render(template: str, messages: list[dict[str, Any]], special: dict[str, str]) -> str:
    """A template comes with a model: it runs in a sandbox, and its own refusals are errors of the request."""
    from jinja2 import TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def refuse(message: str) -> None:
        raise UsageError(f"the chat template refuses these messages: {message}")

    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.globals["raise_exception"] = refuse
    try:
        return environment.from_string(template).render(messages=messages, add_generation_prompt=True, **special)
    except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"the chat template cannot be applied to these messages: {error}") from None


def _content(token: Any) -> str:
    return str(token.get("content", "")) if isinstance(token, dict) else str(token or "")
