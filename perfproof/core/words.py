"""The words a result can carry, verdicts and statuses, with their meaning: `perfproof explain same`."""

from perfproof.core.warnings import Explanation

VERDICTS: dict[str, Explanation] = {
    "faster": Explanation(
        "the variant takes less time",
        "The whole interval of the ratio lies above 1 by more than the systematic band, and at least three quarters of "
        "the launches agree in sign. `material` means that even the near end is beyond --delta.",
        "Read the interval, not only the ratio; check the warnings before repeating it.",
    ),
    "slower": Explanation(
        "the variant takes more time",
        "The whole interval of the ratio lies below 1 by more than the systematic band, and at least three quarters of "
        "the launches agree in sign.",
        "Keep the baseline here. A loss at these sizes or on this machine may be a gain elsewhere: try --set.",
    ),
    "better": Explanation(
        "the variant needs less",
        "Like `faster`, for a claim that is not about time: less memory, less energy or a shorter start.",
        "See what it costs in time: --details shows the other quantities.",
    ),
    "worse": Explanation(
        "the variant needs more",
        "Like `slower`, for a claim that is not about time: more memory, more energy or a longer start.",
        "See what it buys: --details shows the other quantities.",
    ),
    "same": Explanation(
        "no difference that matters",
        "The whole interval lies within --delta of 1: a finding, not a failure to find. The bound says below what any "
        "difference lies; the second figure is the smallest effect this run would have found in 9 of 10 runs.",
        "Lower --delta and use --effort final if smaller differences matter to you.",
    ),
    "inconclusive": Explanation(
        "the interval is too wide to say",
        "The interval holds both a difference that matters and none. Nothing is claimed.",
        "Give it the launches that the note names: --effort final, a larger --budget, or a quieter machine.",
    ),
    "unstable": Explanation(
        "one ratio cannot describe it",
        "Launches fall into modes with different verdicts, or too many samples were invalid, or the baseline differed "
        "from its own twin. The modes are listed with their share.",
        "Find what differs between launches (threads, placement, autotuning, clock) before comparing.",
    ),
    "indicative": Explanation(
        "a hint, too little for a verdict",
        "Fewer launches were measured than the effort asks for, or quick effort, which has one launch, saw a "
        "difference below 5 %: the memory layout of a single launch can do that. It may vanish in the next launch.",
        "Repeat with --effort standard, and with more time (--budget, --timeout) if launches are missing.",
    ),
}

STATUSES: dict[str, Explanation] = {
    "ok": Explanation(
        "verified, measured and judged",
        "The outputs matched the reference before and after timing, and the result has a verdict.",
        "Read the verdict with its interval.",
    ),
    "skipped": Explanation(
        "cannot run here",
        "The target needs hardware or packages that this machine lacks. The reason names them.",
        "Run it where they are. `perfproof list` shows what each target needs.",
    ),
    "refused": Explanation(
        "the target cannot be compared",
        "The file breaks the pair contract, or the comparison makes no sense as it stands. Nothing was timed.",
        "Do what the reason says, in the file it names.",
    ),
    "failed-verification": Explanation(
        "a wrong answer",
        "A side's output is further from the reference than the tolerance allows, or a check of the checker failed. No "
        "time is reported for a wrong answer.",
        "See the checks and the log; `perfproof rerun RUN` replays it with the same seed.",
    ),
    "rejected": Explanation(
        "the measurement contradicts itself or physics",
        "A time is below what the hardware can do, the worker's clock disagrees with the parent's, or a side's speed "
        "came from disturbing the other.",
        "Look for work that is skipped, cached or moved outside the timed call.",
    ),
    "crashed": Explanation(
        "the worker died",
        "The process that ran the target ended by an exception or a signal. The other targets went on.",
        "Read the log; its tail is in the report.",
    ),
    "timeout": Explanation(
        "the worker ran out of time",
        "The target took longer than --timeout and was ended with everything it had started.",
        "Raise --timeout, lower its sizes with --set, or find where it hangs from the log.",
    ),
}

OUTCOMES: dict[str, Explanation] = {  # of `perfproof verify`; `same` and `inconclusive` are verdicts too
    "regression": Explanation(
        "slower than expected, and the program is to blame",
        "Today's value lies further from the days of the expectation than days differ, and a paired run of the "
        "expectation's commit against the files as they are found the later one slower, corrected for all targets.",
        "Read which side is slower; `perfproof history bisect TARGET --good COMMIT --bad HEAD` finds the change.",
    ),
    "improvement": Explanation(
        "faster than expected, and the program earned it",
        "Like `regression`, in the other direction. The expectation stays as it is until somebody updates it.",
        "Record it: `perfproof expectations update RUN -m WHY`.",
    ),
    "environment": Explanation(
        "it moved, and the program is not to blame",
        "Today's value was flagged, but the paired run of both revisions on this machine excludes the change. The "
        "fields that differ from the expectation's day (driver, library, kernel, host) are listed.",
        "Look at those fields; where they are there to stay, record a new day.",
    ),
    "new": Explanation(
        "nothing is expected yet",
        "The target has a result and no day of the same sizes to hold it against.",
        "Record one: `perfproof expectations update RUN -m WHY`.",
    ),
    "missing": Explanation(
        "expected, and there is no result",
        "The target is gone, or it failed, crashed or was skipped today.",
        "See the reason; `perfproof expectations prune --gone` forgets targets that are gone for good.",
    ),
}

SEVERITIES: dict[str, Explanation] = {  # of what `perfproof triage` finds when it looks at a node's health
    "sick": Explanation(
        "the node is broken",
        "A part shows less than its kind does when it is healthy (PCIe lanes, NVLinks, clocks, measured ceilings), or "
        "counted errors that only a repair ends. What is measured on it holds for no other node.",
        "Do what the symptom says, drain the node until then, and measure on another one.",
    ),
    "watch": Explanation(
        "know it before you believe a number",
        "A setting or a count that is no defect by itself and moves results: the symptom says which.",
        "Change it where that is yours to do; otherwise name it beside the figures.",
    ),
}
