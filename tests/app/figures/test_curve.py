"""The chart of a metric shows its limit, its episode, and what is no number."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from app.figures.curve import curve
from app.figures.sparkline import sparkline
from app.theme import LIGHT
from diagnostics.model.messages import Message
from diagnostics.model.outcome import Outcome, Severity, Stretch, Verdict
from diagnostics.model.series import Series


def series(values: list[float], name: str = "kl_per_token", **more: Any) -> Series:
    return Series(name, name, np.arange(1, len(values) + 1), np.array(values, dtype=np.float64), **more)


def outcome(verdict: Verdict = Verdict.QUIET, limit: float = 0.2, unit: str = "nats/token", **more: Any) -> Outcome:
    return Outcome("RV302", "kl-too-high", verdict, Message("x"), limit=limit, unit=unit, metric="kl_per_token", **more)


def trace(figure: go.Figure, name: str) -> go.Scatter:
    return next(item for item in figure.data if item.name == name)


def shapes(figure: go.Figure, name: str) -> list[Any]:
    return [shape for shape in figure.layout.shapes if shape.name == name]


def words(figure: go.Figure) -> str:
    return " ".join(annotation.text for annotation in figure.layout.annotations)


def test_nan_is_marked_counted_and_not_bridged() -> None:
    figure = curve(series([0.1, np.nan, np.nan, 0.1]), [], LIGHT)
    assert list(trace(figure, "NaN").x) == [2, 3]
    assert "NaN ×2" in trace(figure, "NaN").text
    assert list(np.isnan(trace(figure, "value").y)) == [False, True, True, False]
    assert trace(figure, "value").connectgaps is False


def test_infinities_stand_at_the_edge_that_they_left_by() -> None:
    figure = curve(series([0.1, np.inf, -np.inf, 0.2]), [], LIGHT)
    assert trace(figure, "∞").y[0] > 0.9
    assert trace(figure, "−∞").y[0] < 0.1


def test_a_series_of_nothing_but_nan_can_be_drawn() -> None:
    assert list(trace(curve(series([np.nan] * 3), [], LIGHT), "NaN").x) == [1, 2, 3]


@pytest.mark.parametrize(("points", "apart"), [(1, 1), (2, 1), (6, 1), (7, None)])
def test_each_of_a_few_steps_has_a_tick_of_its_own(points: int, apart: int | None) -> None:
    assert curve(series([0.1] * points), [], LIGHT).layout.xaxis.dtick == apart


def test_a_name_is_no_markup_and_no_command() -> None:
    figure = curve(series([0.1], '<b>"a"</b>\n<a href="x">\x1b'), [], LIGHT)
    assert words(figure).startswith('<b>&lt;b&gt;"a"&lt;/b&gt;⏎&lt;a href="x"&gt;␛</b>  0.1')


def test_a_limit_is_a_dashed_line_with_its_number() -> None:
    figure = curve(series([0.05, 0.15]), [outcome()], LIGHT)
    assert [shape.y0 for shape in shapes(figure, "limit")] == [0.2]
    assert "limit 0.2" in words(figure)


@pytest.mark.parametrize(
    ("values", "limit", "side"),
    [
        ([0.1, 0.9, np.nan, np.nan], 0.1, "left"),
        ([0.1, 0.9, np.nan, np.nan], 0.9, "right"),
        ([np.nan, np.nan, 0.1, 0.9], 0.1, "right"),
        ([0.1, 0.9, 0.9, 0.9], 0.1, "right"),
    ],
)
def test_the_number_of_a_low_limit_stands_where_no_nan_are_counted(
    values: list[float], limit: float, side: str
) -> None:
    fired = outcome(Verdict.FIRED, limit, severity=Severity.WARNING, first_step=1, last_step=4, measured=0.9)
    figure = curve(series(values), [fired], LIGHT)
    assert [text.xanchor for text in figure.layout.annotations if text.text.startswith("limit")] == [side]


def test_a_limit_far_above_that_was_never_reached_neither_flattens_the_curve_nor_is_told() -> None:
    figure = curve(series([0.001, 0.002]), [outcome()], LIGHT)
    assert shapes(figure, "limit") == []
    assert "limit" not in words(figure)


def test_a_limit_out_of_view_that_was_reached_is_told_at_the_edge() -> None:
    fired = outcome(Verdict.FIRED, severity=Severity.CRITICAL, episodes=(Stretch(1, 2, Severity.CRITICAL),))
    assert "limit 0.2 ↑" in words(curve(series([0.001, 0.002]), [fired], LIGHT))


def test_a_limit_that_a_quiet_rule_lets_the_curve_cross_is_not_drawn() -> None:
    crossed = curve(series([0.05] * 10 + [0.4] * 10), [outcome(measured=0.01)], LIGHT)
    assert (shapes(crossed, "limit"), "limit" in words(crossed)) == ([], False)


def test_a_single_point_beyond_leaves_the_limit_on_the_chart() -> None:
    spiked = curve(series([0.1] * 19 + [0.3]), [outcome(measured=0.1)], LIGHT)
    assert [shape.y0 for shape in shapes(spiked, "limit")] == [0.2]


def test_of_quiet_limits_the_one_that_the_curve_keeps_to_is_drawn() -> None:
    crossed_once, kept, far = (outcome(measured=0.1, limit=limit) for limit in (0.15, 0.2, 0.3))
    below = outcome(measured=0.1, limit=0.05)
    figure = curve(series([0.1] * 39 + [0.18]), [crossed_once, far, kept, below], LIGHT)
    assert [shape.y0 for shape in shapes(figure, "limit")] == [0.05, 0.2]


def test_the_limit_of_a_start_is_drawn_only_where_the_start_was_beyond_it() -> None:
    quiet = outcome(measured=0.0, limit=0.05, is_of_start=True)
    fired = outcome(Verdict.FIRED, measured=0.1, limit=0.05, is_of_start=True)
    drawn = [shapes(curve(series([0.04] * 20), [found], LIGHT), "limit") for found in (quiet, fired)]
    assert [[shape.y0 for shape in lines] for lines in drawn] == [[], [0.05]]


def test_a_limit_that_fired_is_drawn_wherever_the_curve_lies() -> None:
    fired = outcome(Verdict.FIRED, severity=Severity.WARNING, measured=0.4, first_step=1, last_step=20)
    assert [shape.y0 for shape in shapes(curve(series([0.4] * 20), [fired], LIGHT), "limit")] == [0.2]


def test_limits_too_close_for_their_words_share_a_line_of_them() -> None:
    close = [outcome(Verdict.FIRED, limit=limit) for limit in (0.1, 1.0, 20.0)]
    drawn = curve(series([0.0, 29.0]), close, LIGHT)
    assert [shape.y0 for shape in shapes(drawn, "limit")] == [0.1, 1.0, 20.0]
    assert "limit 0.1 · 1" in words(drawn)
    assert "limit 20" in words(drawn)


def test_a_limit_in_another_unit_is_not_drawn() -> None:
    figure = curve(series([0.1, 0.2]), [outcome(unit="× its own median")], LIGHT)
    assert "limit" not in words(figure)


def test_the_steps_of_a_finding_are_shaded_in_the_colour_of_its_severity() -> None:
    fired = outcome(Verdict.FIRED, severity=Severity.CRITICAL, episodes=(Stretch(2, 3, Severity.CRITICAL),))
    (shade,) = shapes(curve(series([0.1, 0.3, 0.3]), [fired], LIGHT), "episode")
    assert (1.5, 3.5, LIGHT.critical) == (shade.x0, shade.x1, shade.fillcolor)


def test_an_outcome_about_another_metric_leaves_no_mark() -> None:
    figure = curve(series([0.1], name="reward"), [outcome()], LIGHT)
    assert figure.layout.shapes == ()


def test_the_chosen_step_is_a_line() -> None:
    assert shapes(curve(series([0.1, 0.2]), [], LIGHT, chosen_step=2), "chosen step")[0].x0 == 2


def test_points_that_were_logged_again_stay_faintly_visible() -> None:
    resumed = series([0.1, 0.2], replaced_steps=np.array([2]), replaced_values=np.array([0.9]))
    assert list(trace(curve(resumed, [], LIGHT), "replaced").y) == [0.9]


def test_unit_and_what_good_looks_like_stand_above_the_curve() -> None:
    assert "nats/token · below 0.2" in words(curve(series([0.1]), [], LIGHT))


def test_a_wide_range_gets_a_log_axis_that_is_named() -> None:
    figure = curve(series([1e-6, 1e-6, 1.0]), [], LIGHT)
    assert figure.layout.yaxis.type == "log"
    assert "log scale" in words(figure)


def test_a_start_near_zero_does_not_turn_a_curve_logarithmic() -> None:
    assert curve(series([1e-12, 0.5, 1.0]), [], LIGHT).layout.yaxis.type == "linear"


def test_a_reward_function_is_named_by_itself() -> None:
    figure = curve(series([0.5], name="reward_func_mean/accuracy"), [], LIGHT)
    assert "<b>accuracy</b>  0.5 Reward function · reward · should rise" in words(figure)


def test_a_range_with_negative_values_stays_linear() -> None:
    assert curve(series([-1.0, 1e6]), [], LIGHT).layout.yaxis.type == "linear"


def test_a_name_from_a_log_is_not_markup() -> None:
    assert "<script>" not in words(curve(series([0.1], name="<script>x</script>"), [], LIGHT))


def test_the_zoom_is_kept_because_no_range_is_set_and_the_revision_is_constant() -> None:
    layouts = [curve(series(values), [], LIGHT).layout for values in ([0.1, 0.2], [0.1, 0.2, 0.9])]
    assert {None} == {layout.xaxis.range for layout in layouts} | {layout.yaxis.range for layout in layouts}
    assert len({layout.uirevision for layout in layouts}) == 1


def test_a_sparkline_keeps_the_spike_and_only_numbers() -> None:
    values = [0.0] * 500 + [7.0, np.nan, np.inf] + [0.0] * 500
    drawn = sparkline(series(values))
    assert max(drawn) == 7.0
    assert len(drawn) < 60
    assert sparkline(None) == []


def test_evaluations_stand_beside_the_curve_of_training() -> None:
    train, held_out = series([0.1, 0.2, 0.3], "reward"), series([0.5], "eval/reward")
    figure = curve(train, [], LIGHT, held_out=held_out)
    assert list(trace(figure, "held out").y) == [0.5]
    assert "◇ held out 0.5" in words(figure)
    assert figure.layout.yaxis.autorangeoptions.include[1] >= 0.5
