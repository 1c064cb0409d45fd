"""Keep waiting jobs in a heap, do not search for the most urgent one each time.

One worker takes the job with the smallest priority number among those that have come, and runs it to its end. min()
reads the whole queue for each job, and remove() reads it again; a heap does both in a logarithm of its length.
"""

import heapq
import random

workload = workload_cpu = dict(jobs=600)
smoke = dict(jobs=17)
tolerance = dict(rtol=0.0, atol=0.0)  # times are whole ticks
tier = "naive"


def inputs(jobs):
    arrivals = sorted(random.randrange(4 * jobs) for _ in range(jobs))
    priorities = [random.randrange(10) for _ in range(jobs)]
    durations = [random.randint(1, 20) for _ in range(jobs)]  # ten ticks for every four: the queue grows
    return arrivals, priorities, durations


def reference(arrivals, priorities, durations):
    ends = [None] * len(arrivals)
    now = 0
    while None in ends:
        left = [job for job, end in enumerate(ends) if end is None]
        now = max(now, min(arrivals[job] for job in left))
        ready = sorted((priorities[job], job) for job in left if arrivals[job] <= now)
        job = ready[0][1]
        now += durations[job]
        ends[job] = now
    return ends


def baseline(arrivals, priorities, durations):
    ends, queue, now, come = [0] * len(arrivals), [], 0, 0
    for _ in arrivals:
        if not queue:
            now = max(now, arrivals[come])
        while come < len(arrivals) and arrivals[come] <= now:
            queue.append((priorities[come], come))
            come += 1
        chosen = min(queue)
        queue.remove(chosen)
        now += durations[chosen[1]]
        ends[chosen[1]] = now
    return ends


def optimized(arrivals, priorities, durations):
    ends, queue, now, come = [0] * len(arrivals), [], 0, 0
    for _ in arrivals:
        if not queue:
            now = max(now, arrivals[come])
        while come < len(arrivals) and arrivals[come] <= now:
            heapq.heappush(queue, (priorities[come], come))
            come += 1
        job = heapq.heappop(queue)[1]
        now += durations[job]
        ends[job] = now
    return ends


def cost(jobs):
    steps = jobs * jobs.bit_length()
    return dict(flops=steps, bytes=24 * jobs, baseline_flops=jobs * jobs // 2, optimized_flops=steps)
