"""The chart of a metric as data: its words, its limits, its findings, and whose points the browser asks for."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.figures.curve import Curve, curve
from diagnostics.api import open_run
from diagnostics.model.derivation import Derivation
from diagnostics.model.messages import Message
from diagnostics.model.outcome import Outcome, Severity, Stretch, Verdict
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.runlog import RunLog


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    with RunLog(tmp_path_factory.mktemp("runs") / "a", algorithm="grpo") as log:
        log.log(1, {"reward": 0.5, "kl": 0.1})
    return open_run(log.directory)


def series(values: list[float], name: str = "kl_per_token", **more: Any) -> Series:
    return Series(name, name, np.arange(1, len(values) + 1), np.array(values, dtype=np.float64), **more)


def outcome(verdict: Verdict = Verdict.QUIET, limit: float = 0.2, unit: str = "nats/token", **more: Any) -> Outcome:
    given = {"metric": "kl_per_token", **more}
    return Outcome("RV302", "kl-too-high", verdict, Message("x"), limit=limit, unit=unit, **given)


def fired(*episodes: tuple[int, int], **more: Any) -> Outcome:
    stretches = tuple(Stretch(first, last, Severity.CRITICAL) for first, last in episodes)
    return outcome(Verdict.FIRED, severity=Severity.CRITICAL, episodes=stretches, **more)


def limits(drawn: Curve) -> list[float]:
    return [limit.value for limit in drawn.limits]


def test_title_and_last_value_stand_above_unit_and_what_good_looks_like(run: Run) -> None:
    drawn = curve(run, series([0.1]), [])
    assert (drawn.title, drawn.last, drawn.unit) == ("KL to the reference", "0.1", "nats/token · below 0.2")


def test_a_reward_function_is_named_by_itself(run: Run) -> None:
    drawn = curve(run, series([0.5], name="reward_func_mean/accuracy"), [])
    assert (drawn.title, drawn.unit) == ("accuracy", "Reward function · reward · should rise")


def test_a_name_moves_no_cursor_and_hides_nothing(run: Run) -> None:
    drawn = curve(run, series([0.1], '<b>"a"</b>\n\x1b'), [])
    assert drawn.title == '<b>"a"</b>⏎␛'
    assert "\x1b" not in drawn.words


def test_the_value_at_the_chosen_step_stands_beneath_the_last_one(run: Run) -> None:
    drawn = curve(run, series([0.1, 0.25, 0.3]), [], chosen_step=2)
    assert (drawn.read, drawn.at) == ("at 2: 0.25", 0.25)
    assert curve(run, series([0.1]), [], chosen_step=9).read == "at 9: not logged"
    assert curve(run, series([0.1]), []).read == ""


def test_beside_a_nan_stands_the_last_finite_value(run: Run) -> None:
    drawn = curve(run, series([0.1, 0.25, np.nan]), [])
    assert (drawn.last, drawn.is_finite, drawn.read) == ("NaN", False, "last finite 0.25 at 2")
    assert curve(run, series([0.1, 0.25, np.nan]), [], chosen_step=3).read == "last finite 0.25 at 2"
    assert curve(run, series([0.1, 0.25, np.nan]), [], chosen_step=1).read == "at 1: 0.1"
    assert curve(run, series([np.nan, np.nan]), []).read == ""


def test_what_is_no_number_is_counted_by_kind(run: Run) -> None:
    drawn = curve(run, series([0.1, np.nan, np.nan, np.inf, -np.inf]), [])
    assert drawn.unit == "nats/token · below 0.2 · NaN ×2, ∞ ×1, −∞ ×1"


def test_a_limit_is_told_with_its_number(run: Run) -> None:
    drawn = curve(run, series([0.05, 0.15]), [outcome()])
    assert [(limit.value, limit.words) for limit in drawn.limits] == [(0.2, "limit 0.2")]


def test_only_a_limit_that_was_reached_is_told_where_it_is_out_of_view(run: Run) -> None:
    assert curve(run, series([0.001, 0.002]), [fired((1, 2))]).reached == (0.2,)
    assert curve(run, series([0.001, 0.002]), [outcome()]).reached == ()


def test_a_limit_that_a_quiet_rule_lets_the_curve_cross_is_not_drawn(run: Run) -> None:
    assert limits(curve(run, series([0.05] * 10 + [0.4] * 10), [outcome(measured=0.01)])) == []


def test_a_single_point_beyond_leaves_the_limit_on_the_chart(run: Run) -> None:
    assert limits(curve(run, series([0.1] * 19 + [0.3]), [outcome(measured=0.1)])) == [0.2]


def test_of_quiet_limits_the_one_that_the_curve_keeps_to_is_drawn(run: Run) -> None:
    crossed_once, kept, far = (outcome(measured=0.1, limit=limit) for limit in (0.15, 0.2, 0.3))
    below = outcome(measured=0.1, limit=0.05)
    assert limits(curve(run, series([0.1] * 39 + [0.18]), [crossed_once, far, kept, below])) == [0.05, 0.2]


def test_the_limit_of_a_start_is_drawn_only_where_the_start_was_beyond_it(run: Run) -> None:
    quiet = outcome(measured=0.0, limit=0.05, is_of_start=True)
    broken = outcome(Verdict.FIRED, measured=0.1, limit=0.05, is_of_start=True)
    assert [limits(curve(run, series([0.04] * 20), [found])) for found in (quiet, broken)] == [[], [0.05]]


def test_a_limit_in_another_unit_is_not_drawn(run: Run) -> None:
    assert limits(curve(run, series([0.1, 0.2]), [outcome(unit="× its own median")])) == []


def test_the_steps_of_a_finding_are_shaded_with_its_sign_and_short_name(run: Run) -> None:
    (episode,) = curve(run, series([0.1, 0.3, 0.3]), [fired((2, 3))]).episodes
    assert (
        episode.first,
        episode.last,
        episode.severity,
        episode.shape,
        episode.words,
    ) == (2, 3, "critical", "◆", "KL too high · 2–3")


def test_an_outcome_about_another_metric_leaves_no_mark(run: Run) -> None:
    drawn = curve(run, series([0.1], name="reward"), [fired((1, 1))])
    assert (drawn.limits, drawn.episodes) == ((), ())


def test_points_that_were_logged_again_and_evaluations_are_curves_of_their_own(run: Run) -> None:
    resumed = series([0.1, 0.2], "reward", replaced_steps=np.array([2]), replaced_values=np.array([0.9]))
    drawn = curve(run, resumed, [], held_out=series([0.5], "eval/reward"))
    assert [(trace.series, trace.style, trace.replaced) for trace in drawn.traces] == [
        ("reward", "line", False),
        ("reward", "faint", True),
        ("eval/reward", "diamonds", False),
    ]
    assert "◇ held out 0.5" in drawn.unit


def test_a_curve_that_is_not_logged_says_how_it_was_derived(run: Run) -> None:
    derivation = Derivation(("critic/score/min",), "√(…)", "upper bound")
    drawn = curve(run, series([0.1], derivation=derivation), [])
    assert "derived, not logged" in drawn.unit
    assert "derived from critic/score/min: √(…) (upper bound)" in drawn.note


def test_a_wide_range_gets_a_log_axis(run: Run) -> None:
    kinds = [curve(run, series(values), []).scale for values in ([1e-6, 1e-6, 1.0], [1e-12, 0.5, 1.0], [-1.0, 1e6])]
    assert kinds == ["log", "linear", "linear"]


def test_a_series_without_points_has_its_title(run: Run) -> None:
    drawn = curve(run, series([]), [], chosen_step=3)
    assert (drawn.last, drawn.is_finite, drawn.read) == ("no data", True, "at 3: not logged")


def test_a_chart_costs_as_many_bytes_however_long_the_run_is(run: Run) -> None:
    short, long = (str(curve(run, series([0.1] * count), []).as_json()) for count in (100, 100_000))
    assert len(long) - len(short) < 20


def test_it_is_told_where_another_attempt_went_on(run: Run) -> None:
    assert curve(run, series([0.1]), []).resumed == ()
    assert curve(replace(run, resumed_after=(40, 80)), series([0.1]), []).resumed == (40, 80)
