"""A diagnosis with something in every field."""

from perfproof.core.diagnosis import Abstained, Diagnosis, Downgraded, Finding, Input, Proof, Steps


def sample(**fields):
    finding = Finding(
        rule="input_bound",
        title="the step waits for its input",
        confidence="medium",
        evidence=[Proof(text="35 % of the step in <loader> & | co_", place="rank 0, 1.0 ms from the trace's start")],
        share=0.354,
        advice="prepare batches ahead",
        experiment="perfproof ab --a 'python train.py' --b 'python train.py --synthetic-input'",
        refuted_by="as slow with a cached batch",
    )
    second = finding.model_copy(update={"rule": "spills", "share": 0.05, "share_of": "profiled kernels"})
    third = finding.model_copy(update={"rule": "throttling", "share": None, "confidence": "low"})
    values = {
        "perfproof_version": "1.2",
        "made": "2026-01-02T03:04:05Z",
        "inputs": [
            Input(path="runs/trace.json", what="trace (kineto)", rank=0),
            Input(path="x.md", what="left out: no"),
        ],
        "steps": [Steps(rank=0, source="ProfilerStep ranges", found=5, used=3, mean_seconds=0.00123)],
        "unprofiled_step_seconds": 0.001,
        "findings": [finding, second, third],
        "abstained": [Abstained(rule="gpu_idle", missing="a GPU"), Abstained(rule="host_sync", missing="a GPU")],
        "downgraded": [Downgraded(rule="spills", by="throttling", was="high", now="medium", reason="hot")],
        "silent": ["straggler"],
        "warnings": ["trace.json: 3 events could not be read"],
    }
    return Diagnosis(**values | fields)
