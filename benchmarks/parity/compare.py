"""Compares both trainers on the same rollouts: every shared metric, the gradients and the parameters."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.parity import ppo_as_trl
from benchmarks.parity.cases import CASES, LARGEST_DIFFERENCE, Case
from diagnostics.producers.trl.ppo import DILUTED

_CLOCKS = ("step_time", "eps", "epoch")
GRADIENTS, PARAMETERS = "gradients of the first update", "parameters, of the way they went"
LARGEST_PARAMETER_DIFFERENCE = 0.01
"""Adam makes a step of full length from a gradient of 1e-9, whose sign is rounding: parameters cannot be equal."""

_MEAN_OF_MEANS = "TRL averages the means of the passes; ours is over all tokens"
_EXTREME = "TRL averages the extremes of passes and updates; ours is the extreme of them"
_PADDING = "TRL averages over padding too; ours is over real tokens"
_LATE_SCORE = "TRL's score comes one position after the end, where a value is learned too; ours with the last token"
PPO_ALWAYS = {"val/ratio_var": "TRL's variance is over the means of the passes; ours is over tokens"}
PPO_PADDED = {
    "policy/approxkl_avg": _PADDING,
    "policy/entropy_avg": _PADDING,
    "val/ratio": _PADDING,
    "policy/clipfrac_avg": _LATE_SCORE,
    "loss/policy_avg": _LATE_SCORE,
    "loss/value_avg": _LATE_SCORE,
    "val/clipfrac_avg": _LATE_SCORE,
    GRADIENTS: _LATE_SCORE,
    PARAMETERS: _LATE_SCORE,
}
_DIVIDED_AGAIN = (
    "TRL divides by the number of mini-batches once more where gradients accumulate; ours is over what was done"
)
_RARER_UPDATES = "TRL updates after as many passes as accumulate, across mini-batches; ours after each mini-batch"
PPO_SPLIT = {
    **dict.fromkeys(DILUTED, _DIVIDED_AGAIN),
    GRADIENTS: _RARER_UPDATES,
    PARAMETERS: _RARER_UPDATES,
}
PPO_LATER = "the first step's updates differed (see the losses)"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One number from both sides; if they differ on purpose, `reason` says why and `adapted` is what agrees."""

    case: Case
    metric: str
    step: int
    ours: float
    theirs: float
    reason: str = ""
    adapted: float | None = None
    """Ours under TRL's definition, or TRL's recomputed under ours (then to be compared with ours)."""
    is_theirs_adapted: bool = False
    limit: float = LARGEST_DIFFERENCE

    @property
    def difference(self) -> float:
        """|ours − TRL's|, relative where TRL's is above 1."""
        return _difference(self.ours, self.theirs)

    @property
    def remaining(self) -> float:
        """The difference that remains when both use one definition."""
        if self.adapted is None:
            return self.difference
        return _difference(self.adapted, self.ours if self.is_theirs_adapted else self.theirs)

    @property
    def holds(self) -> bool:
        """Whether both sides agree, by their own or by one definition; NaN never agrees."""
        return self.remaining <= self.limit


def compare_all(folder: Path) -> list[Comparison]:
    """Every comparison of every case, from the files of both sides."""
    found: list[Comparison] = []
    for number, case in enumerate(CASES, start=1):
        compare = _compare_ppo if case.algorithm == "ppo" else _compare_groups
        found += compare(case, folder / f"{number:02}")
    return found


def _compare_groups(case: Case, folder: Path) -> Iterator[Comparison]:
    theirs, updates = _trl_metrics(folder), int(case.values.get("num_iterations", 1))
    for step, ours in enumerate(_our_metrics(folder), start=1):
        rows = theirs[(step - 1) * updates : step * updates]
        for metric, value in ours.items():
            given = [row[metric] for row in rows if metric in row]
            if not given or metric in _CLOCKS:
                continue
            reason, adapted = "", None
            if metric.endswith(("low_min", "high_max")) and sum(len(row["passes"][metric]) for row in rows) > 1:
                reason, adapted = _EXTREME, _extreme(metric, rows)
            elif len(rows[0]["passes"].get(metric, ())) > 1 and not _is_mean_of_completions(case, metric):
                reason, adapted = _MEAN_OF_MEANS, _weighted(metric, rows)
            yield Comparison(case, metric, step, value, float(np.mean(given)), reason, adapted, adapted is not None)
    yield from _compare_updates(case, folder / "ours.npz", folder / "trl.npz", {})


def _is_mean_of_completions(case: Case, metric: str) -> bool:
    """Whether passes, which have equal numbers of completions, have equal weight in a metric on both sides."""
    return case.clips_completions and "clip_ratio" in metric


def _extreme(metric: str, rows: list[dict[str, Any]]) -> float:
    values = [value for row in rows for value in row["passes"][metric]]
    return max(values) if metric.endswith("_max") else min(values)


def _weighted(metric: str, rows: list[dict[str, Any]]) -> float:
    values = [value for row in rows for value in row["passes"][metric]]
    return float(np.average(values, weights=[tokens for row in rows for tokens in row["tokens_of_passes"]]))


def _compare_ppo(case: Case, folder: Path) -> Iterator[Comparison]:
    reasons = {
        **PPO_ALWAYS,
        **(PPO_PADDED if case.is_padded else {}),
        **(PPO_SPLIT if case.accumulates_across_mini_batches else {}),
    }
    differs_from_the_start = case.is_padded or case.accumulates_across_mini_batches
    as_trl = ppo_as_trl.train(folder)
    for step, (ours, theirs, adapted) in enumerate(
        zip(_our_metrics(folder), _trl_metrics(folder), as_trl, strict=True), start=1
    ):
        for metric in ours.keys() & theirs.keys() - set(_CLOCKS):
            reason = reasons.get(metric, PPO_LATER if differs_from_the_start and step > 1 and metric in adapted else "")
            in_theirs = adapted[metric] if reason else None
            yield Comparison(case, metric, step, ours[metric], theirs[metric], reason, in_theirs)
    yield from _compare_updates(case, folder / "ours.npz", folder / "trl.npz", reasons, folder / "as_trl.npz")


def _compare_updates(
    case: Case, ours: Path, theirs: Path, reasons: Mapping[str, str], as_trl: Path | None = None
) -> Iterator[Comparison]:
    """Gradients and parameters as one number each: the norm of the difference over the norm of TRL's."""
    of_us, of_them = _arrays(ours), _arrays(theirs)
    adapted = _arrays(as_trl) if as_trl else None
    for metric, array, start, limit in (
        (GRADIENTS, "first_gradients_N", None, LARGEST_DIFFERENCE),
        (PARAMETERS, "last_parameters_N", of_them["start_parameters_N"], LARGEST_PARAMETER_DIFFERENCE),
    ):
        scale = of_them[array] if start is None else of_them[array] - start
        reason = reasons.get(metric, "")
        left = _relative(adapted[array], of_them[array], scale) if adapted and reason else None
        yield Comparison(
            case, metric, 0, _relative(of_us[array], of_them[array], scale), 0.0, reason, left, limit=limit
        )


def _relative(ours_N: np.ndarray, theirs_N: np.ndarray, scale_N: np.ndarray) -> float:
    return float(np.linalg.norm(ours_N - theirs_N) / np.linalg.norm(scale_N))


def _difference(ours: float, theirs: float) -> float:
    return abs(ours - theirs) / max(1.0, abs(theirs))


def _our_metrics(folder: Path) -> list[dict[str, float]]:
    return [json.loads(line)["metrics"] for line in (folder / "run" / "events.jsonl").read_text("utf-8").splitlines()]


def _trl_metrics(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((folder / "trl.json").read_text("utf-8"))
    return rows


def _arrays(path: Path) -> dict[str, np.ndarray]:
    with np.load(path) as arrays:
        return dict(arrays)
