"""`rlvitals runs`: every run below the given paths, with its state and progress."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from diagnostics.cli.command import BAD_INPUT, add_output, command_parser, output_style, print_note, write_result
from diagnostics.cli.reading import add_map, names_of, open_runs
from diagnostics.model.run import Run
from diagnostics.report.report import Problem
from diagnostics.report.run_fields import run_fields
from diagnostics.report.table_forms import Table
from diagnostics.wording.runs import state
from diagnostics.wording.steps import progress

_COLUMNS = {
    "state_in_words": "State",
    "name": "Name",
    "format": "Format",
    "producer": "Producer",
    "algorithm": "Algorithm",
    "progress": "Progress",
    "path": "Path",
}


def run(words: Sequence[str]) -> int:
    """0, or 2 when a path could not be read; the others are still listed."""
    arguments = command_parser("runs", "List every run found below these paths.", ("rlvitals runs runs sample_runs",))
    arguments.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="a folder that holds runs, or a run")
    add_map(arguments)
    add_output(arguments)
    given = arguments.parse_args(words)
    found = list(open_runs(given.paths, names_of(given.map)))
    problems = [item for item in found if isinstance(item, Problem)]
    rows = [_row(item) for item in found if isinstance(item, Run)]
    for problem in problems:
        print_note(f"rlvitals: {problem.error}")
    table = Table("runs", _COLUMNS, rows, codes=frozenset({"path"}))
    errors = [{"path": problem.path, "error": problem.error} for problem in problems]
    if rows or given.format == "json":
        write_result(table.render(given.format, output_style(given.output), errors=errors), given.output)
    return BAD_INPUT if problems else 0


def _row(found: Run) -> dict[str, Any]:
    return {
        **run_fields(found),
        "state_in_words": state(found),
        "format": list(dict.fromkeys(source.format for source in found.sources)),
        "progress": progress(found),
    }
