"""`rlvitals diagnose`: the verdict on every run below the given paths, and an exit code that a script can use."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from diagnostics.api import UnreadableRun, diagnose, open_run
from diagnostics.cli.command import (
    BAD_INPUT,
    CommandError,
    add_output,
    command_parser,
    output_style,
    print_note,
    write_result,
)
from diagnostics.cli.limits_file import read_limits
from diagnostics.cli.reading import add_map, log_path, names_of, open_runs
from diagnostics.comparison import compare
from diagnostics.language import _
from diagnostics.model.diagnosis import Diagnosis, LimitOverrides, UnknownLimitError
from diagnostics.model.outcome import Severity
from diagnostics.producers.own_names import OwnNames
from diagnostics.report.forms import FORMS, rendered
from diagnostics.report.report import Problem, Report
from diagnostics.runlog.parent import find_parent
from diagnostics.told import reason

_REACHED = 1


def run(words: Sequence[str]) -> int:
    """0 · 1 when something fired at --fail-on or above · 2 when a path could not be read (it wins over 1)."""
    arguments = _parser().parse_args(words)
    limits = read_limits(arguments.limits) if arguments.limits else None
    try:
        report = _report(arguments.paths, limits, names_of(arguments.map))
    except UnknownLimitError as error:
        raise CommandError(f"{arguments.limits}: {reason(error)}") from error
    for problem in report.problems:
        print_note(f"rlvitals: {problem.error}")
    if text := rendered(report, arguments.format, output_style(arguments.output)):
        write_result(text, arguments.output)
    return _exit_code(report, Severity(arguments.fail_on))


def _report(paths: Sequence[Path], limits: LimitOverrides | None, names: OwnNames | None) -> Report:
    found = list(open_runs(paths, names))
    diagnoses = tuple(diagnose(item, limits) for item in found if not isinstance(item, Problem))
    return Report(
        diagnoses=diagnoses,
        problems=tuple(item for item in found if isinstance(item, Problem)),
        comparisons={child.run.path: compare(child, parent) for child, parent in _with_parents(diagnoses, limits)},
    )


def _with_parents(
    diagnoses: Sequence[Diagnosis], limits: LimitOverrides | None
) -> Iterator[tuple[Diagnosis, Diagnosis]]:
    """Relaunched runs with their parents, which are among these or found on disk."""
    by_id = {diagnosis.run.run_id: diagnosis for diagnosis in diagnoses}
    for child in diagnoses:
        if child.run.parent is not None and child.run.parent in by_id:
            yield child, by_id[child.run.parent]
        elif path := find_parent(child.run):
            with suppress(UnreadableRun):  # not asked for: the report says that it was not found
                yield child, diagnose(open_run(path), limits)


def _exit_code(report: Report, fail_on: Severity) -> int:
    if report.problems:
        return BAD_INPUT
    return _REACHED if report.worst is not None and report.worst.rank >= fail_on.rank else 0


def _parser() -> argparse.ArgumentParser:
    arguments = command_parser(
        "diagnose",
        _("Say what is wrong with every run below these paths, since when, and what to try."),
        (
            "rlvitals diagnose runs/a",
            "rlvitals diagnose runs --fail-on warning --format markdown --output report.md",
            "rlvitals diagnose runs/a --format html --output report.html",
            "rlvitals diagnose runs/a --limits my.toml     with [kl-too-high] and a limit = value below it",
        ),
    )
    arguments.add_argument(
        "paths", metavar="PATH", nargs="+", type=log_path, help=_("a run, or a folder that holds runs")
    )
    arguments.add_argument(
        "--fail-on",
        choices=[severity.value for severity in Severity],
        default=Severity.CRITICAL.value,
        help=_("exit with 1 when something this bad is found (default: critical)"),
    )
    arguments.add_argument("--limits", metavar="FILE.toml", type=Path, help=_("limits of your own, by rule"))
    add_map(arguments)
    add_output(arguments, FORMS)
    return arguments
