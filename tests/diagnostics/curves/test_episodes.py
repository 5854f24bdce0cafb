"""A finding is shaded where it is, on every chart to which it belongs."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from diagnostics.api import open_run
from diagnostics.curves.episodes import shades
from diagnostics.model.messages import Message
from diagnostics.model.outcome import Outcome, Severity, Stretch, Verdict
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.runlog import RunLog

NAN = np.nan


@pytest.fixture
def run(tmp_path: Path) -> Run:
    with RunLog(tmp_path / "a", algorithm="grpo") as log:
        log.log(1, {"reward": 0.5, "kl": 0.1, "entropy": 0.5, "grad_norm": 1.0})
    return open_run(log.directory)


def series(name: str, values: list[float]) -> Series:
    return Series(name, name, np.arange(1, len(values) + 1), np.array(values))


def fired(rule: str, metric: str, *episodes: tuple[int, int], severity: Severity = Severity.WARNING) -> Outcome:
    stretches = tuple(Stretch(first, last, severity) for first, last in episodes)
    return Outcome("X", rule, Verdict.FIRED, Message("x"), severity=severity, metric=metric, episodes=stretches)


def words(name: str, values: list[float], outcomes: list[Outcome], run: Run) -> list[str]:
    return [f"{shade.what} · {shade.steps}" for shade in shades(series(name, values), outcomes, run)]


def test_every_episode_of_a_finding_is_shaded(run: Run) -> None:
    found = words("kl_per_token", [0.1] * 9, [fired("kl-too-high", "kl_per_token", (2, 3), (7, 7))], run)
    assert found == ["kl-too-high · 2–3", "kl-too-high · 7"]


def test_a_finding_also_belongs_to_what_its_rule_compares(run: Run) -> None:
    outcome = fired("entropy-collapse", "entropy_per_token", (2, 3))
    assert words("reward", [0.1] * 5, [outcome], run) == ["entropy-collapse · 2–3"]
    assert words("entropy_per_token", [0.1] * 5, [outcome], run) == ["entropy-collapse · 2–3"]
    assert words("grad_norm", [0.1] * 5, [outcome], run) == []


def test_of_several_metrics_that_would_do_only_the_judged_one_is_shaded(run: Run) -> None:
    outcome = fired("reward-not-improving", "rlhf_reward", (2, 3))
    assert words("reward", [0.1] * 5, [outcome], run) == []


def test_nan_are_shaded_where_they_are_and_not_in_between(run: Run) -> None:
    outcome = fired("nonfinite-metric", "reward", (1, 8), severity=Severity.CRITICAL)
    values = [NAN, 1.0, 1.0, NAN, np.inf, 1.0, 1.0, 1.0, NAN]
    assert words("reward", values, [outcome], run) == ["NaN ×1 · 1", "NaN ×1, ∞ ×1 · 4–5", "NaN ×1 · 9"]


def test_the_nan_of_another_metric_are_shaded_on_its_own_chart(run: Run) -> None:
    outcome = fired("nonfinite-metric", "reward", (1, 8), severity=Severity.CRITICAL)
    assert words("grad_norm", [1.0, NAN, NAN, 1.0], [outcome], run) == ["NaN ×2 · 2–3"]
    assert words("grad_norm", [1.0, 2.0], [outcome], run) == []
    assert words("a name of its own", [NAN], [outcome], run) == []


def test_many_nan_in_a_long_run_are_few_episodes(run: Run) -> None:
    outcome = fired("nonfinite-metric", "reward", (1, 8), severity=Severity.CRITICAL)
    assert words("reward", [NAN, 1.0] * 10_000, [outcome], run) == ["NaN ×10000 · 1–19999"]


def test_the_gravest_episode_of_a_finding_comes_first(run: Run) -> None:
    stretches = (Stretch(1, 9, Severity.INFO), Stretch(4, 5, Severity.CRITICAL))
    outcome = replace(fired("kl-too-high", "kl_per_token", severity=Severity.CRITICAL), episodes=stretches)
    assert words("kl_per_token", [0.1] * 9, [outcome], run) == ["kl-too-high · 4–5", "kl-too-high · 1–9"]


def test_the_gravest_finding_comes_first(run: Run) -> None:
    mild = fired("kl-too-high", "kl_per_token", (1, 2))
    grave = fired("kl-runaway", "kl_per_token", (3, 4), severity=Severity.CRITICAL)
    assert words("kl_per_token", [0.1] * 5, [mild, grave], run) == ["kl-runaway · 3–4", "kl-too-high · 1–2"]
