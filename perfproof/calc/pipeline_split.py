"""Whether a pipeline can divide the layers of a model: a stage holds at least one layer."""

from perfproof.calc.model_shape import Shape
from perfproof.core.errors import UsageError


def refuse_empty_stages(shape: Shape, pp: int) -> None:
    """UsageError for more stages than layers: memory divided by empty stages would come out too small."""
    if pp > len(shape.layers):
        raise UsageError(
            f"--pp {pp}: {shape.name} has {len(shape.layers)} layers, and a pipeline stage holds at least one; "
            f"give at most --pp {len(shape.layers)}"
        )
