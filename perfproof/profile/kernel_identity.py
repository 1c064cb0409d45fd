"""Is it the same kernel? Names as two profilers write them, brought to one spelling.

torch and nsys write `k<4, std::array<char*, 2ul>, {lambda(int)#1}>`, ncu `k<(int)4, std::array<char *, (unsigned
long)2>, [lambda(int) (instance 1)]>`. By default ncu also shortens names: namespaces, and the parameters of functions
inside a template, are gone. Such a name is joined with a whole one by what both still say, and only then.
"""

import re
from collections.abc import Iterable

from perfproof.profile.kernel_names import split_name

LAMBDA = re.compile(r"\[lambda(\([^\[\]]*?\)) \(instance (\d+)\)\]")
NUMBER_CAST = re.compile(r"\([A-Za-z_][\w: ]*\)(?=-?\d)")
SUFFIX = re.compile(r"\b(\d+)(?:u|l|ul|ull|ll)\b", re.IGNORECASE)
BOOLS = {"(bool)1": "true", "(bool)0": "false"}


def identity(name: str) -> str:
    """Without what it returns, takes and where spaces stand; two instances of a template stay two."""
    found = split_name(name)
    return found.plain + template_spelling(found.template)


def template_spelling(template: str) -> str:
    """One spelling for casts, suffixes of numbers, lambdas and spaces."""
    for cast, word in BOOLS.items():
        template = template.replace(cast, word)
    template = LAMBDA.sub(r"{lambda\1#\2}", template)
    template = SUFFIX.sub(r"\1", NUMBER_CAST.sub("", template))
    template = re.sub(r"\bvoid (?=[A-Za-z_])", "", template)  # a function's return type, which only ncu writes
    return re.sub(r"\s+", "", template)


def has_namespace(name: str) -> bool:
    return "::" in name.partition("<")[0]


def last_part(name: str) -> str:
    return name.partition("<")[0].rpartition("::")[2]


def shortened(known: str) -> str:
    """An identity as ncu would shorten it: no namespaces anywhere, no parameters of functions."""
    text = re.sub(r"\{lambda\(.*?\)#(\d+)\}", r"{lambda#\1}", known)
    kept, depth = [], 0
    for letter in text:
        depth += letter == "("
        if not depth:
            kept.append(letter)
        depth -= letter == ")" and depth > 0
    return re.sub(r"\w+::(?=\w)", "", "".join(kept))


def counterpart(known: str, others: Iterable[str]) -> str | None:
    """Which of the others is this kernel; all are identities.

    The very same; else, where one of the two has no namespace, the only one that is the same without them. Where one of
    the two has no template either, the last part of the name must do.
    """
    others = list(others)
    if known in others:
        return known
    near = [one for one in others if last_part(one) == last_part(known) and has_namespace(one) != has_namespace(known)]
    same = [one for one in near if shortened(one) == shortened(known)]
    if not same:
        same = [one for one in near if ("<" in one) != ("<" in known)]
    return same[0] if len(same) == 1 else None
