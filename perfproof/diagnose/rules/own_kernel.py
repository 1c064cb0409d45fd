"""On a GPU: where the time is, if nothing else is known and it is in a kernel that the program brought itself.

Never above low: it may be what the program is for. Only its counters tell whether it is good.
"""

from collections import defaultdict

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose.evidence import NO_DEVICE_TRACE, Evidence
from perfproof.diagnose.launched import around_launches
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import percent, short, time
from perfproof.profile.intervals import total
from perfproof.profile.kernel_names import split_name
from perfproof.profile.own_kernels import is_library

TAKES = 0.40  # of the step
COUNT_IT = "perfproof profile --tool ncu -- COMMAND"


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not evidence.device_traces:
        return Abstained(rule="own_kernel", missing=NO_DEVICE_TRACE)
    found = [finding for trace in evidence.device_traces if (finding := _judge(trace)) is not None]
    return None if evidence.counters else max(found, key=lambda finding: finding.share or 0.0, default=None)


def _judge(trace: Trace) -> Finding | None:
    own: dict[str, list[int]] = defaultdict(list)
    for kernel, around in around_launches(trace).items():
        name = trace.events.name(kernel)
        if not is_library(name) and not _in_library(trace, around):
            own[split_name(name).plain].append(kernel)
    shares = {name: trace.share(total(trace.alone(rows))) for name, rows in own.items()}
    name = max(shares, key=lambda one: shares[one], default="")
    if not name or shares[name] <= TAKES:
        return None
    text = f"{short(name)}, which no library brought, takes {percent(shares[name])} of the step: "
    text += f"{len(own[name]) / len(trace.steps):.1f} launches per step, {time(shares[name] * trace.step_ns)}"
    return Finding(
        rule="own_kernel",
        title=f"most of the time is in the program's own kernel {short(name)}",
        confidence="low",
        evidence=[Proof(text=text, place=trace.place(own[name][0]), values={"share": shares[name]})],
        share=shares[name],
        advice="its counters say what holds it back: neighbouring threads that read far apart (coalescing), few blocks "
        "or one that takes long (load balance), registers that spill, work that is done twice",
        experiment=COUNT_IT,
        refuted_by="its counters show it near the memory's bandwidth or the peak of arithmetic",
    )


def _in_library(trace: Trace, around: tuple[int, ...]) -> bool:
    return any(trace.events.name(row).startswith(("aten::", "torchvision::")) for row in around)
