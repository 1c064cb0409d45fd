"""Translate characters with a table instead of one by one."""

import random
import re
import numpy as np

workload = workload_cpu = dict(n=120)
smoke = dict(n=11)
tier = "idiomatic"


def inputs(n):
    r = random.Random(int(np.random.randint(2**31)))
    return (["".join(r.choice("abc DEF,.-_xyz!12") for _ in range(r.randint(20, 50))) for _ in range(n)],)


def baseline(titles):
    out = []
    for title in titles:
        slug = ""
        for i in range(len(title)):
            c = list(title.lower())[i]
            if re.match("^[" + "".join(sorted(set("abcdefghijklmnopqrstuvwxyz0123456789"))) + "]$", c) is not None:
                slug = "".join([s for s in slug] + [c])
            elif not slug.endswith("-"):
                slug = "".join([s for s in slug] + ["-"])
        out = out + [slug.strip("-")]
    return out


def optimized(titles):
    return [re.sub("[^a-z0-9]+", "-", t.lower()).strip("-") for t in titles]
