"""What `perfproof --help` prints: the commands by task, one line each, without importing any of them."""

from perfproof.cli.folder import command_files, first_line, place
from perfproof.cli.width import text_width
from perfproof.report.text import listed

GROUPS = {
    "Measure": "time two versions of something",
    "Read": "look at results",
    "Keep": "watch results over time",
    "Profile": "find out where the time goes",
    "Plan": "calculate before you measure",
    "Machine": "know the hardware",
    "Serve": "run a model server",
    "Shell": "type less",
}
OTHER = "Other"
HEAD = """Usage: perfproof COMMAND [OPTIONS] [ARGUMENTS]

Prove performance claims: checked answers, paired
measurement, an interval, and the evidence.
"""
FOOT = """
First steps: perfproof ab 'sleep 0.01' 'sleep 0.02'
             perfproof run ch01:batched_gemm
Code of your own: perfproof new my_pair,
                  then perfproof run my_pair.py.

Options:
  -h, --help     This list, or the options of a command:
                 perfproof run -h
  -V, --version  Print the version and exit.
"""


def front_page() -> str:
    files = command_files()
    width = text_width()
    groups: dict[str, list[tuple[int, str]]] = {}
    for name, path in files.items():
        group, number = place(path)
        groups.setdefault(group if group in GROUPS else OTHER, []).append((number, name))
    lines = [HEAD]
    for group in (*GROUPS, OTHER):
        if group in groups:
            lines.append(f"{group}: {GROUPS[group]}" if group in GROUPS else group)
            lines += listed([(name, first_line(files[name])) for _, name in sorted(groups[group])], width)
            lines.append("")
    return "\n".join(lines[:-1]) + "\n" + FOOT.rstrip()
