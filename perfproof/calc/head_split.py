"""Whether tensor parallelism can divide the attention of a model: whole query heads go to each GPU."""

from perfproof.calc.model_shape import Shape


def uneven_heads(shape: Shape, tp: int) -> list[str]:
    """A warning where T does not divide the query heads: the answer is arithmetic that no engine runs."""
    if shape.heads % tp == 0:
        return []
    return [
        f"tp {tp} does not divide the {shape.heads} query heads of {shape.name}, and engines refuse such a plan: "
        "calc parallelism lists those that work"
    ]
