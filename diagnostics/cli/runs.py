"""`rlvitals runs`: every run below the given paths, with its state and progress."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from diagnostics.annotations import NO_ANNOTATION, Annotation, AnnotationError, Annotations
from diagnostics.api import diagnose
from diagnostics.cli.cluster_jobs import jobs_below, unreadable, with_jobs
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
from diagnostics.language import N_, _
from diagnostics.model.cost import Cost
from diagnostics.model.run import Run
from diagnostics.report.cost import cost_document
from diagnostics.report.run_fields import run_fields
from diagnostics.report.table_forms import Table
from diagnostics.run_filter.facts import RunFacts, facts_of
from diagnostics.run_filter.filter import Filter
from diagnostics.run_filter.hint import hint
from diagnostics.run_filter.parser import FilterError, parse
from diagnostics.wording.costs import cost_in_short
from diagnostics.wording.run_names import distinct_names
from diagnostics.wording.runs import state
from diagnostics.wording.severities import verdict_word
from diagnostics.wording.steps import progress
from diagnostics.wording.verdicts import verdict_headline

_COLUMNS = {
    "state_in_words": N_("State"),
    "distinct_name": N_("Name"),
    "format": N_("Format"),
    "producer": N_("Producer"),
    "algorithm": N_("Algorithm"),
    "progress": N_("Progress"),
    "path": N_("Path"),
}
_WITH_COST = {"cost_in_words": N_("Cost"), **_COLUMNS}
_SORTS = ("found", "cost")


@dataclass(frozen=True, slots=True)
class NamedRun:
    """A run under a name that no other of the list has, with what its user says of it."""

    run: Run
    name: str
    annotation: Annotation


def run(words: Sequence[str]) -> int:
    """0, or 2 when a path could not be read; the others are still listed."""
    arguments = command_parser(
        "runs", _("List every run found below these paths."), ("rlvitals runs runs sample_runs",)
    )
    arguments.add_argument(
        "paths", metavar="PATH", nargs="+", type=log_path, help=_("a folder that holds runs, or a run")
    )
    arguments.add_argument(
        "--sort",
        choices=_SORTS,
        default=_SORTS[0],
        help=_(
            "as found (the default), or by what a sick run cost after the onset, the most expensive first, which takes "
            "a diagnosis of each: by GPU-hours, or hours where the GPUs are not known, then by steps"
        ),
    )
    arguments.add_argument(
        "--filter",
        metavar="TEXT",
        type=_filter,
        help=_(
            "only runs that fit, as in {example}, which takes a diagnosis of each; one that begins with a minus is "
            "written {minus}; archived runs fit a filter with {archived} alone"
        ).format(
            example='"verdict:critical learning_rate>1e-4 -state:failed"',
            minus="--filter=-state:failed",
            archived="is:archived",
        ),
    )
    add_map(arguments)
    add_output(arguments)
    given = arguments.parse_args(words)
    found = list(open_runs(given.paths, names_of(given.map)))
    jobs = jobs_below(given.paths)
    problems = unreadable(found, jobs)
    runs = _named([item for item in found if isinstance(item, Run)])
    if given.filter is not None:
        runs = _filtered(runs, given.filter)
    by_cost = given.sort == "cost"
    rows = _rows_by_cost(runs) if by_cost else [_row(item) for item in runs]
    for problem in problems:
        print_note(f"rlvitals: {problem.error}")
    table = Table("runs", _WITH_COST if by_cost else _COLUMNS, rows, codes=frozenset({"path"}))
    errors = [{"path": problem.path, "error": problem.error} for problem in problems]
    if given.format == "json":
        write_result(table.json(errors=errors, jobs=jobs), given.output)
    elif rows or jobs:
        shown = table.render(given.format, output_style(given.output)) if rows else ""
        write_result(with_jobs(shown, jobs), given.output)
    return BAD_INPUT if problems else 0


def _filter(text: str) -> Filter:
    try:
        return parse(text)
    except FilterError as error:
        raise CommandError(f"--filter: {error}") from error


def _named(runs: Sequence[Run]) -> list[NamedRun]:
    """The runs under names that tell them apart, with what their user says of them."""
    try:
        said = Annotations.of_user().of_runs([item.path for item in runs])
    except AnnotationError as error:
        print_note(f"rlvitals: {error}")
        said = [NO_ANNOTATION for _ in runs]
    names = distinct_names([(item.name, item.path) for item in runs])
    return list(map(NamedRun, runs, names, said))


def _filtered(runs: Sequence[NamedRun], chosen: Filter) -> list[NamedRun]:
    """The runs that fit; where none does, a note says what would."""
    facts = [_facts(item) for item in runs]
    if nothing := hint(chosen, facts):
        print_note(nothing)
    return [item for item, fact in zip(runs, facts, strict=True) if chosen.matches(fact)]


def _facts(item: NamedRun) -> RunFacts:
    diagnosis = diagnose(item.run)
    facts = facts_of(item.run, diagnosis, verdict_word(diagnosis.verdict), verdict_headline(diagnosis))
    said = item.annotation
    return replace(facts, name=item.name, tags=said.tags, note=said.note, is_archived=said.is_archived)


def _rows_by_cost(runs: Iterable[NamedRun]) -> list[dict[str, Any]]:
    """The rows with what each run cost, the most expensive first; those that are not sick follow, as found."""
    found = sorted(((diagnose(item.run).cost, item) for item in runs), key=lambda pair: _size(pair[0]), reverse=True)
    return [{**_row(item), "cost": cost_document(cost), "cost_in_words": cost_in_short(cost)} for cost, item in found]


def _size(cost: Cost | None) -> tuple[float, int]:
    return cost.size if cost else (0.0, 0)


def _row(item: NamedRun) -> dict[str, Any]:
    found, said = item.run, item.annotation
    return {
        **run_fields(found),
        "distinct_name": item.name,
        "tags": list(said.tags),
        "note": said.note,
        "is_archived": said.is_archived,
        "state_in_words": state(found),
        "format": list(dict.fromkeys(source.format for source in found.sources)),
        "progress": progress(found),
    }
