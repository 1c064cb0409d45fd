"""Name the bottlenecks in profiles, with the evidence.

\b
perfproof profile -- python train.py && perfproof diagnose latest
perfproof diagnose latest --html diagnosis.html   also write a page with pictures
perfproof diagnose trace.json --gate high         exit with 1 if a finding has high confidence

FILES are profiles of any kind, or folders of them: torch traces (also of several ranks), nsys SQLite, ncu raw CSV or
.ncu-rep, telemetry, nvidia-smi dmon, memory snapshots, stacks, logs of torch.compile, ceilings of `perfproof peak`. If
a rule lacks an input, --all names it.
"""

from pathlib import Path
from typing import Annotated

from perfproof.cli.output import Output, check_folders, choose_format, written_to
from perfproof.cli.values import argument, option
from perfproof.cli.width import text_width

PLACE = "Profile 3"  # in perfproof --help


def command(
    files: Annotated[list[str], argument("FILES", "Profile files, folders of profiles, or latest.")],
    unprofiled_step: Annotated[
        float | None, option("--unprofiled-step MS", "Time of one step without a profiler, in milliseconds.")
    ] = None,
    gate: Annotated[
        str | None,
        option("--gate LEVEL", "Exit with 1 if a finding has at least this confidence: low, medium or high."),
    ] = None,
    format: Annotated[str | None, option("--format NAME", "Output format: table, md, html or json.")] = None,
    output: Output = None,
    markdown: Annotated[bool, option("--markdown", "Print Markdown; the same as --format md.")] = False,
    html: Annotated[str | None, option("--html FILE", "Also write an HTML page with pictures to FILE.")] = None,
    every_rule: Annotated[
        bool, option("--all", "Also list the rules that found nothing or lacked input, and the input they need.")
    ] = False,
    json: Annotated[bool, option("--json", "Print the diagnosis as JSON, and nothing else.")] = False,
) -> int:
    from perfproof.cli.show.profile_pictures import pictures_of_all
    from perfproof.core.atomic import write_atomic
    from perfproof.core.diagnosis import CONFIDENCES
    from perfproof.core.errors import UsageError
    from perfproof.diagnose.diagnose import diagnose, exit_code, script_of, with_command
    from perfproof.diagnose.evidence import gather
    from perfproof.diagnose.folders import recorded_command
    from perfproof.history.commits import is_in_commit, is_revision
    from perfproof.history.finding import find_profile
    from perfproof.report import diagnosis_text
    from perfproof.report.html import diagnosis as html_diagnosis

    if json and markdown:
        raise UsageError("--json and --markdown: choose one")
    chosen = choose_format(format or ("md" if markdown else None), json, output, ("table", "md", "html", "json"))
    if unprofiled_step is not None and not 0 < unprofiled_step < float("inf"):
        raise UsageError(f"--unprofiled-step {unprofiled_step}: a time in milliseconds is above 0")
    if gate is not None and gate not in CONFIDENCES:
        raise UsageError(f"--gate {gate!r}: choose {', '.join(CONFIDENCES)}")
    check_folders(html)
    profiles = [find_profile("artifacts", file) for file in files]
    evidence = gather(profiles, None if unprofiled_step is None else unprofiled_step * 1e6)
    command_line = recorded_command(profiles[0])
    script = script_of(command_line)
    is_committed = is_in_commit(Path.cwd(), "HEAD", script) if script else is_revision(Path.cwd(), "HEAD")
    found = with_command(diagnose(evidence), command_line, is_committed)
    if html is not None:
        pictures = pictures_of_all(evidence.tables, evidence.compile_logs)
        write_atomic(Path(html), html_diagnosis.page(found, pictures))
    with written_to(output):
        if chosen == "json":
            print(found.model_dump_json(indent=1))
        elif chosen == "html":
            print(html_diagnosis.page(found, pictures_of_all(evidence.tables, evidence.compile_logs)))
        else:
            text, width = diagnosis_text, text_width()
            print(text.render_markdown(found) if chosen == "md" else text.render(found, width, every_rule), end="")
    return exit_code(found, gate) if gate else 0  # type: ignore[arg-type]  # checked above
