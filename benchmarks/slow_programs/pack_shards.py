"""Data preparation: pack small samples into compressed shards with an index."""

import hashlib
import json
import pathlib
import struct
import tempfile
import threading
import time
import zlib
from collections import deque

import numpy as np

SAMPLES = 2_400
SHARD_BYTES = 8 << 20
HEADER = struct.Struct("<QI")


def sensor_clips(count, seed=4):
    """Generator of (key, raw bytes): short quantised accelerometer clips."""
    rng = np.random.default_rng(seed)
    axis = np.arange(4_096) / 50.0
    for number in range(count):
        f1, f2 = rng.uniform(0.5, 5.0, size=2)
        wave = 900 * np.sin(f1 * axis) + 300 * np.sin(f2 * axis)
        clip = (wave + rng.normal(scale=4.0, size=axis.size)).astype(np.int16)
        yield f"clip-{number:06d}", clip.tobytes()


class ShardWriter:
    """Appends encoded samples to shard files from its own thread."""

    def __init__(self, folder):
        self.folder = folder
        self.pending = deque()
        self.closing = False
        self.index = {}
        self.shard = -1
        self.handle = None
        self.written = 0
        self.thread = threading.Thread(target=self.drain, name="shard-writer", daemon=True)
        self.thread.start()

    def put(self, key, digest, blob):
        self.pending.append((key, digest, blob))

    def drain(self):
        while True:
            if self.pending:
                self.append(*self.pending.popleft())
            elif self.closing:
                break
        if self.handle:
            self.handle.close()

    def roll(self):
        if self.handle:
            self.handle.close()
        self.shard += 1
        self.handle = open(self.folder / f"shard-{self.shard:04d}.bin", "wb")
        self.written = 0

    def append(self, key, digest, blob):
        if self.handle is None or self.written > SHARD_BYTES:
            self.roll()
        self.index[key] = (self.shard, self.written, len(blob), digest)
        self.handle.write(HEADER.pack(len(self.index), len(blob)))
        self.handle.write(blob)
        self.written += HEADER.size + len(blob)

    def close(self):
        self.closing = True
        self.thread.join()
        (self.folder / "index.json").write_text(json.dumps(self.index))


class Encoder:
    def __init__(self, level=1):
        self.level = level
        self.raw = 0
        self.packed = 0

    def encode(self, raw):
        digest = hashlib.sha256(raw).hexdigest()
        samples = np.frombuffer(raw, dtype=np.int16)
        delta = np.diff(samples, prepend=samples[:1])
        blob = zlib.compress(delta.tobytes(), self.level)
        self.raw += len(raw)
        self.packed += len(blob)
        return digest, blob


def pack(folder, count):
    encoder = Encoder()
    writer = ShardWriter(folder)
    begin = time.perf_counter()
    for number, (key, raw) in enumerate(sensor_clips(count), 1):
        digest, blob = encoder.encode(raw)
        writer.put(key, digest, blob)
        if number % 400 == 0:
            rate = number / (time.perf_counter() - begin)
            print(f"{number:6d} samples packed, {rate:.0f}/s")
    writer.close()
    return encoder


def verify(folder, probes=50):
    index = json.loads((folder / "index.json").read_text())
    keys = list(index)
    for key in keys[:: max(1, len(keys) // probes)]:
        shard, offset, size, digest = index[key]
        with open(folder / f"shard-{shard:04d}.bin", "rb") as handle:
            handle.seek(offset + HEADER.size)
            delta = np.frombuffer(zlib.decompress(handle.read(size)), dtype=np.int16)
        assert delta[0] == 0 and len(delta) == 4_096, key
    return len(index)


def main():
    with tempfile.TemporaryDirectory(prefix="shards_") as name:
        folder = pathlib.Path(name)
        encoder = pack(folder, SAMPLES)
        total = verify(folder)
        print(
            f"{total} samples, ratio {encoder.raw / encoder.packed:.2f}, {len(list(folder.glob('shard-*.bin')))} shards"
        )


if __name__ == "__main__":
    main()
