"""A small trace of a GPU as torch writes it: three steps that wait for input, copy, compute, synchronise and talk."""

STEP_US = 3000


def gpu_trace(steps=3, name="gemm_kernel"):
    events = []

    def add(category, what, start, took, thread=1, **args):
        event = {"ph": "X", "cat": category, "name": what, "ts": start, "dur": took, "pid": 10, "tid": thread}
        events.append(event | {"args": args})

    def launched(call, at, category, what, start, took, stream=7):
        number = len(events) + 1
        add("cuda_runtime", call, at, 6, correlation=number)
        add(category, what, start, took, stream, device=0, stream=stream, correlation=number)

    for number in range(steps):
        begin = 1000 + number * STEP_US
        add("user_annotation", f"ProfilerStep#{number}", begin, 2900)
        add("user_annotation", "enumerate(DataLoader)#__next__", begin + 5, 600)
        add("cpu_op", "aten::to", begin + 610, 60)
        launched("cudaMemcpyAsync", begin + 640, "gpu_memcpy", "Memcpy HtoD", begin + 660, 220)
        add("cpu_op", "aten::linear", begin + 680, 40)
        launched("cudaLaunchKernel", begin + 690, "kernel", name, begin + 885, 315)
        add("cpu_op", "aten::item", begin + 730, 480)
        add("cuda_runtime", "cudaStreamSynchronize", begin + 740, 465)
        launched("cudaLaunchKernel", begin + 1390, "kernel", name, begin + 1400, 1000)
        launched("cudaLaunchKernel", begin + 1395, "kernel", "ncclDevKernel_AllReduce", begin + 2300, 600, stream=20)
    return {"deviceProperties": [], "traceEvents": events}
