"""A run that grows is judged as if it were read anew, whatever it logs and however it is cut into pieces."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from diagnostics.detectors.growing import Memory, found_once, looks_back
from diagnostics.detectors.rolling import robust_z, rolling_median, sustained
from diagnostics.detectors.running import ewma, extreme_so_far
from diagnostics.model.outcome import Outcome, Verdict
from diagnostics.model.run import DataHealth, Run
from diagnostics.model.samples import Samples
from diagnostics.model.series import Series, Values
from diagnostics.model.status import Status
from diagnostics.rules import CATALOG, Evaluator, UnknownLimitError, evaluate

JUDGED = {name for rule in CATALOG for item in rule.inputs for name in ((item,) if isinstance(item, str) else item)}
OF_FUNCTIONS = {name for name in JUDGED if name.startswith("reward_func_")}
LOGGED = sorted(JUDGED - OF_FUNCTIONS) + [f"{name}/{of}" for name in sorted(OF_FUNCTIONS) for of in ("right", "form")]
"""Every metric that any rule needs, those of reward functions for two of them."""
ODD = st.sampled_from([0.0, 1.0, -1.0, 0.2, 5.0, 30.0, np.nan, np.inf, -np.inf])


def run_of(algorithm: str, logged: dict[str, Values]) -> Run:
    series = {
        name: Series(name, name, np.arange(1, len(values) + 1, dtype=np.int64), values)
        for name, values in logged.items()
    }
    return Run(Path("a"), "a", "a", (), "trl", None, algorithm, series, {"response_length": 16, "num_generations": 4},
               Samples(), Status(state="running"), DataHealth(), 0.0)  # fmt: skip


def until(run: Run, points: int) -> Run:
    series = {
        name: replace(item, steps=item.steps[:points], values=item.values[:points].copy())
        for name, item in run.series.items()
    }
    return replace(run, series=series)


def same(left: tuple[Outcome, ...], right: tuple[Outcome, ...]) -> bool:
    return repr(left) == repr(right)  # arrays of evidence and NaN compare by what they show


@st.composite
def runs(draw: st.DrawFn) -> Run:
    """Noise around a level that changes once, with a few values that are no numbers, for most of the metrics."""
    algorithm = draw(st.sampled_from(["grpo", "ppo", "ppo-legacy", "rloo", "unknown"]))
    names = [name for name in LOGGED if draw(st.integers(0, 3))]
    points = draw(st.integers(1, 160))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    logged = {}
    for name in names:
        before, after = draw(st.sampled_from([0.0, 0.05, 0.3, 1.0, 8.0])), draw(st.sampled_from([0.0, 0.1, 1.0, 40.0]))
        values = np.where(np.arange(points) < draw(st.integers(0, 160)), before, after) * np.exp(
            0.1 * random.normal(size=points)
        )
        for index, odd in draw(st.dictionaries(st.integers(0, points - 1), ODD, max_size=2)).items():
            values[index] = odd
        logged[name] = values
    return run_of(algorithm, logged)


@settings(max_examples=40, deadline=None)
@given(runs(), st.data())
def test_a_run_that_grows_is_judged_as_one_that_is_read_anew(run: Run, data: st.DataObject) -> None:
    points = max((len(series) for series in run.series.values()), default=0)
    stages = sorted(data.draw(st.sets(st.integers(0, points), max_size=5)))
    evaluator = Evaluator()
    for stage in (*stages, points):
        assert same(evaluator.update(until(run, stage)), evaluate(until(run, stage)))


@settings(max_examples=30, deadline=None)
@given(hnp.arrays(np.float64, st.integers(1, 80), elements=ODD), st.integers(0, 80))
@pytest.mark.parametrize(
    "detector",
    [rolling_median, ewma, extreme_so_far, lambda x: sustained(x, 4), lambda x: robust_z(x, 8, 4, 0.1)],
    ids=["rolling_median", "ewma", "extreme_so_far", "sustained", "robust_z"],
)
def test_a_detector_goes_on_where_it_stood(detector: Callable[[Values], Values], values: Values, known: int) -> None:
    memory = Memory()
    with np.errstate(invalid="ignore"):
        for part in (values[:known].copy(), values):
            with memory.of_rule("any"):
                said = detector(part)
        np.testing.assert_array_equal(detector(values), said)


def test_a_point_that_is_logged_again_is_judged_anew() -> None:
    run = run_of("grpo", {"reward": np.linspace(0, 1, 80), "truncated_fraction": np.full(80, 0.95)})
    evaluator = Evaluator()
    assert fired(evaluator.update(run)) == {"truncation-high"}
    mended = run_of("grpo", {"reward": np.linspace(0, 1, 90), "truncated_fraction": np.full(90, 0.05)})
    assert fired(evaluator.update(mended)) == set()


def test_another_limit_of_ones_own_is_known_to_the_evaluator() -> None:
    run = run_of("grpo", {"reward": np.linspace(0, 1, 80), "truncated_fraction": np.full(80, 0.5)})
    mine = {"truncation-high": {"critical": 0.4}}
    assert same(Evaluator(mine).update(run), evaluate(run, mine))
    with pytest.raises(UnknownLimitError, match="did you mean truncation-high"):
        Evaluator({"truncation-hihg": {"critical": 0.4}})


def test_a_metric_that_dithers_about_its_limit_is_one_episode() -> None:
    dithering = np.tile([0.75, 0.82, 0.79, 0.81, 0.83], 40)
    run = run_of("grpo", {"reward": np.linspace(0, 1, 200), "truncated_fraction": dithering})
    evaluator, seen = Evaluator(), []
    for points in range(10, 201, 5):
        outcomes = {outcome.rule: outcome for outcome in evaluator.update(until(run, points))}
        seen.append(outcomes["truncation-high"])
    began = [outcome.first_step for outcome in seen if outcome.verdict is Verdict.FIRED]
    is_fired = [outcome.verdict is Verdict.FIRED for outcome in seen]
    assert len(set(began)) == 1
    assert is_fired == sorted(is_fired)


def test_every_rule_is_judged_by_the_evaluator() -> None:
    run = run_of("grpo", {"reward": np.linspace(0, 1, 80)})
    assert [o.rule for o in Evaluator().update(run)] == [rule.name for rule in CATALOG if rule.applies(run)]


def fired(outcomes: tuple[Outcome, ...]) -> set[str]:
    return {outcome.rule for outcome in outcomes if outcome.verdict is Verdict.FIRED}


def test_only_new_points_are_looked_at() -> None:
    looked_at: list[int] = []

    @looks_back(lambda: 3)
    def detector(values: Values) -> Values:
        looked_at.append(len(values))
        return values

    memory, values = Memory(), np.arange(1000.0)
    for points in (997, 998, 1000):
        with memory.of_rule("any"):
            detector(values[:points].copy())
    assert looked_at == [997, 4, 5]


def test_a_number_about_a_whole_series_is_found_once_in_a_look() -> None:
    asked: list[float] = []

    @found_once
    def largest(values: Values) -> float:
        asked.append(float(values[-1]))
        return float(values.max())

    memory, values = Memory(), np.arange(10.0)
    for rule in ("one", "other"):
        with memory.of_rule(rule):
            assert largest(values) == 9.0
    values[-1] = 11.0
    memory.look_again()
    with memory.of_rule("one"):
        assert largest(values) == 11.0
    assert asked == [9.0, 11.0]


def test_what_is_remembered_cannot_be_written_to() -> None:
    with Memory().of_rule("any"):
        medians = rolling_median(np.arange(10.0))
    with pytest.raises(ValueError, match="read-only"):
        medians[0] = 1.0
