"""Commands and options under the names that other collections of benchmarks use: refused, with the line to write.

They are hints and not aliases: two names for one thing would have to be kept for ever.
"""

import shlex
from collections.abc import Sequence

PAGE = "docs/coming-from.md lists all old names"
COMMANDS = {  # an old command's name, and the line that does it
    "utils": "calc",
    "list-targets": "list",
    "list-chapters": "list",
    "targets": "list",
    "kv-cache": "calc kv-cache",
    "cost-per-token": "calc cost-per-token",
    "compare-precision": "calc precision",
    "detect-cutlass": "doctor",
    "dump-hw": "hw dump",
    "probe-hw": "hw",
    "benchmark-peak": "peak",
    "bench": "run",
    "benchmark": "run",
    "tune": "sweep",
    "setup": "doctor --fix-script",
    "cleanup": "clean",
    "dual-roofline": "roofline",
    "bisect": "history bisect",
    "gate": "ab --gate",
}
TOOLS = (
    "kv-cache",
    "cost-per-token",
    "compare-precision",
    "detect-cutlass",
    "dump-hw",
    "probe-hw",
)  # of `utils --tool`
VALUED = {"--chapter", "--tool", "--artifacts-dir", "--profile", "--targets", "--target", "-t"}


def hint(words: Sequence[str]) -> str:
    """ "write: perfproof list ch1", made of the user's own words; empty if they hold no old name."""
    if not words:
        return ""
    line = _old_command(words) or _old_options(words)
    return f"write: {line} ({PAGE})" if line else ""


def _old_command(words: Sequence[str]) -> str:
    name = words[0].replace("_", "-").lower()
    if name == "utils":
        tool = _value(words, "--tool") or next((word for word in words[1:] if word in TOOLS), "")
        given = list(words[words.index("--") + 1 :]) if "--" in words else []
        return _line(COMMANDS.get(tool, "calc"), *given)
    if name in COMMANDS:
        return _line(COMMANDS[name], *_targets(words), *([] if "--chapter" in words else _others(words)))
    return ""


def _old_options(words: Sequence[str]) -> str:
    """`run --targets ch1 --profile minimal`, `verify --targets all`, `verify all`."""
    command, targets = words[0], _targets(words)
    old = {"--targets", "--target", "-t", "--chapter", "--target-extra-arg"} & {
        word.partition("=")[0] for word in words
    }
    all_of_them = "all" in targets or (command in ("verify", "run", "list") and "all" in words[1:])
    if command == "run" and _has(words, "--profile") and targets:
        preset = _value(words, "--profile") or "minimal"
        return _line("run", *targets, *([] if preset == "none" else ["--profile", preset]))
    if all_of_them:
        return _line(command, *(["ch*"] if command == "run" else []))
    if "--target-extra-arg" in old:
        return f"{_line(command, *(targets or ['TARGET']))} --set SIZE=VALUE"
    return _line(command, *targets) if old else ""


def _targets(words: Sequence[str]) -> list[str]:
    """What follows --targets, or --chapter, up to the next option."""
    for name in ("--targets", "--target", "-t", "--chapter"):
        if _has(words, name):
            value = _value(words, name)
            place = next(index for index, word in enumerate(words) if word.partition("=")[0] == name)
            more = words[place + (1 if "=" in words[place] else 2) :]
            following = [*more, "-"]
            return [*([value] if value else []), *following[: _first_option(following)]]
    return []


def _others(words: Sequence[str]) -> list[str]:
    """All words but the command, and options with their values that are known to be old."""
    found, rest = [], list(words[1:])
    while rest:
        word = rest.pop(0)
        if word.partition("=")[0] in VALUED:
            if "=" not in word and rest and not rest[0].startswith("-"):
                rest.pop(0)
        elif word != "--":
            found.append(word)
    return found


def _first_option(words: Sequence[str]) -> int:
    return next(index for index, word in enumerate(words) if word.startswith("-"))


def _has(words: Sequence[str], option: str) -> bool:
    return any(word == option or word.startswith(f"{option}=") for word in words)


def _value(words: Sequence[str], option: str) -> str:
    for index, word in enumerate(words):
        name, given, value = word.partition("=")
        if name == option:
            following = words[index + 1] if index + 1 < len(words) else ""
            return value if given else ("" if following.startswith("-") else following)
    return ""


def _line(command: str, *words: str) -> str:
    return " ".join(["perfproof", command, *map(shlex.quote, words)])
