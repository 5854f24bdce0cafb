"""The tools about several runs, about settings, and about what a name means."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from diagnostics.addresses import shown
from diagnostics.api import UnreadableRun, diagnose
from diagnostics.catalogue import Page, pages_about
from diagnostics.comparison import LETTERS, MOST_RUNS, SideBySide, side_by_side
from diagnostics.configs.config_files import (
    UnreadableConfigurationError,
    Wishes,
    setup_of_file,
    setup_of_run,
)
from diagnostics.mcp.answers import Document, ToolProblem, name, untrusted
from diagnostics.mcp.opening import Library, read
from diagnostics.model.outcome import Outcome, Verdict, fired_worst_first
from diagnostics.model.run import Run
from diagnostics.remote.following import bring_run, copied_paths
from diagnostics.rules import evaluate
from diagnostics.run_filter.facts import facts_of
from diagnostics.run_filter.filter import Filter
from diagnostics.run_filter.parser import FilterError, parse
from diagnostics.wording.findings import fix_line
from diagnostics.wording.messages import message_text, message_with_rule
from diagnostics.wording.runs import state
from diagnostics.wording.severities import verdict_word
from diagnostics.wording.side_by_side import (
    change_text,
    figure_title,
    reading_text,
    setting_value_text,
    side_by_side_notes,
    verdict_in_a_sentence,
)
from diagnostics.wording.steps import progress
from diagnostics.wording.verdicts import verdict_headline

MOST_LISTED = 50
_MOST_FILTERED = 500  # runs that a filter diagnoses in one call


def runs_below(library: Library, path: str, chosen: str, count: int) -> Document:
    """The runs below a path, the newest first; with a filter only those that fit, each with its verdict."""
    most = min(count, MOST_LISTED)
    refs = library.refs(path)
    found, problems = list[Run](), list[Document]()
    read = refs[:_MOST_FILTERED]
    for ref, item in zip(read, library.read_all(read), strict=True):
        if isinstance(item, Run):
            found.append(item)
        else:
            problems.append({"run": shown(ref.path), "error": untrusted(str(item), 400)})
    found.sort(key=lambda run: -(run.newest_time or run.created or 0.0))
    rows = [_row(run) for run in found[:most]] if not chosen else list(islice(_fitting(found, _filter(chosen)), most))
    return {
        "runs": rows,
        "found": len(refs),
        "shown": len(rows),
        "unreadable": problems[:10],
        "not_answering": [untrusted(sentence, 400) for sentence in library.silences(path)],
    }


def _row(run: Run) -> Document:
    return {
        "run": shown(run.path),
        "name": name(run.name),
        "algorithm": run.algorithm,
        "producer": run.producer,
        "state": state(run),
        "progress": progress(run),
    }


def _filter(text: str) -> Filter:
    try:
        return parse(text)
    except FilterError as error:
        raise ToolProblem(f"the filter cannot be read: {error}") from error


def _fitting(runs: list[Run], chosen: Filter) -> Iterator[Document]:
    for run in runs:
        diagnosis = diagnose(run)
        headline = verdict_headline(diagnosis)
        facts = facts_of(run, diagnosis, verdict_word(diagnosis.verdict), headline)
        if chosen.matches(replace(facts, name=run.name)):
            yield {**_row(run), "verdict": diagnosis.verdict, "says": headline}


def compare_runs(library: Library, paths: list[str]) -> Document:
    """Runs side by side, the first of which is the baseline."""
    refs = [ref for path in dict.fromkeys(paths) for ref in library.refs(path)]
    if not 2 <= len(refs) <= MOST_RUNS:
        raise ToolProblem(f"a comparison takes 2 to {MOST_RUNS} runs, and these paths hold {len(refs)}")
    side = side_by_side([diagnose(read(ref)) for ref in refs])
    letters = [LETTERS[place] for place in range(len(side.runs))]
    return {
        "runs": [
            {
                "letter": letter,
                "run": shown(item.run.path),
                "verdict": f"{item.verdict}: {verdict_in_a_sentence(item)}",
            }
            for letter, item in zip(letters, side.diagnoses, strict=True)
        ],
        "step": side.step,
        "figures": {
            figure_title(figure.metric, side.step or 0): {
                letter: " ".join(filter(None, (reading_text(reading, side.step or 0), change_text(change))))
                for letter, reading, change in zip(letters, figure.readings, figure.changes, strict=True)
            }
            for figure in side.figures
        },
        "settings_that_differ": _settings(side, letters),
        "seed_groups": [[LETTERS[place] for place in group] for group in side.seed_groups],
        "notes": [untrusted(note, 400) for note in side_by_side_notes(side)],
    }


def _settings(side: SideBySide, letters: list[str]) -> Document:
    return {
        row.argument: {
            letter: untrusted(setting_value_text(item), 200) for letter, item in zip(letters, row.values, strict=True)
        }
        for row in side.settings.differing
    }


def preflight(library: Library, path: str) -> Document:
    """What the settings of a configuration file or of a run are worth a look for; nothing is run."""
    place = library.place(path)
    try:
        bring_run(place, copied_paths(place))
        setup = setup_of_run(library.run(path), Wishes()) if place.is_dir() else setup_of_file(place, Wishes())
    except (UnreadableConfigurationError, UnreadableRun) as error:
        raise ToolProblem(str(error)) from error
    outcomes = evaluate(setup, {})
    return {
        "path": shown(place),
        "algorithm": setup.algorithm,
        "producer": setup.producer,
        "findings": [_setting_found(outcome) for outcome in fired_worst_first(outcomes)],
        "quiet": sum(outcome.verdict is Verdict.QUIET for outcome in outcomes),
        "could_not_be_checked": [
            f"{outcome.rule}: {message_text(outcome.enable)}"
            for outcome in outcomes
            if outcome.verdict is Verdict.SKIPPED
        ],
    }


def _setting_found(outcome: Outcome) -> Document:
    return {
        "severity": outcome.severity,
        "says": untrusted(message_with_rule(outcome), 600),
        "fixes": [fix_line(fix) for fix in outcome.fixes],
        "source": outcome.source,
    }


def explain(wanted: str) -> Document:
    """What a rule, a cause or a metric means."""
    pages = pages_about(wanted)
    if not pages:
        raise ToolProblem(f"there is no rule, cause or metric called {name(wanted)!r}")
    return {"pages": [_page(page) for page in pages]}


def _page(page: Page) -> Document:
    return {"name": page.name, "kind": page.kind, "says": page.sentence, **page.facts, **page.sections}
