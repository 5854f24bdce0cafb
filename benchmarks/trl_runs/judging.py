"""One judged cell: its label by outcome, its diagnosis in the drawn form, and the verdict in every form."""

import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np

from benchmarks.detecting.intervals import t_test
from benchmarks.detecting.judging import findings, watch_run
from benchmarks.detecting.result_cache import JUDGING, WATCHING, cached, key, version
from benchmarks.trl_runs import forms, labels
from benchmarks.trl_runs.cells import Cell
from benchmarks.trl_runs.forms import forms_of, log_of
from benchmarks.trl_runs.labels import label
from benchmarks.trl_runs.training import is_trained, read_outcome, run_folder
from diagnostics.api import UnreadableRun, diagnose, open_run
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.messages import render
from diagnostics.model.outcome import Verdict
from diagnostics.model.run import Run
from diagnostics.texts import templates

LOOKS = 40
"""How often a growing run is looked at, evenly spaced: long runs are judged as often as short ones."""
SHOWN_P = 0.001
"""A metric shows a fault if it differs from the twin's at this level; ten to thirty metrics are compared."""
READING = ("readers", "assemble")
"""Packages of `diagnostics` that decide what is read of a log, whatever its form."""
_SOURCES = (Path(__file__), Path(labels.__file__), Path(forms.__file__))


def judged(cache: Path, cells: Sequence[Cell], processes: int) -> Iterator[dict[str, Any]]:
    """The result of each cell whose run and whose twin's run are trained, in the order given."""
    whole = [cell for cell in cells if is_trained(cache, cell) and is_trained(cache, cell.twin)]
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(partial(_result, cache), whole)


def judging_version() -> str:
    """A digest of all that decides a result, apart from the run."""
    return version((*READING, *JUDGING), _SOURCES)


def _result(cache: Path, cell: Cell) -> dict[str, Any]:
    run = run_folder(cache, cell)

    def watch() -> list[dict[str, Any]]:
        return _watch(log_of(cache, cell, cell.form))

    def judge() -> dict[str, Any]:
        file = cache / "watched" / f"{cell.name}.json"
        return _judge(cache, cell, cached(file, key(run, (*READING, *WATCHING), *_SOURCES), watch))

    depends_on = [*key(run, (*READING, *JUDGING), *_SOURCES), run_folder(cache, cell.twin).stat().st_mtime_ns]
    return dict(cached(cache / "judged" / f"{cell.name}.json", depends_on, judge))


def _watch(log: Path) -> list[dict[str, Any]]:
    try:
        return watch_run(open_run(log), LOOKS)
    except UnreadableRun:
        return []


def _judge(cache: Path, cell: Cell, watched: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    outcome = read_outcome(cache, cell)
    twin = None if cell.fault is None else read_outcome(cache, cell.twin)
    given, reason = label(outcome, twin)
    by_form = {form: _diagnosed(log_of(cache, cell, form)) for form in forms_of(cell)}
    chosen = by_form[cell.form]
    return {
        "name": cell.name,
        "cell": {**asdict(cell), "onset": 1, "producer": cell.producer, "device": outcome["device"]},
        "label": given,
        "reason": reason,
        "error": outcome["error"].partition(":")[0],
        "scores": {"before": _mean(outcome["before"]), "after": _mean(outcome["after"])},
        "twin_after": _mean(twin["after"]) if twin else None,
        "cpu_seconds": outcome["cpu_seconds"],
        "episodes": list(watched),
        **(findings(chosen) if isinstance(chosen, Diagnosis) else _unread(chosen)),
        "said": _said(chosen),
        "held": _held(chosen),
        "forms": {form: _in_short(found) | _by_what_all_hold(found, by_form) for form, found in by_form.items()},
        "is_silent": None if twin is None else _is_silent(chosen, _diagnosed(log_of(cache, cell.twin, cell.form))),
        "metrics": _metrics(chosen.run) if isinstance(chosen, Diagnosis) and given == "healthy" else {},
        "limits": _limits(chosen) if isinstance(chosen, Diagnosis) and given == "healthy" else {},
    }


def _diagnosed(log: Path) -> Diagnosis | str:
    """The diagnosis of a log, or why it cannot be read."""
    try:
        return diagnose(open_run(log))
    except UnreadableRun as error:
        return error.sentence.replace(f"{log.parent}/", "")


def _unread(why: str) -> dict[str, Any]:
    return {"verdict": "unreadable", "fired": {}, "skipped": (), "causes": (), "why": {"reader": why}}


def _said(found: Diagnosis | str) -> list[str]:
    """What fired at warning or above, in words."""
    if isinstance(found, str):
        return []
    alarms = [outcome for outcome in found.fired if outcome.severity and outcome.severity.rank]
    return [f"{outcome.rule}: {render(outcome.headline or outcome.message, templates())}" for outcome in alarms]


def _held(found: Diagnosis | str) -> list[str]:
    """What the log holds beside metrics, of settings and samples."""
    if isinstance(found, str):
        return []
    held = {"settings": bool(found.run.config), "samples": bool(found.run.samples.steps)}
    return [name for name, is_held in held.items() if is_held]


def _in_short(found: Diagnosis | str) -> dict[str, str]:
    if isinstance(found, str):
        return {"verdict": "unreadable", "cause": ""}
    return {"verdict": str(found.verdict), "cause": found.causes[0].cause if found.causes else ""}


def _by_what_all_hold(found: Diagnosis | str, by_form: Mapping[str, Diagnosis | str]) -> dict[str, str]:
    """The worst that is found by the rules that every form of the log lets run."""
    if isinstance(found, str):
        return {"worst": ""}
    judged = [
        {outcome.rule for outcome in other.outcomes if outcome.verdict is not Verdict.SKIPPED}
        for other in by_form.values()
        if isinstance(other, Diagnosis)
    ]
    shared = set.intersection(*judged)
    fired = [outcome.severity for outcome in found.fired if outcome.rule in shared and outcome.severity]
    return {"worst": str(max(fired, key=lambda severity: severity.rank)) if fired else ""}


def _is_silent(sick: Diagnosis | str, healthy: Diagnosis | str) -> bool | None:
    """Whether no logged metric differs from the twin's over the second half of both; unknown for an unread log."""
    if isinstance(sick, str) or isinstance(healthy, str):
        return None
    ours, theirs = _second_halves(sick.run), _second_halves(healthy.run)
    return not any(name not in theirs or _differs(values, theirs[name]) for name, values in ours.items())


def _second_halves(run: Run) -> dict[str, list[float]]:
    clocks = ("time", "per_second", "tokens_seen", "episode")
    return {
        name: series.values[len(series.values) // 2 :].tolist()
        for name, series in run.series.items()
        if not any(clock in name for clock in clocks)
    }


def _differs(ours: Sequence[float], theirs: Sequence[float]) -> bool:
    if not all(map(math.isfinite, ours)) or len(ours) < 3:
        return not all(map(math.isfinite, ours))
    usual = [value for value in theirs if math.isfinite(value)]
    return len(usual) >= 3 and t_test(ours, usual) < SHOWN_P


def _metrics(run: Run) -> dict[str, list[float]]:
    """Each metric's first, median, last, least and largest value."""
    found = {}
    for name, series in run.series.items():
        values = series.values[np.isfinite(series.values)].tolist()
        if values:
            five = (values[0], median(values), values[-1], min(values), max(values))
            found[name] = [float(f"{value:.4g}") for value in five]
    return found


def _limits(found: Diagnosis) -> dict[str, list[Any]]:
    """What each rule that ran has measured, beside its limit: [measured, limit, unit]."""
    return {
        outcome.rule: [float(f"{outcome.measured:.4g}"), float(f"{outcome.limit:.4g}"), outcome.unit]
        for outcome in found.outcomes
        if outcome.measured is not None and outcome.limit is not None
    }


def _mean(scores: Sequence[float]) -> float:
    return round(fmean(scores), 4)
