"""A Python command is taken apart as the interpreter itself would take it."""

import pytest

from perfproof.profile.python_program import CHILD, is_launcher, recorded, take_apart


@pytest.mark.parametrize(
    ("command", "flags", "program"),
    [
        ("python train.py --lr 1", "", "train.py --lr 1"),
        ("/usr/bin/python3.12 -u train.py -m x", "-u", "train.py -m x"),
        ("python3 -X importtime -W error -uB a.py", "-X importtime -W error -uB", "a.py"),
        ("python -Xutf8 -m package.tool -v", "-Xutf8", "-m package.tool -v"),
        ("python -mtool", "", "-m tool"),
        ("python -c pass a b", "", "-c pass a b"),
    ],
)
def test_flags_and_program_are_told_apart(command, flags, program):
    assert take_apart(command.split()) == (tuple(flags.split()), tuple(program.split()), "")


def test_the_recording_is_put_between_the_flags_and_the_program():
    command, why = recorded(["python", "-u", "train.py", "--lr", "1"])
    assert command == ("python", "-u", str(CHILD), "train.py", "--lr", "1") and not why


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("./train.sh", "train.sh is no Python interpreter"),
        ("pythonic a.py", "pythonic is no Python interpreter"),
        ("torchrun --nproc-per-node 2 a.py", "use --tool trace-ranks"),
        ("python -m torch.distributed.run a.py", "use --tool trace-ranks"),
        ("python", "is given no program"),
        ("python -u", "is given no program"),
        ("python -", "is given no program"),
        ("python -m", "-m names nothing"),
    ],
)
def test_what_cannot_be_recorded_from_inside_says_what_to_use(command, said):
    assert recorded(command.split())[0] == () and said in recorded(command.split())[1]


def test_a_launcher_is_known_by_its_name_or_module():
    assert is_launcher(["/opt/bin/torchrun", "a.py"]) and is_launcher(["python", "-m", "torch.distributed.run"])
    assert not is_launcher(["python", "torchrun.py"])
