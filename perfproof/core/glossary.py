"""The words that output uses, in plain English: `perfproof explain launch`. Each has a title, a meaning and a remedy.

Verdicts, statuses and outcomes are in words.py, warning codes in warnings.py.
"""

from perfproof.core.warnings import Explanation

RESULTS: dict[str, Explanation] = {  # what stands in a result
    "verdict": Explanation(
        "what the interval says, in one word",
        "`faster`, `slower`, `same`, `inconclusive`, `unstable` or `indicative`; `better` and `worse` for memory, "
        "energy and start-up. It follows from the interval by fixed rules, never from the ratio alone.",
        "Look up the word itself, such as `perfproof explain same`.",
    ),
    "speed-up": Explanation(
        "the ratio of a run, as compare calls it",
        "How many times faster the variant is than the baseline of the same run. `compare` sets the speed-ups of two "
        "runs against each other, because a slow day is not in them.",
        "Judge times instead with `perfproof compare --judge time`.",
    ),
    "band": Explanation(
        "an error that repetition does not show",
        "A small systematic error of the method, 0.2 % on a CPU and 0.1 % on a GPU, plus the share of the timer. A "
        "difference counts only if its interval lies beyond the band.",
        "Nothing; differences that small need another method.",
    ),
    "mode": Explanation(
        "launches that agree among themselves and not with others",
        "Some programs run at one of several speeds, chosen when they start: by memory layout, placement or "
        "autotuning. If modes have different verdicts, the result is `unstable`, and each is listed with its share.",
        "Find what differs between launches; see `perfproof explain W111`.",
    ),
    "exact": Explanation(
        "a ratio without an interval, because nothing varies",
        "Every process gave the same value, within the step of the counter. This is usual for memory and rare for "
        "time.",
        "Nothing.",
    ),
    "geometric mean": Explanation(
        "one number for many targets",
        "The average of ratios that treats 2x and 0.5x as opposites. It is withheld if a target has no interval, "
        "because a mean over the rest would hide it.",
        "Read the rows first: a mean says nothing about any one target.",
    ),
    "ratio": Explanation(
        "baseline over variant",
        "The baseline's time (or memory, or energy) divided by the variant's, from samples that alternate between the"
        " two. Above 1 the variant is better: 2.00x takes half the time.",
        "Read it with its interval; a ratio without one is no more than a hint.",
    ),
    "interval": Explanation(
        "where the true ratio lies",
        "The range that contains the true ratio in 97 of 100 such runs, computed from the differences between "
        "launches. `1.66x [1.64, 1.68]` means: most likely 1.66x, and between 1.64x and 1.68x.",
        "Quote both ends. If it is too wide to decide, give it more launches: --effort final or a larger --budget.",
    ),
    "delta": Explanation(
        "the difference that does not matter",
        "A share, 1 % by default. `same` means that the whole interval lies within it, and a gain is `material` if "
        "even the near end of the interval lies beyond it. Noise never enlarges it.",
        "Set it with --delta 0.5% or --delta 3%, to what matters in your program.",
    ),
    "material": Explanation(
        "large enough to matter",
        "The near end of the interval is beyond --delta. `small` means that the whole interval lies within it, and "
        "`unclear` that it reaches across.",
        "Choose another --delta if 1 % is not the difference that matters to you.",
    ),
    "claim": Explanation(
        "what a pair says is better",
        "Time, memory, energy or start-up. The verdict is about this one quantity; the others stand beside it.",
        'See the others with --details. A pair chooses with `claim = "memory"`.',
    ),
    "predicted": Explanation(
        "the ratio that the model of the pair expects",
        "Bytes, operations or launches of both sides, as the pair's `cost` counts them, against the limits of this "
        "machine. It is a model: caches, threads and library code are not in it.",
        "If it is far from the measured ratio, one of the two is wrong: check `cost`, then profile the pair.",
    ),
    "tier": Explanation(
        "how good the baseline is",
        "`naive` is written to show the idea, `idiomatic` is what a good engineer writes, and `vendor` is a tuned "
        "library. A large ratio over a naive baseline is no large gain for a real program.",
        "Compare with an idiomatic or a vendor baseline before you quote a ratio.",
    ),
    "goodput": Explanation(
        "useful work per second",
        "Samples, tokens or requests that count, per second of wall time; work that is thrown away or arrives too "
        "late does not count. A pair declares the useful work of a call as `samples` in its `cost`.",
        "Prefer it to utilisation: a busy device can do little useful work. `perfproof calc goodput` plans it.",
    ),
    "speed of light": Explanation(
        "the fastest time this machine allows",
        "The bytes and operations that a call needs, at the highest bandwidth and rate of the machine. A result says "
        "which share of it each side reaches; a time below it cannot be true and is rejected.",
        "Measure the limits of this machine once with `perfproof peak`; compute with `perfproof calc roofline`.",
    ),
    "ceiling": Explanation(
        "a measured limit of this machine",
        "The bandwidth of memory and caches and the rate of arithmetic, as `perfproof peak` measured them here. "
        "Without them the values of the data sheet are used, where there is one.",
        "Measure them with `perfproof peak` on a quiet machine.",
    ),
    "roofline": Explanation(
        "a picture of what limits a kernel",
        "Operations per byte against operations per second, under the ceilings of the machine. A kernel under the "
        "slope is limited by memory, one under the flat part by arithmetic.",
        "Draw it with `perfproof roofline latest`.",
    ),
}

MEASURING: dict[str, Explanation] = {  # how a result is measured
    "sample": Explanation(
        "one reading of the clock",
        "As many calls as the timer needs to be exact, timed together: 0.25 ms on a CPU, 1 ms on a GPU, or one call "
        "if that is longer. Every sample is saved.",
        "Nothing. Samples of a run lie in samples/ in its folder.",
    ),
    "launch": Explanation(
        "one independent repetition",
        "A newly started Python interpreter, with a memory layout, hash seed and environment of its own, that "
        "measures both sides. Differences between launches are what the interval is made of; five are needed for one.",
        "Ask for more with --effort standard (8 to 15) or --effort final (20), and give them time with --budget.",
    ),
    "unit": Explanation(
        "what the interval counts",
        "One value per launch: the ratio over all samples of its processes. At quick effort, which has one launch, it"
        " is one value per couple.",
        "Read it as `launch`.",
    ),
    "couple": Explanation(
        "two processes with the sides swapped",
        "In the second process everything about the order is reversed: which side is loaded, prepared and warmed up "
        "first. The average of both has no advantage of place in it.",
        "Nothing; it is how a launch is measured.",
    ),
    "quad": Explanation(
        "four samples in a row",
        "Two of each side in a random order: AABB, BBAA, ABBA or BAAB. The sides alternate within milliseconds, so "
        "drift of the machine hits both alike.",
        "Nothing; it is how samples are ordered.",
    ),
    "twin": Explanation(
        "the baseline compared with itself",
        "The baseline's file is loaded a second time and measured against the first, an A/A control. If the two "
        "differ, the method is disturbed here, and the verdict is `unstable`.",
        "Find what makes equal code differ: other load, threads of the target, a cache that one side fills.",
    ),
    "rung": Explanation(
        "how the two sides were kept apart",
        "`corrected`: in one process, in turn, less what switching between the sides does. `in-turn-corrected` and "
        "`alone`: a process for each side, in turn or on its own. Older documents say `plain`, `in-turn` or `stay`.",
        "Nothing; compare two results only if they were measured the same way, which `compare` says.",
    ),
    "carry-over": Explanation(
        "one side shifts the other's times",
        "What a side leaves behind (cache contents, allocator state, a running thread) costs the other side time "
        "after a switch. It is measured and taken off, so the verdict still holds.",
        "Nothing, if the interval decides. Otherwise find what a side leaves behind; see `perfproof explain W103`.",
    ),
    "isolation": Explanation(
        "the baseline, measured without the variant near it",
        "The baseline also runs in a process that never loaded the variant. If it is faster or slower there, the "
        "variant disturbed it, and the sides get processes of their own.",
        "If it is not-run, give the target more --timeout or use --effort final.",
    ),
    "pool": Explanation(
        "the sets of arguments that calls rotate over",
        "Sets are drawn between samples, as many as memory allows, so that no call finds its data in a cache or sees "
        "a value twice. A pool smaller than the caches is said with W101.",
        "Raise the sizes with --set if the program you care about meets its data cold.",
    ),
    "disturbed": Explanation(
        "other work of the machine was in the sample",
        "The measuring thread was put aside during the sample. Such samples are left out by that evidence, "
        "never by their value. If more than a fifth is left out, the verdict is unstable.",
        "Stop other programs, or measure when the machine is quiet.",
    ),
    "preempted": Explanation(
        "the system ran something else meanwhile",
        "The measuring thread was put aside during a sample. Such samples are left out by that evidence, never by "
        "their value, and the number is said. Above a fifth, the verdict is `unstable`.",
        "Close other programs, or use a machine with more cores.",
    ),
    "warm-up": Explanation(
        "calls before anything is timed",
        "They fill caches, compile, and raise the clock, until two windows agree in time within 2 %. Their time is "
        "shown as set-up and is not in the ratio.",
        'If set-up is what you care about, use `claim = "startup"`.',
    ),
    "clock": Explanation(
        "what is read",
        "`call` is the time of a call in a row of calls, `kernel` how long the GPU was busy, `latency` one call from "
        "an idle device, `wall` the real time of a program. They are different numbers and are never mixed.",
        'A pair chooses with `clock = "kernel"`.',
    ),
    "effort": Explanation(
        "how much is measured",
        "`quick` has one launch and is for trying things, `standard` has 8 to 15 and gives full verdicts, `final` has"
        " 20 new interpreters and refuses an unfit machine.",
        "Use --effort standard before you believe a result, and --effort final before you publish it.",
    ),
    "budget": Explanation(
        "time for the whole run",
        "No measurement is begun that would end after it, so a small budget gives fewer launches. --timeout is the "
        "limit of one target, and ends it.",
        "Raise --budget if results are `indicative` because launches are missing.",
    ),
    "seed": Explanation(
        "what the inputs are drawn from",
        "A number drawn per run that the measured code cannot know. It is saved, so that a run can be repeated with "
        "the same values.",
        "Repeat a run with `perfproof rerun RUN`, or give --seed.",
    ),
    "telemetry": Explanation(
        "clocks, power and load beside the samples",
        "Read a few times per second while a target runs, and saved with the run. Samples taken while heat held a GPU"
        " back are left out by it.",
        "Leave it out with --no-telemetry.",
    ),
}

CHECKING: dict[str, Explanation] = {  # how answers are checked
    "oracle": Explanation(
        "what decides which answer is right",
        "The pair's `reference`, computed in higher precision on private copies of the inputs. Without a reference "
        "the baseline itself is the oracle, and a mistake that both sides share is not seen.",
        "Write a `reference`, the plainest code that is right.",
    ),
    "reference": Explanation(
        "plain code that computes the right answer",
        "The function `reference` of a pair. It is never timed, so it may be slow; it gets private copies of the "
        "inputs in higher precision.",
        "Write it in the plainest way, and not by calling the baseline.",
    ),
    "tolerance": Explanation(
        "how far an answer may be from the reference",
        "`rtol` times the reference plus `atol`, per element. Before it is trusted, zeros, noise and shuffled answers"
        " are tried: if they pass, the tolerance proves nothing and the target is refused.",
        "Make it as small as the rounding of the data type allows, and say why in a comment.",
    ),
    "not-run": Explanation(
        "a check that did not take place",
        "There was no time, or what it needs is not here. It is said beside the verdict, because the result has less "
        "behind it than usual.",
        "Give it more --timeout, or use --effort final.",
    ),
    "precision": Explanation(
        "no side is less precise than the baseline",
        "The errors of both sides against the reference are compared. Without a `reference`, and if the baseline "
        "cannot run in double precision, the baseline's own error is unknown and this check is not-run.",
        "Write a `reference` in higher precision.",
    ),
    "values change": Explanation(
        "every call sees values that it could not know",
        "A function that remembers an answer would look fast. If the given values cannot be drawn anew, every call "
        "gets the same ones, and this check is not-run.",
        "Pass a function that draws the values.",
    ),
    "clock audit": Explanation(
        "the times of a worker, held against other clocks",
        "The samples must fit between question and answer by a clock that the pair cannot reach. If the process was "
        "interrupted too often, the two cannot be held against each other and this check is not-run.",
        "Repeat on a quiet machine.",
    ),
    "compute-sanitizer": Explanation(
        "every side called under NVIDIA's checker of memory and races",
        "With `--sanitize`, memcheck and racecheck call every side once. A missing tool makes this check not-run.",
        "`perfproof doctor` says how to install it.",
    ),
    "smoke": Explanation(
        "small, odd sizes for checking",
        "Every pair is verified at these sizes first, because odd sizes show mistakes at edges. `--fast` also times "
        "them; such times say nothing about real sizes.",
        "Leave out --fast to measure at real sizes.",
    ),
}

NAMES: dict[str, Explanation] = {  # things and what they are called
    "pair": Explanation(
        "a file with a baseline and its optimisation",
        "A Python file with `inputs`, `baseline`, `optimized` and what else the contract asks for. Its docstring is "
        "the lesson.",
        "Begin one with `perfproof new NAME`.",
    ),
    "target": Explanation(
        "what is measured",
        "A pair, named by chapter and file (ch01:batched_gemm), by lab, or by the path of a file of yours. A chapter "
        "or a pattern names several.",
        "See them with `perfproof list`.",
    ),
    "side": Explanation(
        "the baseline or a variant",
        "What runs in a process and is timed. Every comparison has two: the baseline and one variant.",
        "Nothing.",
    ),
    "baseline": Explanation(
        "what a variant is compared with",
        "The function `baseline` of a pair, or the first program of an A/B. Its `tier` says how good it is.",
        "Make it what people would use without the optimisation.",
    ),
    "variant": Explanation(
        "one optimisation of a pair",
        "Each function called `optimized` or `optimized_NAME` is compared with the baseline on its own. With several,"
        " each interval is made wider, so that more variants are not more chances.",
        "Choose one with --variant NAME.",
    ),
    "tour": Explanation(
        "pairs of different chapters",
        "What `perfproof run` measures if no target is named: the pairs that chapters chose for it, as far as they can"
        " be timed here.",
        "Name targets to measure others.",
    ),
    "run": Explanation(
        "one saved measurement",
        "A folder in artifacts/ with the document, the samples and the logs. Its name ends with an id of six "
        "characters; any beginning of the id that is unique names it, and so do `latest` and `previous`.",
        "See them with `perfproof history`, and one in a browser with `perfproof open`.",
    ),
    "fingerprint": Explanation(
        "one machine with its software",
        "A short hash of the CPU, the GPUs, the driver, Python and torch. Times are compared only if it is the same "
        "in both runs; speed-ups may be compared across with --across.",
        "See what is in it with `perfproof hw`.",
    ),
    "kind": Explanation(
        "machines of one type",
        "The name of the GPU, or of the CPU with its cores, such as nvidia-h200. Expectations and trends of ratios "
        "are kept per kind.",
        "See yours with `perfproof hw`.",
    ),
}

OVER_TIME: dict[str, Explanation] = {  # history, verify, continuous, compare
    "canary": Explanation(
        "a target whose code stays the same",
        "If it becomes slower, the machine did, and not the program. Times divided by the canary's time in the same "
        "run have that taken out.",
        "Measure one beside your targets, and name it with --canary TARGET.",
    ),
    "expectation": Explanation(
        "what a target gave on earlier days",
        "Kept per kind of machine, with how far days differ. `perfproof verify` compares today with it.",
        "Record a day with `perfproof expectations update RUN -m WHY`.",
    ),
    "change-point": Explanation(
        "where a series changed its level",
        "The run from which on the values of a target are different, with the size of the step and its interval, and "
        "which fields of the machine changed there.",
        "Find the commit with `perfproof history bisect TARGET --good REV --bad REV`.",
    ),
    "gate": Explanation(
        "a condition that fails a command",
        "`compare --gate`, `verify`, `ab --gate` and plans end with exit code 1 if something became worse for "
        "certain, after the correction for many comparisons, and with 3 if it cannot be decided.",
        "Read the row that is named, and measure it again with more effort.",
    ),
    "no difference": Explanation(
        "none was found between two runs",
        "`compare` found no change that stands out. This is weaker than `same`: the interval says how large a "
        "difference could still be.",
        "Measure both sides at one time with `perfproof ab` to see smaller differences.",
    ),
    "differs": Explanation(
        "worse, but not enough to fail a gate",
        "`compare` marks it because at most 5 % of such marks are by chance. It does not stand after the stricter "
        "correction that `worse` needs.",
        "Measure again with `perfproof rerun latest --effort final`.",
    ),
}

DIAGNOSIS = {
    "finding": Explanation(
        "a suspected cause, with its evidence",
        "A rule has seen a bottleneck in a profile. The share is what would go with the cause, at most.",
        "Run the command after `try`: a finding is a suspicion until an experiment has confirmed it.",
    ),
    "confidence": Explanation(
        "how much a finding can be trusted",
        "High, medium or low, by the share and by the evidence. Without repeating steps durations give only low.",
        "Begin with the first finding that is high or medium; record more steps if all are low.",
    ),
    "steady": Explanation(
        "the part of a program that repeats",
        "Findings are about typical steps. The start-up (imports, compiling, first allocations) is left out.",
        'Mark steps with record_function("step") if they are not found.',
    ),
}
