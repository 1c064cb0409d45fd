"""Find out how to talk to a server: its model, which fields it takes, and how many tokens a word is.

A few short requests with different numbers of words: the server's own usage gives tokens per word and what its template
adds. Fields that a server refuses are left out, one after the other.
"""

import asyncio
import json
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy

from perfproof.core.errors import UnfitError, UsageError
from perfproof.load.http_client import Address, HttpClient, words_of
from perfproof.load.prompts import Texts
from perfproof.load.record import Record
from perfproof.load.reply import BrokenReply, Reply
from perfproof.load.workload import CHAT, COMPLETIONS, Service

SIZES = (40, 400, 80, 200)  # words
SHORT_SIZES = (10, 20)  # where the server's context is too short for two of those
WAIT = 60.0  # s: the first request of a server may have to compile something
NEWER_LIMIT = "max_completion_tokens"  # newer models of OpenAI and Azure refuse max_tokens with this word
REFUSED = (400, 404, 405, 422)


async def find_service(
    address: Address, model: str | None, key: str | None, extra: dict[str, object], salt: str
) -> Service:
    client = HttpClient(address)
    try:
        name = model or await _first_model(client, address, key)
        service = await _accepted(client, Service(address, name, key=key, extra=extra), salt)
        return await _calibrated(client, service, salt)
    finally:
        client.close()


async def _first_model(client: HttpClient, address: Address, key: str | None) -> str:
    reply = await _asked(client, address, "/v1/models", key)
    try:
        return str(json.loads(reply.body)["data"][0]["id"])
    except (ValueError, LookupError, TypeError):
        raise UsageError(f"{address.text}/v1/models names no model (status {reply.status}): add --model NAME") from None


async def _asked(client: HttpClient, address: Address, path: str, key: str | None) -> Reply:
    try:
        return await client.ask(path, key=key)
    except (OSError, TimeoutError, BrokenReply) as error:
        why = str(error) if isinstance(error, BrokenReply) else words_of(error) or "no answer within 10 s"
        raise UnfitError(f"{address.text} does not answer: {why}; check that the server runs there") from None


async def _accepted(client: HttpClient, wanted: Service, salt: str) -> Service:
    """The richest form of a request that the server answers."""
    forms = [
        replace(wanted, path=path, usage=usage, continuous=continuous, ignore_eos=ignore)
        for path in (CHAT, COMPLETIONS)
        for usage, continuous, ignore in (
            (True, True, True),
            (True, False, True),
            (True, True, False),
            (True, False, False),
            (False, False, False),
        )
    ]
    texts, last = Texts(salt), Record(0, 0.0)
    for number, form in enumerate(forms):
        last = await _tried(client, form, texts.unique(f"form {number}", 20), 4)
        if last.outcome == "ok":
            return form
        if NEWER_LIMIT in last.error and form.limit != NEWER_LIMIT:
            return await _accepted(client, replace(wanted, limit=NEWER_LIMIT), salt)
        if last.status not in REFUSED:
            break
    raise UnfitError(f"{wanted.address.text} answers no request: {last.error}; see what the server says")


async def _tried(client: HttpClient, service: Service, text: str, tokens: int) -> Record:
    record = Record(0, 0.0)
    try:
        async with asyncio.timeout(WAIT):
            await client.send(service.request([{"role": "user", "content": text}], tokens), record)
    except TimeoutError:
        record.error = f"{'no end of the answer' if record.times else 'no answer'} within {WAIT:g} s"
    return record


async def _calibrated(client: HttpClient, service: Service, salt: str) -> Service:
    texts = Texts(salt)
    points = list[tuple[int, int]]()
    for number, words in enumerate((*SIZES, *SHORT_SIZES)):
        if words in SHORT_SIZES and len(points) > 1:
            break
        text = texts.unique(f"calibration {number}", words)
        record = await _tried(client, service, text, 2)
        if record.outcome == "ok" and record.prompt_tokens:
            points.append((len(text.split()), record.prompt_tokens))
    if len(points) < 2:
        return service
    per_word, rest = tokens_of_words(points)
    return replace(service, tokens_per_word=per_word, template_tokens=rest)


def tokens_of_words(points: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """A straight line through words and tokens: tokens per word, and what is added to every prompt."""
    words, tokens = numpy.array(points, float).T
    slope, start = numpy.polyfit(words, tokens, 1)
    if not (math.isfinite(slope) and slope > 0.1):
        return 1.0, 0.0
    return float(slope), max(0.0, float(start))
