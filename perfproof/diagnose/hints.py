"""What is often cheaper than a line, by what it looks like."""

import re
from collections.abc import Sequence

HINTS = (  # what the running part of a line looks like, and what is often cheaper
    (
        re.compile(r"\bsvd\((?!.*(full_matrices|some|compute_uv))"),
        "full_matrices=False if the square matrices are not all used (it is True unless said, and dear if one side is "
        "much longer); keep the decomposition if its matrix stays; only the leading parts (svds, svd_lowrank)",
    ),
    (
        re.compile(r"\b(np|numpy|signal|scipy\.signal)\.(convolve2?d?|correlate2?d?)\((?!.*method)"),
        "the direct way takes the product of both lengths: scipy.signal.fftconvolve or oaconvolve if both are long",
    ),
    (
        re.compile(r"\b(svd|eigh?|eigvalsh?|pinv|inv|inverse|qr|lstsq|det|slogdet|expm|cholesky)\("),
        "keep the decomposition if its matrix stays; compute only the leading parts (svds, eigsh, svd_lowrank); solve "
        "instead of inverting",
    ),
    (
        re.compile(r"\b(sort|sorted|argsort|unique|median|percentile|quantile)\("),
        "partition, topk or heapq.nlargest if not all of the order is needed; a heap (heapq) or bisect.insort if "
        "elements are added one by one; keep the order if the data stay",
    ),
    (
        re.compile(r"\brandom\.choice\(.*\breplace\s*=\s*False|\b(permutation|randperm)\([^)]*\)\[:"),
        "this permutes all elements to take a few: numpy.random.default_rng().choice(n, k, replace=False) draws only "
        "these; random.sample(range(n), k); integers(n, size=k) if a few may be equal",
    ),
    (
        re.compile(r"\bchoices?\(.*\b(p|weights)="),
        "the weights are summed for each call: draw many at once, or keep their cumulative sum and search in it",
    ),
    (
        re.compile(r"\b(vectorize|apply_along_axis|apply|iterrows|fromiter)\("),
        "compute whole arrays: a Python function per element or row is slow",
    ),
    (
        re.compile(r"\b(grad|backward)\(.*\bretain_graph"),
        "one backward pass per output goes through the whole graph each time: if each output has its own inputs, take "
        "the gradient of their sum once; else torch.func.vmap, jacrev, or is_grads_batched=True",
    ),
    (
        re.compile(r"\broll\("),
        "roll copies the whole array: for a buffer keep the place that comes next, write there and let it go round (a "
        "ring), or collections.deque(maxlen=...)",
    ),
    (re.compile(r"\b(cdist|pdist|distance_matrix)\("), "a tree or a grid (cKDTree) if only near pairs are needed"),
)

ORDER = (
    "objects are compared by their own code to sort them",
    "sort by a key (key=, attrgetter, a tuple of the fields), which is computed once per object",
)
ATTRIBUTES = (
    "attributes are looked up by the program's own code",
    "keep the value in a variable before the loop, or set it as a plain attribute once",
)
# Methods that no line names: what it means if they take the time, and what is often cheaper.
IMPLICIT = {
    "__eq__": (
        "objects are compared one by one by their own code",
        "keys of a dict or a set that meet in one place: a `__hash__` that gives few values (hash a tuple of all "
        "fields that are compared); or a search through a list (in, index, remove): a dict or a set of keys",
    ),
    "__hash__": (
        "keys are hashed by their own code",
        "a tuple, a NamedTuple or a frozen dataclass with few fields as key, or keep the hash in the object",
    ),
    **dict.fromkeys(("__lt__", "__gt__", "__le__", "__ge__"), ORDER),
    **dict.fromkeys(("__getattr__", "__getattribute__", "__get__"), ATTRIBUTES),
}


def implicit_for(place: str) -> tuple[str, str]:
    """For a line "function (file.py:7)": a title and what is often cheaper, both empty for a usual function."""
    return IMPLICIT.get(place.partition(" ")[0], ("", ""))


def hint_for(texts: Sequence[str]) -> str:
    """For the first of these texts, the part of the line with most of the time that runs; empty if none fits."""
    return next((hint for pattern, hint in HINTS for text in texts[:1] if pattern.search(text)), "")
