"""Overlays: one chart for each metric, with a line for each run, side by side."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from app import state
from app.figures.overlay import colour_of, dash_of, overlay
from app.widgets.charts import CRUCIAL, chart_grid
from app.widgets.reference import reference_chooser
from diagnostics.comparison import LETTERS, SideBySide
from diagnostics.curves.axes import AXES, Axis, axes_of
from diagnostics.curves.selection import crucial_series, other_series
from diagnostics.model.run import Run
from diagnostics.visible_text import one_line
from diagnostics.wording.run_names import distinct_names

_LEAST_RUNS = 2  # that log a metric, before there is anything to compare


def crucial_names(runs: Sequence[Run]) -> list[str]:
    """The crucial metrics that two runs share, the baseline's first."""
    return _shared((series.name for run in runs for series in crucial_series(run)), runs)


def other_names(runs: Sequence[Run]) -> list[str]:
    """Every other metric that two runs share, in the vocabulary's order, raw tags after them."""
    return _shared((series.name for run in runs for series in other_series(run)), runs)


def _shared(names: Iterable[str], runs: Sequence[Run]) -> list[str]:
    return [name for name in dict.fromkeys(names) if sum(run.get(name) is not None for run in runs) >= _LEAST_RUNS]


def overlays(side: SideBySide, names: Iterable[str], ghost: Run | None, key: str) -> None:
    """Draw the overlays of these metrics; above the crucial ones stand the legend and the view options."""
    paths = [str(run.path) for run in side.runs]
    chart_grid(
        [overlay(side, name, ghost) for name in names],
        f"{key}.overlays",
        page="\n".join(paths),
        steps=_extent(side.runs),
        chosen_step=state.chosen_step(),
        axes=_axes(side.runs) if key == CRUCIAL else None,
        reference=reference_chooser(side.algorithms, paths),
        legend=list(_legend(side)),
    )


def _extent(runs: Sequence[Run]) -> tuple[int, int]:
    """From the first step of all to the last one."""
    ends = [step for run in runs if len(run.steps) for step in (int(run.steps[0]), int(run.steps[-1]))]
    return min(ends, default=0), max(ends, default=0)


def _axes(runs: Sequence[Run]) -> list[Axis]:
    """What every run has logged."""
    return [axis for axis in AXES if all(axis in axes_of(run) for run in runs)]


def _legend(side: SideBySide) -> Iterator[Mapping[str, Any]]:
    for place, name in enumerate(distinct_names([(run.name, run.path) for run in side.runs])):
        yield {"words": LETTERS[place], "name": one_line(name), "colour": colour_of(place), "dash": dash_of(place)}
