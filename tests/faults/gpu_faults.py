"""The faults that need a GPU to be recorded, each with the rule that has to name it."""

TRACED = {
    "pageable_copies": "pageable_copies",
    "copies_in_turn": "copies_not_overlapped",
    "sync_in_loop": "host_sync",
    "launch_bound": "launch_bound",
    "small_kernels": "small_kernels",
    "full_precision": "wrong_precision",
    "gpu_input_bound": "input_bound",
    "gpu_allocator_churn": "allocator_churn",
}
COUNTED = {"memory_bound": "memory_bound", "compute_bound": "compute_bound"}
HEALTHY = "gpu_healthy"
