"""The chart of a histogram over the steps: bands of shares, holes where no value was finite, and what is no number."""

import numpy as np
import plotly.graph_objects as go
import pytest

from app.figures.distribution import bins_at, distribution, distribution_description, not_finite
from app.theme import DARK, LIGHT, Palette
from diagnostics.model.histograms import Histogram, Histograms

SPREAD = Histogram.of([0.0, 4.0], [8])
BROKEN = Histogram.of([], [], nan=64)


def histograms(*bins: Histogram, name: str = "kl_distribution") -> Histograms:
    return Histograms(name, "objective/kl_dist", np.arange(1, len(bins) + 1) * 10, bins)


def trace(figure: go.Figure, name: str) -> go.Scatter:
    return next(item for item in figure.data if item.name == name)


def test_the_line_is_the_median_and_the_bands_hold_half_nine_in_ten_and_all() -> None:
    figure = distribution(histograms(SPREAD, SPREAD), LIGHT)
    assert list(trace(figure, "median").y) == [2, 2]
    assert list(trace(figure, "half").y[:4]) == [1, 1, 3, 3]
    assert list(trace(figure, "90 %").y[:4]) == pytest.approx([0.2, 0.2, 3.8, 3.8])
    assert list(trace(figure, "all").y[:4]) == [0, 0, 4, 4]
    assert list(trace(figure, "half").x[:4]) == [10, 20, 20, 10]


def test_a_step_without_a_finite_value_leaves_a_hole_in_line_and_bands() -> None:
    figure = distribution(histograms(SPREAD, BROKEN, SPREAD, SPREAD), LIGHT)
    assert list(np.isnan(trace(figure, "median").y)) == [False, True, False, False]
    assert trace(figure, "median").connectgaps is False
    outlines = np.array(trace(figure, "all").x, dtype=float)
    assert outlines[~np.isnan(outlines)].tolist() == [10, 10, 30, 40, 40, 30]
    assert np.isnan(outlines[2])


def test_histograms_of_nothing_but_nan_can_be_drawn() -> None:
    assert len(trace(distribution(histograms(BROKEN), LIGHT), "all").x) == 0


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_title_unit_and_colour_are_those_of_other_charts(palette: Palette) -> None:
    figure = distribution(histograms(SPREAD), palette, chosen_step=10)
    words = " ".join(annotation.text for annotation in figure.layout.annotations)
    assert "KL distribution" in words
    assert "nats/sequence · median" in words
    assert trace(figure, "median").line.color == palette.line
    assert [shape.name for shape in figure.layout.shapes] == ["chosen step"]


def test_what_is_no_number_is_counted_in_words() -> None:
    assert not_finite(histograms(SPREAD, SPREAD)) == ""
    mixed = Histogram.of([0.0, 1.0], [61], nan=2, inf=1)
    assert not_finite(histograms(SPREAD, mixed)) == "2 NaN and 1 ∞ among 64 values at step 20"
    assert not_finite(histograms(SPREAD, mixed, BROKEN)) == "64 NaN among 64 values at step 30; so at 2 of 3 steps"


def test_a_long_run_is_thinned_out_and_keeps_its_first_and_last_step() -> None:
    drawn = trace(distribution(histograms(*[SPREAD] * 5000), LIGHT), "median").x
    assert (drawn[0], drawn[-1], len(drawn)) == (10, 50_000, 200)


def test_the_words_say_where_the_newest_values_lie() -> None:
    assert distribution_description(histograms(SPREAD)) == "KL distribution: median 2, half from 1 to 3 at step 10"
    assert distribution_description(histograms(BROKEN)).endswith("at step 10; 64 NaN among 64 values at step 10")


def test_the_bins_of_a_step_are_as_wide_as_logged_and_as_high_as_values_are_dense() -> None:
    bins = Histogram.of([0.0, 1.0, 4.0, 4.0], [2, 3, 1])
    (bars,) = bins_at(histograms(SPREAD, bins), LIGHT).data
    assert list(bars.x) == [0, 1, 4]
    assert list(bars.width) == [1, 3, 0.008]
    assert list(bars.y) == [2, 1, 125]
    assert [list(row) for row in bars.customdata] == [[0, 1, 2], [1, 4, 3], [4, 4, 1]]


@pytest.mark.parametrize(("step", "shown"), [(None, 30), (30, 30), (29, 20), (20, 20), (1, 10), (99, 30)])
def test_the_bins_are_those_of_the_chosen_step_or_of_the_last_one_before_it(step: int | None, shown: int) -> None:
    figure = bins_at(histograms(SPREAD, SPREAD, SPREAD), LIGHT, chosen_step=step)
    assert figure.layout.annotations[0].text == f"at step {shown}, 8 values"


def test_a_step_without_a_finite_value_has_no_bins() -> None:
    (bars,) = bins_at(histograms(BROKEN), DARK).data
    assert len(bars.x) == 0
