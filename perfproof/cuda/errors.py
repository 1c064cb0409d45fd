"""What can go wrong between a .cu file and a launched kernel: one line with what, where and what to do."""

from perfproof.core.errors import PerfproofError


class CudaError(PerfproofError):
    pass


class CompileError(CudaError):
    """The compiler refused the source; its log as a whole is kept."""

    def __init__(self, line: str, log: str = ""):
        self.log = log
        super().__init__(line)
