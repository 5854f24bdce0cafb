"""The table of all metrics at the chosen step, from which one goes on to the steps beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from app import state
from app.figures.metric_table import metric_rows
from app.widgets.component import component
from diagnostics.language import _, pgettext
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run


def metric_table(run: Run, outcomes: Sequence[Outcome], chosen_step: int | None, words: Sequence[str]) -> None:
    """Draw the rows in whose name, tag or title all the words are."""
    rows = [
        row for row in metric_rows(run, outcomes, chosen_step) if _matches(f"{row.name} {row.tag} {row.title}", words)
    ]
    before, after = _neighbours(run, chosen_step)
    data = {
        "step": chosen_step,
        "before": before,
        "after": after,
        "rows": [asdict(row) for row in rows],
        "columns": _columns(),
        "words": _words(),
    }
    component("metric_table", data, _go)


def _columns() -> Mapping[str, str]:
    return {
        "title": _("Metric"),
        "value": pgettext("of a metric", "Value"),
        "first": _("First"),
        "change": _("Change"),
        "healthy": _("Healthy"),
        "unit": _("Unit"),
        "tag": _("Logged as"),
    }


def _words() -> Mapping[str, str]:
    return {
        "before": _("Step before"),
        "after": _("Step after"),
        "step": _("step {step}"),
        "newest": _("newest"),
        "newest_values": _("newest values"),
    }


def _matches(text: str, words: Sequence[str]) -> bool:
    return all(word in text.lower() for word in words)


def _neighbours(run: Run, step: int | None) -> tuple[int | None, int | None]:
    """The logged steps before and after the chosen one; without one the newest is shown."""
    steps = run.steps
    if not len(steps):
        return None, None
    at = int(steps[-1]) if step is None else step
    before, after = int(steps.searchsorted(at)), int(steps.searchsorted(at, "right"))
    return (
        int(steps[before - 1]) if before else None,
        int(steps[after]) if after < len(steps) else None,
    )


def _go(wish: Mapping[str, Any]) -> None:
    step = wish.get("step")
    state.choose_step(int(step) if step is not None else None)
