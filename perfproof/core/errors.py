"""Every way perfproof can refuse, as one tree.

PerfproofError            exit 1   one line: what, where, why, what to do
├── UsageError            exit 2   options or arguments that make no sense
├── ContractError         exit 2   a file that breaks the pair contract
├── DocumentError         exit 2   a saved document that cannot be read
├── UnfitError            exit 3   the environment is not fit to measure
├── WorkerError           exit 4   a target crashed or ran out of time
│   ├── WorkerCrashed
│   ├── WorkerTimeout
│   └── WorkerLied                 the parent's own observations contradict a worker's claims
├── CudaError             exit 1   a .cu file that does not compile, a kernel that cannot be launched
└── NothingMatched        exit 5   no target of that name
"""


class PerfproofError(Exception):
    exit_code = 1


class UsageError(PerfproofError):
    exit_code = 2


class ContractError(PerfproofError):
    """A pair file that cannot be used as it is: `where` is the file (and line), `what` one line with the remedy."""

    exit_code = 2

    def __init__(self, where: str, what: str):
        self.where, self.what = where, what
        super().__init__(f"{where}: {what}")


class DocumentError(PerfproofError):
    exit_code = 2


class UnfitError(PerfproofError):
    exit_code = 3


class WorkerError(PerfproofError):
    exit_code = 4


class WorkerCrashed(WorkerError):
    pass


class WorkerTimeout(WorkerError):
    pass


class WorkerLied(WorkerError):
    exit_code = 1


class NothingMatched(PerfproofError):
    exit_code = 5
