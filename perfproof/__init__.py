"""perfproof proves performance claims: verified output, paired measurement, an interval, and the evidence."""

from typing import Any

__all__ = ["__version__", "compare"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Names that cost an import are found when they are used, so that the command line starts at once."""
    if name == "compare":
        from perfproof.bench.forms.notebook import compare

        return compare
    raise AttributeError(f"module 'perfproof' has no attribute {name!r}")
