"""The stacked band of a step's stages: every stage, gap and spike is in the figure."""

import numpy as np
import plotly.graph_objects as go
import pytest

from app.figures.time_band import time_band
from app.theme import DARK, LIGHT, Palette
from diagnostics.model.series import Values
from diagnostics.time_budget.budget import TimeBudget


def budget_of(step: Values, generation: Values, update: Values | None = None) -> TimeBudget:
    """A budget of steps 1, 2, … that generate and, where given, update."""
    timed = {"generate": generation} if update is None else {"generate": generation, "update": update}
    rest = step - np.sum(list(timed.values()), axis=0)
    steps = np.arange(1, len(step) + 1, dtype=np.int64)
    return TimeBudget(steps, step, {**timed, "other": rest}, {}, np.zeros(len(step)), None)


FOUR = budget_of(np.full(4, 10.0), np.full(4, 6.0), np.full(4, 3.0))


def bar(figure: go.Figure, name: str) -> go.Bar:
    return next(item for item in figure.data if item.name == name)


def test_the_stages_of_a_step_stand_on_each_other_up_to_the_whole() -> None:
    figure = time_band(FOUR, LIGHT)
    assert [item.name for item in figure.data] == ["generation", "updates", "not timed", "whole step"]
    assert np.sum([item.y for item in figure.data[:-1]], axis=0).tolist() == bar(figure, "whole step").y.tolist()


def test_bars_touch_and_a_gap_is_a_hole() -> None:
    figure = time_band(budget_of(np.array([10.0, 10, 10, 10, np.nan, 10, 10, 10, 10]), np.full(9, 6.0)), LIGHT)
    assert bar(figure, "generation").width.tolist() == [1] * 9
    assert np.flatnonzero(np.isnan(bar(figure, "whole step").y)).tolist() == [4]
    assert bar(figure, "whole step").connectgaps is False


def test_no_spike_of_any_stage_is_lost_in_a_long_run() -> None:
    generation = np.full(50_000, 5.0)
    generation[31_337] = 1.0
    figure = time_band(budget_of(np.full(50_000, 10.0), generation, 9.0 - generation), LIGHT)
    drawn = bar(figure, "generation")
    assert len(drawn.x) < 10_000
    assert drawn.y[list(drawn.x).index(31_338)] == 1.0
    assert drawn.width.sum() == 50_000


def test_zoomed_in_far_enough_every_step_is_drawn() -> None:
    budget = budget_of(np.full(50_000, 10.0), np.linspace(5.0, 6.0, 50_000))
    drawn = bar(time_band(budget, LIGHT, window=(31_000.4, 31_500.6)), "generation")
    assert set(range(31_000, 31_502)) <= set(drawn.x.tolist())
    assert len(drawn.x) < 5_000
    assert drawn.width.sum() == 50_000


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_every_stage_has_a_word_beside_its_colour(palette: Palette) -> None:
    figure = time_band(FOUR, palette, chosen_step=2)
    assert figure.layout.showlegend
    assert bar(figure, "generation").marker.color == palette.stages[0]
    assert [shape.name for shape in figure.layout.shapes] == ["chosen step"]
