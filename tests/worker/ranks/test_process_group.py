"""What a forked rank finds in its environment: what torchrun would have put there."""

from perfproof.worker.ranks.process_group import environment


def test_a_forked_rank_has_torchrun_s_environment():
    found = environment(1, 2, 1234)
    assert {name: found[name] for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK")} == {
        "RANK": "1",
        "LOCAL_RANK": "1",
        "WORLD_SIZE": "2",
        "LOCAL_WORLD_SIZE": "2",
        "GROUP_RANK": "0",
    }
    assert (found["MASTER_ADDR"], found["MASTER_PORT"]) == ("127.0.0.1", "1234")
