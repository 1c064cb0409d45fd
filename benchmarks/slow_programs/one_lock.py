"""Compress uploads in four threads and count the bytes."""

import os
import threading
import zlib

lock, total = threading.Lock(), 0


def worker(blobs):
    global total
    for blob in blobs:
        with lock:
            total += len(zlib.compress(blob, 9))


data = [os.urandom(200_000) + b"a" * 400_000 for _ in range(120)]
threads = [threading.Thread(target=worker, args=(data[i::4],)) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(total)
