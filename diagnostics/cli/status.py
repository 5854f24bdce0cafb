"""`rlvitals status`: for each run a block of lines for a log or a chat: health, progress, stability, performance."""

from collections.abc import Sequence

from diagnostics.api import diagnose
from diagnostics.cli.cluster_jobs import jobs_below, unreadable, with_jobs
from diagnostics.cli.command import (
    BAD_INPUT,
    add_output,
    command_parser,
    output_style,
    print_note,
    write_result,
)
from diagnostics.cli.reading import add_map, log_path, names_of, open_runs
from diagnostics.language import _
from diagnostics.model.run import Run
from diagnostics.report.status import status_form
from diagnostics.wording.status_block import status_block


def run(words: Sequence[str]) -> int:
    """0, or 2 when a path could not be read; the others are still told. What is wrong with a run changes no code."""
    arguments = command_parser(
        "status",
        _("Say in a few lines whether each run is healthy, degraded or down, how far it is, and when to look next."),
        ("rlvitals status runs/a", _("rlvitals status runs --format markdown    for a chat")),
    )
    arguments.add_argument(
        "paths", metavar="PATH", nargs="+", type=log_path, help=_("a run, or a folder that holds runs")
    )
    add_map(arguments)
    add_output(arguments)
    given = arguments.parse_args(words)
    found = list(open_runs(given.paths, names_of(given.map)))
    jobs = jobs_below(given.paths)
    problems = unreadable(found, jobs)
    for problem in problems:
        print_note(f"rlvitals: {problem.error}")
    blocks = [status_block(diagnose(item)) for item in found if isinstance(item, Run)]
    form = status_form(blocks, problems, given.format, output_style(given.output), jobs)
    if blocks or jobs or given.format == "json":
        write_result(form if given.format == "json" else with_jobs(form, jobs), given.output)
    return BAD_INPUT if problems else 0
