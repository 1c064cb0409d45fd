"""Whether an explicit solver of SciPy for differential equations makes far shorter steps than its tolerance asks for.

If one step changes the solution by about as much as the error that is allowed, it is not the error that holds the step
down: the equations are stiff, so that longer steps would be unstable, or `max_step` is small. Where the error sets the
step, it changes by a hundred times that and more.

With a narrow tolerance a stiff part may change by more and still set the step. RK45 and DOP853 evaluate the equations
twice at the end of a step, for two solutions. The difference of the derivatives, divided by that of the solutions, is
the rate of the fastest part. Times the step it is about 3.3 (RK45) or 6.4 (DOP853) at the border of stability, and near
1 or less where the error sets the step. Read from the solver's own frame.
"""

from types import FrameType
from typing import Any

EXPLICIT, SHORT = "[explicit solver] ", "[short steps] "
SOLVER = ("_ivp/rk.py", "_ivp\\rk.py")  # RK23, RK45, DOP853
STEP, STAGES = "_step_impl", "rk_step"
TIMES = 10.0  # the error that is allowed
BORDER = {"RK45": 3.0, "DOP853": 6.2}  # just below that of stability


class ShortSteps:
    """Remembers what was seen last at the end of a step, for the looks while one goes on."""

    def __init__(self) -> None:
        self._at_border: dict[str, bool] = {}

    def mark(self, frames: list[FrameType]) -> list[str]:
        """For frames from the outermost: empty if none is a step of such a solver."""
        for place, frame in enumerate(frames):
            if frame.f_code.co_name == STEP and frame.f_code.co_filename.endswith(SOLVER):
                solver = frame.f_locals.get("self")
                name = type(solver).__name__
                goes_on = any(one.f_code.co_name == STAGES for one in frames[place + 1 :])
                if not goes_on and "f_new" in frame.f_locals:
                    self._at_border[name] = _is_at_border(solver)
                short = self._at_border.get(name, False) or _is_short(solver)
                return [f"{EXPLICIT}{name}", *([f"{SHORT}{name}"] if short else [])]
        return []


def _is_short(solver: Any) -> bool:
    """By the derivative at the step's beginning, and the length that it is tried with."""
    allowed = solver.atol + solver.rtol * abs(solver.y)
    changes = solver.h_abs * solver.f / allowed
    return bool(0 < (abs(changes) ** 2).mean() < TIMES**2)


def _is_at_border(solver: Any) -> bool:
    """By the derivatives of a whole step: those of the last two are both at its end."""
    border, stages = BORDER.get(type(solver).__name__), solver.K
    if border is None:
        return False
    apart = solver.B @ stages[:-1] - solver.A[-1, : len(stages) - 2] @ stages[:-2]
    differ = stages[-1] - stages[-2]
    return bool((abs(differ) ** 2).sum() >= border**2 * (abs(apart) ** 2).sum() > 0)
