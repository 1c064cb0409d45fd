import random
import re
import unicodedata

WORDS = [
    "Crème",
    "brûlée",
    "Žižkov",
    "Łódź",
    "naïve",
    "São",
    "Paulo",
    "ﬁnance",
    "Ångström",
    "東京",
    "it's",
    "100%",
    "Straße",
    "e\u0301te\u0301",
]
OTHER = re.compile(r"[^a-z0-9]+")


def inputs():
    return [" ".join(random.choices(WORDS, k=random.randint(3, 9))) for _ in range(60)]


def baseline(titles):
    slugs = []
    for title in titles:
        slug = ""
        for char in title:
            for part in unicodedata.normalize("NFKD", char):
                if unicodedata.combining(part):
                    continue
                for low in part.casefold():
                    if low in "abcdefghijklmnopqrstuvwxyz0123456789":
                        slug = slug + low
                    elif not slug.endswith("-"):
                        slug = slug + "-"
        slugs.append(slug.strip("-"))
    return slugs


def optimized(titles):
    slugs = []
    for title in titles:
        plain = unicodedata.normalize("NFKD", title)
        if not plain.isascii():
            plain = "".join([c for c in plain if not unicodedata.combining(c)])
        slugs.append(OTHER.sub("-", plain.casefold()).strip("-"))
    return slugs
