"""Named bottlenecks from profiles: rules/<name>.py is one rule, found by its file, with

    def find(evidence: Evidence) -> Finding | Abstained | None

None: looked, and it is not there. `Abstained`: an input is missing, and it says which. `Finding`: core/diagnosis.py.

A rule reads `Evidence` (evidence.py) and nothing else: no files, no clocks, no printing. What it holds:

    evidence.traces            one `Trace` a rank (traces.py), by rank. trace.events is the table; trace.steps the
                               steady steps (first and last dropped, each to the start of the next; of the device
                               where the host runs ahead), trace.numbers their numbers, trace.window
                               their union, trace.step_ns the mean length of one, trace.devices the numbers of the
                               devices with work ([] = host only), trace.label "rank 1"; trace.rows(Kind.KERNEL) the
                               rows that begin in the window
    evidence.untimed           the host's side where CUPTI gave no times for the GPU: such traces are in no other list,
                               and evidence.uses_gpu is true for them too
    evidence.counters          one CountedKernel a launch, of ncu's raw page or report
    evidence.series            telemetry by file: name -> Series ("gpu0.sm_mhz"), of our sampler, dmon and traces
    evidence.memory            memory snapshots, as event tables (`totals` hold fragmentation, rows the allocations)
    evidence.stacks            stacks with weights, as event tables (`totals`; SAMPLE rows where they have times)
    evidence.compile_logs      texts of TORCH_LOGS and TORCH_TRACE with their file's name
    evidence.tables            every event table that was read, with its file
    evidence.ceilings          measured ceilings, or None
    evidence.unprofiled_step_ns    of the program without a profiler, or None

Thresholds are constants at the top of each rule's file: one place for each, beside the code that they steer. A share is
of the step (`share_of="profiled kernels"` where only counters are there), an upper bound, never above 1. A finding that
may contain another's time says so in `parts` ({"straggler": 0.1}): where that rule has a finding too, its part is taken
off this one's share, so that the same time is not promised twice. `poisons="all"` or `"durations"` lowers the others by
one step of confidence; `basis` says what a finding rests on. `experiment` is a command that starts with `perfproof `.
Confidence above low is for what deserves someone's afternoon: on a healthy program no rule may say more than low.
"""
