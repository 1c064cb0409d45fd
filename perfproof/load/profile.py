"""A workload profile, a small YAML file: lengths of prompts and answers, what they share, turns, cancelled requests.

A length is a number, {low, high} (uniform), {median, spread, least, most} (log-normal; spread is the factor of one
standard deviation), or {choices: [...]}.
"""

import hashlib
import math
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from perfproof.core.errors import UsageError

FOLDER = Path(__file__).parent / "profiles"
KEYS = {"about", "prompt", "output", "shared", "turns", "think", "cancel"}
FORMS = ({"low", "high"}, {"choices"})
LARGEST = 2_000_000  # tokens


class OncePerKey(yaml.SafeLoader):
    """YAML takes the last of two equal keys without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        found = super().construct_mapping(node, deep)
        if len(found) < len(node.value):
            raise yaml.constructor.ConstructorError(None, None, "a key is there twice", node.start_mark)
        return found


@dataclass(frozen=True)
class Range:
    """A distribution of numbers; `draw` gives one."""

    low: float
    high: float
    median: float | None = None
    spread: float = 1.0
    choices: tuple[float, ...] = ()

    def draw(self, rng: random.Random) -> float:
        if self.choices:
            return rng.choice(self.choices)
        if self.median is None:
            return rng.uniform(self.low, self.high)
        value = self.median * math.exp(math.log(self.spread) * rng.gauss(0, 1))
        return min(self.high, max(self.low, value))

    def whole(self, rng: random.Random) -> int:
        if self.low == self.high:
            return round(self.low)
        if not self.choices and self.median is None:
            return rng.randint(round(self.low), round(self.high))
        return max(1, round(self.draw(rng)))


@dataclass(frozen=True)
class Profile:
    name: str
    about: str
    prompt: Range
    output: Range
    shared_tokens: int = 0
    groups: int = 1
    zipf: float = 0.0
    turns: Range = Range(1, 1)
    think: Range = Range(0, 0)
    cancel_share: float = 0.0
    cancel_after: Range = Range(1, 1)
    sha256: str = ""

    @property
    def is_constant(self) -> bool:
        """All requests are alike: single turns of equal lengths."""
        lengths_are_equal = all(one.low == one.high for one in (self.prompt, self.output))
        return lengths_are_equal and self.turns == Range(1, 1) and not (self.shared_tokens or self.cancel_share)


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def load_profile(name: str) -> Profile:
    """One of the shipped profiles by its name, or a file."""
    path = FOLDER / f"{name}.yaml" if name in names() else Path(name)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"--workload {name!r} is no file and none of {', '.join(names())}") from None
    try:
        said = yaml.load(text, Loader=OncePerKey)
    except yaml.YAMLError as error:
        raise UsageError(f"{path}: no YAML: {' '.join(str(error).split())[:120]}") from None
    return _profile(path.stem, said, str(path), hashlib.sha256(text.encode()).hexdigest())


def _profile(name: str, said: Any, where: str, digest: str) -> Profile:
    if not isinstance(said, dict) or not {"prompt", "output"} <= set(said):
        raise UsageError(f"{where}: a profile needs `prompt` and `output`, the lengths in tokens")
    _only(said, KEYS, where)
    shared = _table(said, "shared", {"tokens", "groups", "zipf"}, where)
    cancel = _table(said, "cancel", {"share", "after"}, where)
    return Profile(
        name=name,
        about=str(said.get("about", "")),
        prompt=_range(said["prompt"], f"{where}: prompt", least=1),
        output=_range(said["output"], f"{where}: output", least=1),
        shared_tokens=int(_number(shared.get("tokens", 0), f"{where}: shared.tokens")),
        groups=max(1, int(_number(shared.get("groups", 1), f"{where}: shared.groups"))),
        zipf=_number(shared.get("zipf", 0), f"{where}: shared.zipf"),
        turns=_range(said.get("turns", 1), f"{where}: turns", least=1),
        think=_range(said.get("think", 0), f"{where}: think"),
        cancel_share=_share(cancel.get("share", 0), f"{where}: cancel.share"),
        cancel_after=_range(cancel.get("after", 1), f"{where}: cancel.after"),
        sha256=digest,
    )


def fixed(prompt: int, output: int) -> Profile:
    """The profile of `--prompt-tokens` and `--output-tokens`."""
    words = f"{prompt} tokens in, {output} out"
    digest = hashlib.sha256(words.encode()).hexdigest()
    return Profile("fixed", words, Range(prompt, prompt), Range(output, output), sha256=digest)


def _range(said: Any, where: str, least: float = 0) -> Range:
    if isinstance(said, dict):
        found = _from_table(said, where)
    else:
        value = _number(said, where)
        found = Range(value, value)
    if min((found.low, *found.choices)) < least or found.high < found.low:
        raise UsageError(f"{where}: {said!r} must not go below {least:g}, nor end below its beginning")
    return found


def _from_table(said: dict[str, Any], where: str) -> Range:
    numbers = {key: _number(value, f"{where}.{key}") for key, value in said.items() if key != "choices"}
    if set(said) == {"low", "high"}:
        return Range(numbers["low"], numbers["high"])
    if set(said) == {"choices"} and isinstance(said["choices"], list) and said["choices"]:
        choices = tuple(_number(one, f"{where}.choices") for one in said["choices"])
        return Range(min(choices), max(choices), choices=choices)
    if "median" in said and set(said) <= {"median", "spread", "least", "most"}:
        spread, median = numbers.get("spread", 1.0), numbers["median"]
        least, most = numbers.get("least", 0.0), numbers.get("most", LARGEST)
        if spread < 1 or median <= 0 or not least <= median <= most:
            raise UsageError(f"{where}: `median` must be above 0, within `least` and `most`, and `spread` at least 1")
        return Range(least, most, median, spread)
    raise UsageError(f"{where}: write a number, low and high, median with spread, least and most, or choices")


def _table(said: dict[str, Any], key: str, known: set[str], where: str) -> dict[str, Any]:
    table = said.get(key, {})
    if not isinstance(table, dict):
        raise UsageError(f"{where}: `{key}` is a table with {', '.join(sorted(known))}")
    _only(table, known, f"{where}: {key}")
    return table


def _only(table: dict[str, Any], known: set[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise UsageError(f"{where}: {key!r} is unknown: choose {', '.join(sorted(known))}")


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST:
        raise UsageError(f"{where}: {value!r} is no number from 0 to {LARGEST:,}")
    return float(value)


def _share(value: Any, where: str) -> float:
    share = _number(value, where)
    if share > 1:
        raise UsageError(f"{where}: {value!r} is no share: write 0 to 1")
    return share
