"""Turn a corpus of audio clips with sidecar metadata into a filtered, bucketed manifest."""

import json
import random
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import yaml

SPEAKERS = 40
WORDS = "model train data sample audio clip voice noise clean fast slow river stone light paper".split()


def write_corpus(root, sessions, clips, rng):
    for s in range(sessions):
        folder = root / f"session_{s:03d}"
        folder.mkdir()
        entries = []
        for c in range(clips):
            seconds = rng.uniform(0.5, 18.0)
            entries.append(
                {
                    "id": f"s{s:03d}_{c:04d}",
                    "speaker": f"spk{rng.randrange(SPEAKERS):02d}",
                    "duration": round(seconds, 3),
                    "snr": round(rng.gauss(18, 6), 2),
                    "text": " ".join(rng.choices(WORDS, k=int(seconds * 2) + 1)),
                    "tags": rng.sample(["indoor", "outdoor", "phone", "studio", "car"], 2),
                }
            )
        lines = [f"session: {s}", "sample_rate: 16000", "clips:"]
        for e in entries:
            lines.append(f"- id: {e['id']}")
            lines += [f"  {k}: {json.dumps(e[k])}" for k in ("speaker", "duration", "snr", "text", "tags")]
        (folder / "meta.yaml").write_text("\n".join(lines) + "\n")
        rms = np.random.default_rng(s).uniform(0.0, 0.3, clips).astype(np.float32)
        np.save(folder / "rms.npy", rms)


def load_session(folder):
    with open(folder / "meta.yaml") as fh:
        meta = yaml.safe_load(fh)
    rms = np.load(folder / "rms.npy")
    for clip, level in zip(meta["clips"], rms.tolist()):
        clip["rms"] = level
        clip["session"] = meta["session"]
        yield clip


def keep(clip):
    return 1.0 <= clip["duration"] <= 16.0 and clip["snr"] > 8.0 and clip["rms"] > 0.02


def normalise(text):
    return "".join(ch for ch in text.lower() if ch.isalnum() or ch == " ").strip()


def bucketize(clips, edges=(2, 4, 6, 8, 12, 16)):
    buckets = defaultdict(list)
    index = np.searchsorted(edges, [c["duration"] for c in clips])
    for clip, b in zip(clips, index.tolist()):
        buckets[b].append(clip)
    return buckets


def main(sessions=85, clips=200):
    rng = random.Random(5)
    with tempfile.TemporaryDirectory() as tmp:
        root = Path(tmp)
        write_corpus(root, sessions, clips, rng)
        start = time.time()
        kept, seen = [], 0
        for folder in sorted(root.iterdir()):
            for clip in load_session(folder):
                seen += 1
                if keep(clip):
                    clip["text"] = normalise(clip["text"])
                    kept.append(clip)
        hours = sum(c["duration"] for c in kept) / 3600
        vocab = Counter(w for c in kept for w in c["text"].split())
        for b, items in sorted(bucketize(kept).items()):
            with open(root / f"bucket_{b}.jsonl", "w") as fh:
                fh.writelines(json.dumps(c) + "\n" for c in items)
            print(f"bucket {b}: {len(items)} clips")
        print(f"kept {len(kept)}/{seen}, {hours:.1f} h, {len(vocab)} words, {time.time() - start:.1f}s")


if __name__ == "__main__":
    main()
