"""The colour and the sign of a verdict or status: the sign says the same without colour."""

TONES = {  # by word: the class of its colour, and the sign
    **dict.fromkeys(("faster", "better"), ("good", "▲")),
    **dict.fromkeys(("slower", "worse"), ("bad", "▼")),
    "same": ("null", "="),
    **dict.fromkeys(("inconclusive", "unstable", "indicative"), ("unsure", "?")),
    **dict.fromkeys(("failed-verification", "rejected", "refused", "crashed", "timeout"), ("bad", "✕")),
    **dict.fromkeys(("skipped", "not finished", "other work"), ("none", "–")),
}


def tone_of(word: str) -> tuple[str, str]:
    return TONES.get(word, ("none", "–"))
