"""Looks up genome windows around variants and summarises their composition."""

import gzip
import os
import random
import re
import tempfile
import time

CHROM_LEN = 3_000_000
N_CHROMS = 4
VARIANTS = 560
FLANK = 3000
CPG = re.compile("CG")


def write_reference(path, rng):
    """Writes a packed reference with the chromosomes back to back."""
    offsets = {}
    position = 0
    with gzip.open(path, "wb", compresslevel=4) as out:
        for number in range(1, N_CHROMS + 1):
            name = f"chr{number}"
            block = "".join(rng.choices("ACGT", weights=(3, 2, 2, 3), k=CHROM_LEN // 20))
            offsets[name] = position
            for _ in range(20):
                out.write(block.encode())
                block = block[1:] + block[0]
            position += len(block) * 20
    return offsets


class Reference:
    def __init__(self, path, offsets):
        self.handle = gzip.open(path, "rb")
        self.offsets = offsets

    def window(self, chrom, start, stop):
        start, stop = max(0, start), min(CHROM_LEN, stop)
        self.handle.seek(self.offsets[chrom] + start)
        return self.handle.read(stop - start).decode()

    def close(self):
        self.handle.close()


def gc_profile(sequence, size=50):
    profile = []
    for start in range(0, len(sequence) - size + 1, size):
        chunk = sequence[start : start + size]
        profile.append((chunk.count("G") + chunk.count("C")) / size)
    return profile


def longest_run(sequence):
    best = run = 1
    for left, right in zip(sequence, sequence[1:]):
        run = run + 1 if left == right else 1
        best = max(best, run)
    return best


def annotate(reference, variant):
    chrom, position, alt = variant
    sequence = reference.window(chrom, position - FLANK, position + FLANK)
    profile = gc_profile(sequence)
    return {
        "variant": f"{chrom}:{position}>{alt}",
        "gc": sum(profile) / len(profile),
        "cpg": sum(1 for _ in CPG.finditer(sequence)),
        "run": longest_run(sequence),
    }


def variant_stream(rng, count):
    names = [f"chr{number}" for number in range(1, N_CHROMS + 1)]
    for _ in range(count):
        yield rng.choice(names), rng.randrange(FLANK, CHROM_LEN - FLANK), rng.choice("ACGT")


def main():
    rng = random.Random(30)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "reference.seq.gz")
        offsets = write_reference(path, rng)
        reference = Reference(path, offsets)
        started = time.time()
        islands = 0
        for number, variant in enumerate(variant_stream(rng, VARIANTS), 1):
            record = annotate(reference, variant)
            islands += record["gc"] > 0.4 and record["cpg"] > 20
            if number % 70 == 0:
                rate = number / (time.time() - started)
                print(f"{number:4d} variants  islands {islands:3d}  {rate:.1f}/s", flush=True)
        reference.close()
    print("annotation written")


if __name__ == "__main__":
    main()
