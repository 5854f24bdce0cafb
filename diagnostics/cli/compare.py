"""`rlvitals compare`: runs side by side: what differs in their settings, their verdicts and their figures."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from diagnostics.api import diagnose
from diagnostics.cli.command import (
    BAD_INPUT,
    CommandError,
    add_output,
    command_parser,
    output_style,
    print_note,
    write_result,
)
from diagnostics.cli.reading import add_map, log_path, names_of, open_runs
from diagnostics.comparison import MOST_RUNS, side_by_side
from diagnostics.language import _
from diagnostics.model.run import Run
from diagnostics.producers.own_names import OwnNames
from diagnostics.report.report import Problem
from diagnostics.report.side_by_side import FORMS


def run(words: Sequence[str]) -> int:
    """0, or 2 when a path could not be read; the others are still compared."""
    arguments = command_parser(
        "compare",
        _("Compare runs with the first of them, the baseline: settings that differ, verdicts, figures at one step."),
        ("rlvitals compare runs/a runs/b", "rlvitals compare runs/a runs/b runs/c --step 60 --format markdown"),
    )
    arguments.add_argument(
        "paths", metavar="PATH", nargs="+", type=log_path, help=_("a run, or a folder that holds runs")
    )
    arguments.add_argument(
        "--step", metavar="N", type=int, help=_("the step of the figures (default: the last that all runs reached)")
    )
    add_map(arguments)
    add_output(arguments, FORMS)
    given = arguments.parse_args(words)
    runs, problems = _read(given.paths, names_of(given.map))
    for problem in problems:
        print_note(f"rlvitals: {problem.error}")
    if len(runs) < 2:
        if runs:
            raise CommandError(_("a comparison needs two runs that can be read, and there is one; name another one"))
        raise CommandError(_("a comparison needs two runs that can be read, and there is none; name another one"))
    side = side_by_side([diagnose(item) for item in runs], given.step)
    write_result(FORMS[given.format](side, problems, output_style(given.output)), given.output)
    return BAD_INPUT if problems else 0


def _read(paths: Sequence[Path], names: OwnNames | None) -> tuple[list[Run], list[Problem]]:
    """Each run once, and what could not be read. Raises CommandError for more runs than can be compared."""
    found = list(islice(open_runs(dict.fromkeys(paths), names), MOST_RUNS + 1))
    if len(found) > MOST_RUNS:
        raise CommandError(
            _("these paths hold more than {count} runs, the most that can be compared; name fewer").format(
                count=MOST_RUNS
            )
        )
    runs = {item.path: item for item in found if isinstance(item, Run)}
    return list(runs.values()), [item for item in found if isinstance(item, Problem)]
