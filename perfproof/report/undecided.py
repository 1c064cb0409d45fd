"""What an undecided comparison still needs, and which effort has that much."""

from perfproof.core.documents import RatioResult
from perfproof.core.options import EFFORTS, PROGRAM_EFFORTS

PROGRAMS = "programs"  # the arrangement of an A/B of two commands
NO_EFFORT = "use a quieter machine or longer calls"


def needs_text(judged: RatioResult) -> str:
    """What an undecided comparison still needs; empty for the others."""
    if judged.verdict != "inconclusive" or judged.more_launches is None:
        return ""
    time = "" if judged.more_seconds is None else f", about {rough(judged.more_seconds)}"
    one, many = ("block of runs", "blocks of runs") if judged.rung == PROGRAMS else ("launch", "launches")
    need = f"{judged.more_launches} more {one if judged.more_launches == 1 else many}{time}"
    if suffices("final", judged):
        return f"needs {need}"
    return f"too noisy to decide: at this noise it needs {need}, more than --effort final has; {NO_EFFORT}"


def suffices(effort: str, judged: RatioResult) -> bool:
    """Has a run of this effort as many launches, or blocks of runs, as this noise needs?"""
    if judged.more_launches is None:
        return True  # nothing says otherwise
    needed = judged.launches + judged.more_launches
    if judged.rung != PROGRAMS:
        return needed <= EFFORTS[effort].most_launches
    return needed * _block_seconds(judged) <= PROGRAM_EFFORTS[effort].most * _block_seconds_of(effort, judged)


def program_seconds(effort: str, judged: RatioResult, spent: float) -> tuple[float, float]:
    """The least and the most that a comparison of programs takes with another effort, after one that took `spent`."""
    one = _block_seconds_of(effort, judged, spent)
    return PROGRAM_EFFORTS[effort].least * one, PROGRAM_EFFORTS[effort].most * one


def _block_seconds(judged: RatioResult, spent: float = 0.0) -> float:
    if judged.more_launches and judged.more_seconds:
        return judged.more_seconds / judged.more_launches
    return spent / max(1, judged.launches)


def _block_seconds_of(effort: str, judged: RatioResult, spent: float = 0.0) -> float:
    """A block has as many runs as fit into its time, and one group of them at least."""
    return max(_block_seconds(judged, spent), PROGRAM_EFFORTS[effort].block_seconds)


def rough(seconds: float) -> str:
    """10 s, 40 s, 3 min, 2 hours: no more digits than a guess has."""
    if seconds < 95:
        return f"{max(10, round(seconds, -1)):.0f} s"
    if seconds < 95 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:,.0f} hours"
