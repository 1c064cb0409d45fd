"""A rank that torchrun started, as a warm parent: `torchrun --nproc-per-node N -m perfproof.worker.ranks.rank_main`.

It calls the run over the socket that the environment names, shows the key that it found there, and from then on forks
workers as every warm parent does: each of them is this rank, with the environment that torchrun gave it.
"""

import os
import socket

from perfproof.core.parent_death import end_with_parent
from perfproof.worker.warm_parent import stand_by

LINE, KEY = "PERFPROOF_RANK_LINE", "PERFPROOF_RANK_KEY"


def main() -> None:
    end_with_parent()
    line, key = os.environ.pop(LINE), os.environ.pop(KEY)
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    control.connect(line)
    stand_by(control, {"rank": int(os.environ["RANK"]), "key": key})


if __name__ == "__main__":
    main()
