from .. import log
from ..config import CFG
import re

_calls = 0


def clean_slow(texts):
    global _calls
    _calls += 1
    out = []
    for t in texts:
        t = t.lower() if CFG.lower else t
        t = re.sub(r"[^\w\s]", " ", t)
        out.append([w for w in t.split() if w not in list(CFG.stop)])
    log.debug("cleaned %d texts", len(texts))
    return out


_TABLE = {ord(c): " " for c in "!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~"}


def clean_fast(texts):
    global _calls
    _calls += 1
    stop = CFG.stop
    return [[w for w in t.lower().translate(_TABLE).split() if w not in stop] for t in texts]
