"""Tests of what a run derives from its own log: when, from what, and against what was logged."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from diagnostics.api import open_run
from diagnostics.derivations.derived_series import DerivedSeries
from diagnostics.derivations.from_samples import LEAST_SAMPLES, MOST_TABLES, SampleTables, measure, thinned
from diagnostics.model.derivation import Derivation
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples
from diagnostics.model.series import Series
from diagnostics.model.settings import Setting, Settings
from diagnostics.rules import evaluate

ROOT = Path(__file__).parents[3]
COLLAPSED = ROOT / "tests" / "fixtures" / "trl_corpus" / "learning-rate-too-high"
MakeRun = Callable[..., Run]


def derived(run: Run) -> DerivedSeries:
    return DerivedSeries(run.series, run.settings, SampleTables(run.samples, run.settings))


def unlogged(run: Run, *names: str) -> Run:
    """The run as if it had not logged these metrics."""
    rest = {name: series for name, series in run.series.items() if name not in names}
    run = replace(run, series=rest)
    return replace(run, derived=derived(run))


@pytest.mark.parametrize("name", ["reward_std", "zero_std_fraction"])
def test_samples_give_what_the_trainer_logged_at_the_same_steps(name: str) -> None:
    whole = open_run(COLLAPSED)
    found, logged = unlogged(whole, name).derived[name], whole.series[name]
    assert whole.samples.steps == tuple(found.steps)
    assert found.values == pytest.approx(logged.values[np.isin(logged.steps, found.steps)], abs=1e-6)
    assert len(set(found.values)) > 2  # not one value throughout, which anything would match
    assert found.derivation is not None
    assert found.derivation.sources == ("samples",)


def test_the_bound_from_the_extremes_holds_for_the_logged_spread() -> None:
    whole = open_run(COLLAPSED)
    steps = np.array(whole.samples.steps)
    scores = [[sample.score or 0.0 for sample in whole.samples.at(step)] for step in steps.tolist()]
    extremes = {
        name: Series(name, name, steps, np.array([extreme(row) for row in scores]))
        for name, extreme in (("score_min", min), ("score_max", max))
    }
    run = unlogged(replace(whole, series={**whole.series, **extremes}), "reward_std")
    found, logged = run.derived["reward_std"], whole.series["reward_std"].values[: len(steps)]
    unbiased = np.sqrt(64 / 63)  # the trainer divides by n − 1
    assert (found.values * unbiased >= logged - 1e-6).all()
    assert ((found.values == 0) == (logged == 0)).all()


def test_what_is_logged_is_never_derived(make_run: MakeRun) -> None:
    run = make_run("ppo", score="0.5x9", score_min="0x9", score_max="1x9", score_std="0.1x9")
    assert "score_std" not in derived(run)


def test_a_logged_alternative_comes_before_a_derived_metric(make_run: MakeRun) -> None:
    run = make_run("ppo", kl_per_sequence="3x9", length_mean="10x9")
    run = replace(run, derived=derived(run))
    found, alone = run.get("kl_per_token", "kl_per_sequence"), run.get("kl_per_token")
    assert found is not None
    assert alone is not None
    assert (found.name, alone.values.tolist()) == ("kl_per_sequence", [0.3] * 9)
    assert run.without_derived().get("kl_per_token") is None


def test_inputs_are_aligned_by_step_and_say_where_a_series_comes_from() -> None:
    kl = Series("kl_per_sequence", "objective/kl", np.array([1, 2, 4]), np.array([2.0, np.nan, 8.0]))
    length = Series("length_mean", "len", np.array([2, 3, 4]), np.array([10.0, 10.0, 16.0]))
    found = DerivedSeries({"kl_per_sequence": kl, "length_mean": length}, Settings())["kl_per_token"]
    assert found.steps.tolist() == [2, 4]
    assert np.array_equal([np.nan, 0.5], found.values, equal_nan=True)
    expected = Derivation(("objective/kl", "len"), "kl_per_sequence divided by length_mean", "estimate")
    assert expected == found.derivation


def test_nothing_follows_from_a_metric_that_means_something_else(make_run: MakeRun) -> None:
    run = make_run("ppo", entropy_per_sequence="20x9", length_mean="10x9")
    padded = replace(run.series["entropy_per_sequence"], caveat="Includes padding.")
    assert "entropy_per_token" in derived(run)
    assert "entropy_per_token" not in derived(replace(run, series={**run.series, "entropy_per_sequence": padded}))


@pytest.mark.parametrize(("length", "share"), [("64x9", [1.0] * 9), ("63x9", None)])
def test_a_mean_at_the_configured_limit_shows_that_all_are_cut_off(
    make_run: MakeRun, length: str, share: list[float] | None
) -> None:
    found = derived(make_run("grpo", config={"max_completion_length": 64}, length_mean=length)).get(
        "truncated_fraction"
    )
    assert share == (None if found is None else found.values.tolist())


def test_the_best_and_the_worst_of_a_batch_say_nothing_of_it() -> None:
    run = open_run(ROOT / "sample_runs" / "healthy-grpo")
    rest = {name: series for name, series in run.series.items() if name != "reward_std"}
    assert isinstance(run.derived, DerivedSeries)
    assert "reward_std" not in replace(run.derived, series=rest)


def group(number: int, *scores: float) -> list[Sample]:
    return [Sample(1, f"question {number}", "a", score=score, length=8) for score in scores]


TABLE = [sample for number in range(4) for sample in group(number, 0, 0, 0, number % 2)]


def test_a_table_tells_spread_silent_groups_length_and_ends() -> None:
    settings = Settings({"max_tokens": Setting("max_tokens", 8, "config")})
    assert measure(TABLE, settings) == {
        "reward_std": pytest.approx(np.std([0] * 14 + [1] * 2, ddof=1)),
        "score_std": pytest.approx(np.std([0] * 14 + [1] * 2, ddof=1)),
        "zero_std_fraction": 0.5,
        "length_mean": 8.0,
        "truncated_fraction": 1.0,
    }


@pytest.mark.parametrize("limit", [-1, 0, None])
def test_a_length_limit_that_is_none_cuts_nothing_off(limit: int | None) -> None:
    settings = Settings({"max_tokens": Setting("max_tokens", limit, "config")})
    assert "truncated_fraction" not in measure(TABLE, settings)


@pytest.mark.parametrize("table", [TABLE[:-1], [*TABLE, *group(9, 1, 0)], TABLE + TABLE[:4]])
def test_groups_that_are_not_whole_say_nothing(table: list[Sample]) -> None:
    assert "zero_std_fraction" not in measure(table, Settings())


def test_groups_of_another_size_than_the_settings_state_are_not_whole() -> None:
    settings = Settings({"num_generations": Setting("num_generations", 8, "config")})
    assert "zero_std_fraction" not in measure(TABLE, settings)


def test_a_small_table_says_nothing() -> None:
    assert measure(TABLE[: LEAST_SAMPLES - 1], Settings()) == {}


def test_a_long_run_costs_no_more_tables_than_the_most_and_each_is_read_once() -> None:
    read: list[int] = []

    def load(step: int) -> tuple[Sample, ...]:
        read.append(step)
        return tuple(replace(sample, step=step) for sample in TABLE)

    tables = SampleTables(Samples(tuple(range(1000)), load), Settings())
    assert {"zero_std_fraction", "length_mean"} == set(DerivedSeries({}, Settings(), tables))
    assert len(set(read)) == len(read) <= MOST_TABLES
    assert set(thinned(range(2000))) <= set(thinned(range(1000))) | set(range(1000, 2000))


def test_samples_are_not_read_where_nothing_is_asked_of_them() -> None:
    def load(step: int) -> tuple[Sample, ...]:
        raise AssertionError(step)

    logged = {"zero_std_fraction": Series("zero_std_fraction", "z", np.array([1]), np.array([0.5]))}
    tables = SampleTables(Samples((1,), load), Settings())
    assert DerivedSeries(logged, Settings(), tables).get("zero_std_fraction") is None


def test_a_run_that_ends_without_a_signal_says_from_where(make_run: MakeRun) -> None:
    run = make_run("grpo", advantages_min="-1x5 0x4", advantages_max="1x5 0x4")
    found = derived(run)["zero_std_fraction"]
    assert (found.steps.tolist(), found.values.tolist()) == ([6, 7, 8, 9], [1.0] * 4)
    assert "zero_std_fraction" not in derived(make_run("grpo", advantages_min="0x5 -1x4", advantages_max="0x5 1x4"))


def test_a_loop_of_one_group_a_step_is_seen_to_have_no_signal_in_most(make_run: MakeRun) -> None:
    run = make_run("grpo", reward="1 1 0.5 1 1 0 1 1 " * 8, reward_std="0 0 0.5 0 0 0 0 0 " * 8)
    run = replace(run, derived=derived(run))
    found = derived(run)["zero_std_fraction"]
    assert (found.derivation.precision, found.values[:4].tolist()) == ("lower bound", [1.0, 1.0, 0.0, 1.0])
    assert "zero-variance-groups" in [outcome.rule for outcome in evaluate(run) if outcome.severity]
    assert "zero_std_fraction" not in derived(make_run("grpo", reward_std="0.1x9"))


def test_the_trainers_idle_share_is_its_waiting_over_the_step(make_run: MakeRun) -> None:
    found = derived(make_run("grpo", rollout_wait_time="3x9", step_time="12x9"))["idle_fraction"]
    assert found.values.tolist() == [0.25] * 9
    assert "idle_fraction" not in derived(make_run("grpo", rollout_wait_time="13x9", step_time="12x9"))


def test_the_throughput_is_the_tokens_of_a_step_over_its_time(make_run: MakeRun) -> None:
    found = derived(make_run("grpo", step_tokens="6000x9", step_time="12x9"))["tokens_per_second"]
    assert found.values.tolist() == [500.0] * 9


def test_a_spread_of_nothing_is_no_signal_whatever_spread_its_producer_means(make_run: MakeRun) -> None:
    run = make_run("grpo", reward_std="0.3x3 0x3")
    over_the_batch = replace(run.series["reward_std"], caveat="The deviation over the whole batch.")
    found = derived(replace(run, series={**run.series, "reward_std": over_the_batch}))["zero_std_fraction"]
    assert found.values.tolist() == [0.0] * 3 + [1.0] * 3
    assert found.derivation is not None
    assert found.derivation.precision == "lower bound"
