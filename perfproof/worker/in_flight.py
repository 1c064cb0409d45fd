"""Is anything of a call still in flight when it has returned? A collective that nobody waited for is no gain.

On a GPU the clocks find it: the host's, which waits for all streams, disagrees with the events'. On a CPU a backend's
own threads go on working, and the processor time that they take after the return is read. What takes less than
`LEAST_SECONDS` of it cannot be told from a thread that is going to sleep.
"""

import time

from perfproof.worker.leftovers import NAME, REMEDY
from perfproof.worker.load import Side
from perfproof.worker.measure.arguments import ArgumentPool
from perfproof.worker.ranks.barrier import Alone, Meeting
from perfproof.worker.verification import Findings

TRIES = 3
WAIT_SECONDS, LEAST_SECONDS = 0.010, 0.0003
_process_time, _thread_time, _sleep = time.process_time, time.thread_time, time.sleep


def look(meeting: Alone | Meeting, sides: list[Side], pool: ArgumentPool, device: str, findings: Findings) -> None:
    """CPU ranks only. The minimum of a few tries counts: the system wakes unrelated threads."""
    if isinstance(meeting, Alone) or device != "cpu" or findings.failed:
        return
    for side in sides:
        seconds = min(_seconds_after(meeting, side, pool.draw()) for _ in range(TRIES))
        late = f"{side.name}: other threads work for {seconds * 1e3:.2g} ms more when it has returned"
        findings.note(NAME, f"{late}: {REMEDY}" if seconds > LEAST_SECONDS else "")


def _seconds_after(meeting: Alone | Meeting, side: Side, arguments: tuple) -> float:
    meeting.meet()
    side.function(*side.state, *arguments)
    returned = _process_time() - _thread_time()
    _sleep(WAIT_SECONDS)
    return _process_time() - _thread_time() - returned
