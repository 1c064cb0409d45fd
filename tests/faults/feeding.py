"""A step beside a thread that feeds it: what `gil_bound.py` has py-spy watch. It ends by itself.

The step's own calls release the interpreter's lock (checksums of large buffers stand for launches), and get it back
only when the feeder, which parses text in Python, lets it go. It works for a time of the processor, not of the clock:
on a machine with other work it is watched for longer.
"""

import threading
import time
import zlib

SECONDS = 1.5
WORDS = ",".join(map(str, range(2_000)))


def feed(stop: threading.Event) -> None:
    while not stop.is_set():
        [float(word) for word in WORDS.split(",")]


def main() -> None:
    stop, batch = threading.Event(), bytes(2**22)
    feeder = threading.Thread(target=feed, args=(stop,), name="feeder")
    feeder.start()
    while time.process_time() < SECONDS:
        zlib.crc32(batch)
    stop.set()
    feeder.join()


if __name__ == "__main__":
    main()
