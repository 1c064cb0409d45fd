"""Whether an explicit solver of SciPy for differential equations makes far shorter steps than its tolerance asks for.

If one step changes the solution by about as much as the error that is allowed, it is not the error that holds the step
down: the equations are stiff, so that longer steps would be unstable, or `max_step` is small. Where the error sets the
step, it changes by a hundred times that and more. Read from the solver's own frame.
"""

from types import FrameType
from typing import Any

EXPLICIT, SHORT = "[explicit solver] ", "[short steps] "
SOLVER = ("_ivp/rk.py", "_ivp\\rk.py")  # RK23, RK45, DOP853
STEP = "_step_impl"
TIMES = 10.0  # the error that is allowed


def mark(frames: list[FrameType]) -> list[str]:
    """For frames from the outermost: empty if none is a step of such a solver."""
    for frame in frames:
        if frame.f_code.co_name == STEP and frame.f_code.co_filename.endswith(SOLVER):
            solver = frame.f_locals.get("self")
            name = type(solver).__name__
            return [f"{EXPLICIT}{name}", *([f"{SHORT}{name}"] if _is_short(solver) else [])]
    return []


def _is_short(solver: Any) -> bool:
    """By the derivative at the step's beginning, and the length that it is tried with."""
    allowed = solver.atol + solver.rtol * abs(solver.y)
    changes = solver.h_abs * solver.f / allowed
    return bool(0 < (abs(changes) ** 2).mean() < TIMES**2)
