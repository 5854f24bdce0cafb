"""Tests that what a finding says is true of the record: recomputed from the logged points of every run at hand."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from benchmarks.healthy_curves import Noise, grpo, ppo
from diagnostics.api import diagnose, find_runs, open_run
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.messages import Message
from diagnostics.model.outcome import SAMPLE_CODE_PREFIX, Outcome, Severity, Stretch, Verdict
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules import RUN_RULES
from diagnostics.rules.stretch_phrases import LARGEST_TIMES
from diagnostics.wording.messages import message_text

ROOT = Path(__file__).parents[3]
FOLDERS = (ROOT / "sample_runs", ROOT / "tests" / "fixtures")
PATHS = sorted({ref.path for folder in FOLDERS for ref in find_runs(folder)})
POINTS = 300
DISTURBED = (slice(60, 90), slice(200, 215), slice(260, POINTS))  # two episodes that end and one that goes on


def disturbed(healthy: Callable[[Noise], Run], factor: float, seed: int) -> Iterator[Run]:
    """A healthy run with one metric after another many times as high, or as low, in some of its stretches."""
    run = healthy(Noise(seed, POINTS))
    for name, series in run.series.items():
        values = series.values.copy()
        for stretch in DISTURBED:
            values[stretch] *= factor
        yield replace(run, series={**run.series, name: replace(series, values=values)})


MADE = {
    f"{healthy.__name__} × {factor}": (healthy, factor)
    for healthy in (grpo, ppo)
    for factor in (-1.0, 0.0, 0.1, 3.0, 40.0)
}
CASES = (*(path.relative_to(ROOT).as_posix() for path in PATHS), *MADE)

STEADY = 0.95
SETTLED = 10  # points, from which on a smoothed value is told
MOVING_LIMITS = {  # what is past depends on each point's own past
    "entropy-explosion",
    "grad-norm-spike",
    "grad-norm-sustained",
    "kl-outlier-token",
    "kl-runaway",
    "value-loss-spike",
}
OTHER_QUANTITIES = {  # the sentence is about a median, a mean, several series or a whole stretch, and says so
    "kl-negative",
    "kl-penalty-dominates",
    "kl-up-reward-flat",
    "lr-decayed-plateau",
    "memory-climbs",
    "pad-equals-eos",
    "reward-component-dominates",
    "reward-components-diverge",
    "reward-func-stagnant",
    "reward-not-improving",
    "reward-regression",
    "run-stalled",
    "sampling-not-policy",
    "tiny-std-amplification",
    "tool-failure-high",
}


def runs_of(case: str) -> Iterator[Run]:
    if case in MADE:
        healthy, factor = MADE[case]
        yield from disturbed(healthy, factor, seed=len(case))
    else:
        yield open_run(ROOT / case)


@cache
def diagnoses(case: str) -> tuple[Diagnosis, ...]:
    return tuple(diagnose(run) for run in runs_of(case))


@cache
def fired(case: str) -> tuple[tuple[Run, Outcome], ...]:
    return tuple(
        (diagnosis.run, item)
        for diagnosis in diagnoses(case)
        for item in diagnosis.fired
        if not item.code.startswith(SAMPLE_CODE_PREFIX)
    )


def judged_series(run: Run, outcome: Outcome) -> Series | None:
    return run.get(outcome.metric) if outcome.metric else None


def of_one_series(case: str) -> Iterator[tuple[Outcome, Series]]:
    for run, outcome in fired(case):
        if (series := judged_series(run, outcome)) is not None:
            yield outcome, series


def value_at(series: Series, step: int) -> float:
    return float(series.values[series.steps == step][0])


def share_past(series: Series, episode: Stretch) -> float:
    inside = series.values[(series.steps >= episode.first_step) & (series.steps <= episode.last_step)]
    known = inside[~np.isnan(inside)]
    assert episode.limit is not None
    assert episode.peak is not None
    is_above = episode.peak > episode.limit or (episode.peak == episode.limit == known.max())
    past = known >= episode.limit if is_above else known <= episode.limit
    return float(past.mean())


def latest_stretch(series: Series) -> Values:
    """The last ten or more values in a row that are finite."""
    stretches = np.split(series.values, np.flatnonzero(~series.finite))
    known = [stretch[np.isfinite(stretch)] for stretch in stretches]
    return [stretch for stretch in known if len(stretch) >= SETTLED][-1]


def smoothed(values: Values) -> float:
    """The exponentially weighted mean with weight 0.1, from its definition."""
    weights = 0.9 ** np.arange(len(values))[::-1]
    return float(np.average(values, weights=weights))


def parts(outcome: Outcome) -> dict[str, Message]:
    return {name: value for name, value in outcome.message.values.items() if isinstance(value, Message)}


@pytest.mark.parametrize("case", CASES)
class TestEveryFinding:
    def test_begins_ends_and_peaks_at_steps_that_were_logged(self, case: str) -> None:
        for outcome, series in of_one_series(case):
            told = {outcome.first_step, outcome.last_step}
            for episode in outcome.episodes:
                told |= {episode.first_step, episode.last_step, *(() if episode.peak is None else (episode.peak_step,))}
                assert episode.first_step <= episode.last_step, outcome.rule
            assert told <= set(series.steps.tolist()), outcome.rule

    def test_measured_what_was_logged_at_the_step_it_names(self, case: str) -> None:
        for outcome, series in of_one_series(case):
            if outcome.rule not in OTHER_QUANTITIES and "peak" in outcome.message.values:
                peak = outcome.message.values["peak"]
                assert isinstance(peak, int)
                assert value_at(series, peak) == outcome.measured == outcome.message.values["measured"], outcome.rule

    def test_names_the_values_of_its_episodes_as_they_were_logged(self, case: str) -> None:
        for outcome, series in of_one_series(case):
            for episode in outcome.episodes if outcome.rule not in OTHER_QUANTITIES else ():
                if episode.peak is not None and episode.peak_step is not None:
                    np.testing.assert_equal(value_at(series, episode.peak_step), episode.peak, outcome.rule)

    def test_tells_the_gravest_episode_that_still_holds_and_else_the_gravest(self, case: str) -> None:
        for _, outcome in fired(case):
            led = {(item.first_step, item.last_step): item for item in outcome.episodes}
            leading = led[(outcome.first_step or 0, outcome.last_step or 0)]
            same = [item for item in outcome.episodes if item.still] or list(outcome.episodes)
            assert leading.still is outcome.still is same[0].still, outcome.rule
            assert leading.severity.rank == max(item.severity.rank for item in same), outcome.rule
            assert outcome.severity is max((i.severity for i in outcome.episodes), key=list(Severity).index)

    def test_gives_the_share_of_logged_points_that_were_past_the_limit(self, case: str) -> None:
        for outcome, series in of_one_series(case):
            for episode in outcome.episodes if outcome.rule not in OTHER_QUANTITIES | MOVING_LIMITS else ():
                if episode.share is not None and episode.limit is not None:
                    assert episode.share == pytest.approx(share_past(series, episode)), outcome.rule

    def test_says_stayed_only_of_nearly_every_logged_point(self, case: str) -> None:
        for outcome, series in of_one_series(case):
            (led,) = [
                i for i in outcome.episodes if (i.first_step, i.last_step) == (outcome.first_step, outcome.last_step)
            ]
            says_stayed = "stayed above" in message_text(outcome.message) or "stayed below" in message_text(
                outcome.message
            )
            if says_stayed:
                assert share_past(series, led) >= STEADY, outcome.rule
            if mostly := parts(outcome).get("mostly"):
                assert ("share" in mostly.values) is (led.share is not None and led.share < STEADY), outcome.rule

    def test_calls_a_smoothed_value_and_a_median_what_they_are(self, case: str) -> None:
        for outcome, series in of_one_series(case):
            values = outcome.message.values
            if isinstance(points := values.get("start_points"), int):
                known = series.values[series.finite]
                assert np.median(known[:points]) == pytest.approx(values["start"]), outcome.rule
                assert smoothed(latest_stretch(series)) == pytest.approx(outcome.measured), outcome.rule
                text = message_text(outcome.message)
                assert "smoothed, it is" in text, outcome.rule
                assert "the median of its first points" in text, outcome.rule

    def test_compares_the_mean_of_a_first_third_with_that_of_the_last(self, case: str) -> None:
        for outcome, series in of_one_series(case):
            if "over the first third of the run" in message_text(outcome.message):
                known = series.values[series.finite]
                third = len(known) // 3
                assert np.mean(known[:third]) == pytest.approx(outcome.message.values["start"]), outcome.rule
                assert np.mean(known[-third:]) == pytest.approx(outcome.measured), outcome.rule

    def test_says_still_only_where_no_longer_calm_followed(self, case: str) -> None:
        rules = {rule.name: rule for rule in RUN_RULES}
        for outcome, series in of_one_series(case):
            limits = rules[outcome.rule].limits.values()
            patience = max((int(value) for name, value in limits.items() if "patience" in name), default=len(series))
            after = int(np.count_nonzero(series.finite[series.steps > (outcome.last_step or 0)]))
            assert outcome.still or after > 0, outcome.rule
            assert not outcome.still or after < 2 * patience + 10, outcome.rule

    def test_prints_no_ratio_against_a_level_of_nearly_nothing(self, case: str) -> None:
        for _, outcome in fired(case):
            compared = parts(outcome).get("compared")
            if compared is not None and "times" in compared.values:
                assert float(str(compared.values["times"])) <= LARGEST_TIMES, outcome.rule

    def test_gives_in_its_sentence_the_steps_and_numbers_that_it_reports(self, case: str) -> None:
        for _, outcome in fired(case):
            values = outcome.message.values
            pairs = {"first": outcome.first_step, "last": outcome.last_step, "limit": outcome.limit}
            assert {name: values[name] for name in pairs if name in values} == {
                name: value for name, value in pairs.items() if name in values
            }, outcome.rule


@pytest.mark.parametrize("case", CASES)
def test_what_is_skipped_for_want_of_points_has_fewer_than_it_is_said_to_need(case: str) -> None:
    for diagnosis in diagnoses(case):
        for outcome in diagnosis.outcomes:
            if outcome.verdict is Verdict.SKIPPED and outcome.message.template == "engine.too-few":
                assert outcome.message.values["found"] < outcome.message.values["needed"], outcome.rule


def test_smoothed_values_are_among_the_findings() -> None:
    assert any("start_points" in outcome.message.values for case in CASES for _, outcome in fired(case))


def test_there_are_findings_of_many_rules_to_check() -> None:
    assert len({outcome.rule for case in CASES for _, outcome in fired(case)}) >= 25
