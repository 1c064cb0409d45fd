"""perfproof proves performance claims: verified output, paired measurement, an interval, and the evidence."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from perfproof.notebook.compare import compare as compare

__all__ = ["__version__", "compare"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Names that cost an import are found when they are used, so that the command line starts at once."""
    if name == "compare":
        from perfproof.notebook.compare import compare

        return compare
    raise AttributeError(f"module 'perfproof' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
