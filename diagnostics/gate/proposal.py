"""A gate proposed from baseline runs: what they log and what holds in all of them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import tomlkit
from tomlkit.items import Table

from diagnostics.gate.gate_file import Budget, Expected, Gate, GateError, RatioBudget, Worse
from diagnostics.gate.intervals import Side
from diagnostics.gate.judging import Measure, side_of
from diagnostics.gate.readings import Window, logarithm_of, mean_of
from diagnostics.language import _
from diagnostics.model.algorithms import MAIN_REWARD
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run

WINDOW_SHARE = 0.25  # of the steps that all baseline runs reached, at their end
_WATCHED: Mapping[str, Worse] = {
    "kl_per_token": "higher",
    "kl_per_sequence": "higher",
    "entropy_per_token": "either",
    "truncated_fraction": "higher",
}
"""Beside the main reward. Each further metric costs the others some power, so there are few."""
_FIRST_STEP: Mapping[str, Expected] = {
    "kl_per_token": Expected(0.0, 1e-3),
    "kl_per_sequence": Expected(0.0, 1e-2),
    "approx_kl": Expected(0.0, 1e-4),
    "policy_kl": Expected(0.0, 1e-4),
    "ratio_mean": Expected(1.0, 1e-3),
}
"""A policy that has not learned yet is its own reference and its own old self, up to rounding."""
_PROPOSED_RATIOS = ("step_time", "memory")
_MOST_RATIO = 1.5  # CI machines are not the same from one day to the next


def propose(baselines: Sequence[Diagnosis]) -> Gate:
    """A gate that the baseline runs meet. Raises GateError where they do not log enough in common."""
    runs = [diagnosis.run for diagnosis in baselines]
    window = _window(runs)
    means: dict[str, Side] = {}
    for name in (_main_reward(runs), *_WATCHED):
        is_logged = all(name in run.series for run in runs)  # what is derived says the same once more
        side = _side(runs, partial(mean_of, metric=name, window=window)) if is_logged else None
        if side is not None and side.variance > 0:  # what never moves has no scatter to judge a difference by
            means[name] = side
    if not means:
        raise GateError(
            _("the baseline runs log no reward, KL or entropy in common; write a gate for what they log by hand")
        )
    return Gate(
        steps=window,
        metrics={name: Budget(_WATCHED.get(name, "lower"), baseline=side) for name, side in means.items()},
        ratios={
            name: RatioBudget(_MOST_RATIO, side)
            for name in _PROPOSED_RATIOS
            if (side := _side(runs, partial(logarithm_of, ratio=name, window=window)))
        },
        first_step={name: due for name, due in _FIRST_STEP.items() if all(_holds(run, name, due) for run in runs)},
        allowed_findings=frozenset(_findings(baselines)),
    )


def _window(runs: Sequence[Run]) -> Window:
    reached = [run.last_step for run in runs if run.last_step is not None]
    if not reached:
        raise GateError(_("the baseline runs log nothing"))
    last = min(reached)
    return max(1, round(last * (1 - WINDOW_SHARE)) + 1 if last > 1 else last), last


def _main_reward(runs: Sequence[Run]) -> str:
    names = MAIN_REWARD.get(runs[0].algorithm, ("reward", "score"))
    return next((name for name in names if all(run.get(name) is not None for run in runs)), "")


def _side(runs: Sequence[Run], measure: Measure) -> Side | None:
    """What all runs measured; None where one of them measured nothing."""
    readings = [measure(run) for run in runs]
    return None if any(reading.problem for reading in readings) else side_of(readings)


def _holds(run: Run, name: str, due: Expected) -> bool:
    series = run.series.get(name)
    return series is not None and bool(abs(series.values[0] - due.value) <= due.tolerance)


def _findings(baselines: Sequence[Diagnosis]) -> Iterator[str]:
    """What the baseline itself shows at warning or above: known, and no news in a candidate."""
    for diagnosis in baselines:
        for finding in diagnosis.findings:
            if finding.severity.rank >= Severity.WARNING.rank:
                yield finding.name


def gate_text(gate: Gate, baselines: Sequence[Run]) -> str:
    """The gate as a file: with what the baseline measured, so that CI needs none of its runs."""
    file = tomlkit.document()
    file.add(tomlkit.comment(f"Written by rlvitals gate --write from {len(baselines)} baseline runs."))
    file.add("steps", _value(gate.steps, "the window: the first and the last step whose mean counts"))
    file.add("false_fail_rate", _value(gate.false_fail_rate, "of the whole gate, over seeds, where nothing changed"))
    file.add("findings", _table({"fail_on": gate.fail_on.value, "allow": sorted(gate.allowed_findings)}))
    if gate.first_step:
        file.add("first_step", _table({name: [due.value, due.tolerance] for name, due in gate.first_step.items()}))
    metrics = {
        name: _table({"worse": item.worse, "allowed": item.allowed, **_stored(item.baseline)})
        for name, item in gate.metrics.items()
    }
    file.add("metrics", _table(metrics, is_super=True))
    ratios = {
        name: _table({"max": item.most, **_stored(item.baseline and _as_measured(item.baseline))})
        for name, item in gate.ratios.items()
    }
    if ratios:
        file.add("ratios", _table(ratios, is_super=True))
    return tomlkit.dumps(file)


def _as_measured(logarithms: Side) -> Side:
    return Side(tuple(map(math.exp, logarithms.values)), logarithms.noise)


def _stored(side: Side | None) -> dict[str, Any]:
    if side is None:
        return {}
    return {"baseline": [_rounded(value) for value in side.values], "noise": _rounded(side.noise)}


def _rounded(value: float) -> float:
    return float(np.format_float_scientific(value, precision=6))


def _table(fields: Mapping[str, Any], *, is_super: bool = False) -> Table:
    table = tomlkit.table(is_super)
    for name, value in fields.items():
        table.add(name, value)
    return table


def _value(value: Any, comment: str) -> Any:
    return tomlkit.item(list(value) if isinstance(value, tuple) else value).comment(comment)
