"""One part of a result beside the reference's."""

from typing import Any, NamedTuple

from perfproof.core.trees import Path


class Facing(NamedTuple):
    """One part of a result beside the reference's, and what they may differ by."""

    path: Path
    ours: Any
    theirs: Any
    rtol: float
    atol: float
    of_python: bool = False  # many numbers of Python, whose type does not say how precisely they were computed
    of_state: bool = False  # of a module, an optimizer, ...
    quantised: Any = None  # the tensor of such a type that `ours` is the value of
    kin: float = 0.0  # of a part of training state: the RMS of the parts of its kind
    cancelled: bool = False  # it is all rounding
    never_negative: bool = False  # all parts of its kind
    loose: Any = None  # elements that follow what is all rounding, see `training_state`: a mask
    loose_by: float = 0.0  # what these may differ by
    used_up: bool = False  # a gradient that a step has used
    hidden: bool = False  # rounding is as large as the step that has changed it

    @property
    def name(self) -> str:
        return ".".join(self.path)
