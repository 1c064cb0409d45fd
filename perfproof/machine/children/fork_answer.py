"""Fork as a warm parent does, and hear from the child over a pipe."""

import os
import sys


def main() -> int:
    hears, tells = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        os.write(tells, b"here")
        os._exit(0)
    os.close(tells)
    heard = os.read(hears, 16)
    _, status = os.waitpid(child, 0)
    return 0 if heard == b"here" and status == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
