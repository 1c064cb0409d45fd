"""A Python command taken apart, so that its program can be run inside a recording: `python -u train.py --lr 1`."""

import re
from collections.abc import Sequence
from pathlib import Path

CHILD = Path(__file__).parent / "children" / "python_command.py"
INTERPRETER = re.compile(r"python(?:\d(?:\.\d{1,2})?)?(?:\.exe)?")
LAUNCHERS = ("torchrun", "accelerate", "deepspeed", "mpirun", "mpiexec", "srun", "horovodrun")
WITH_VALUE = "XW"  # flags of the interpreter that take a value
RANKS_MODULES = ("torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch")


def recorded(command: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """The command with the recording put around its program; or why that cannot be done, and what to use."""
    flags, program, why = take_apart(command)
    if why:
        return (), why
    return (command[0], *flags, str(CHILD), *program), ""


def take_apart(command: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """The interpreter's flags; the script, module or code with its arguments; or why it is not such a command."""
    name = Path(command[0]).name
    if is_launcher(command):
        return (), (), f"{name} starts ranks, each a program of its own: use --tool trace-ranks"
    if not INTERPRETER.fullmatch(name):
        return (
            (),
            (),
            f"{name} is no Python interpreter: write `python script.py ...`, or use --tool nsys or --tool perf",
        )
    place = 1
    flags: list[str] = []
    while place < len(command) and (word := command[place]).startswith("-") and len(word) > 1:
        if word[1] in "mc":
            program = (word[:2], word[2:]) if len(word) > 2 else tuple(command[place : place + 2])
            rest = tuple(command[place + (1 if len(word) > 2 else 2) :])
            return (tuple(flags), (*program, *rest), "") if len(program) == 2 else ((), (), f"{word} names nothing")
        flags.append(word)
        if word[-1] in WITH_VALUE and len(word) == 2 and place + 1 < len(command):
            place += 1
            flags.append(command[place])
        place += 1
    if place >= len(command) or command[place] == "-":
        return (), (), f"{name} is given no program: name a script, -m MODULE or -c CODE"
    return tuple(flags), tuple(command[place:]), ""


def is_python(command: Sequence[str]) -> bool:
    return not take_apart(command)[2]


def is_launcher(command: Sequence[str]) -> bool:
    """Does it start the ranks of a job?"""
    return Path(command[0]).name in LAUNCHERS or any(word in RANKS_MODULES for word in command[1:6])
