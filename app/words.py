"""How times, states and messages are said: short, factual, with three significant digits."""

import time
from collections.abc import Mapping
from datetime import datetime

import numpy as np

from diagnostics.model.messages import Message, render, setting, shown
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.texts import templates

LIVE_STATES = frozenset({"queued", "starting", "running"})
_FRESH = 900.0  # seconds: a log of unknown state written to more recently than this may still grow
_QUIET_AFTER = 60.0  # seconds without a new step before the state line says so
_MARKDOWN = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]()<>#+-.!|~$:^=&\"'@/"})
_SECONDS: Mapping[str, float] = {"d": 86400.0, "h": 3600.0, "min": 60.0}


def said(message: Message | None) -> str:
    """A message as a sentence; empty for none."""
    return render(message, templates()) if message else ""


def plain(text: str) -> str:
    """Text in which Markdown finds nothing to format: names and messages may hold any sign."""
    return text.translate(_MARKDOWN).replace("\n", " ")


def prose(text: str) -> str:
    """Text of our own documents as Markdown: what stands between backticks is code, nothing else is formatted."""
    parts = text.split("`")
    return "".join(f"`{part}`" if index % 2 else plain(part) for index, part in enumerate(parts))


def shown_or_blank(value: float | None) -> str:
    """A number with three significant digits; empty for none."""
    return "" if value is None else shown(float(value))


def typed(value: object) -> str:
    """A setting as a person types it: `0.0002` and not 2.00e-4, `accuracy, brevity` and no brackets."""
    return ", ".join(map(setting, value)) if isinstance(value, list | tuple) else setting(value)


def duration(seconds: float) -> str:
    """Seconds in the largest fitting unit: `40 s`, `12 min`, `3 h`, `2 d`."""
    for unit, size in _SECONDS.items():
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"


def age(moment: float | None) -> str:
    """How long ago a moment (seconds since the epoch) was: `2 min ago`; empty where unknown."""
    return "" if moment is None else f"{duration(time.time() - moment)} ago"


def exact(moment: float | None) -> str:
    """A moment as local date and time; empty where unknown."""
    return "" if moment is None else datetime.fromtimestamp(moment).strftime("%Y-%m-%d %H:%M:%S")


def is_live(run: Run) -> bool:
    """Whether more data may come: the run says that it goes on, or cannot say and was written to a moment ago."""
    if run.status.state in LIVE_STATES:
        return True
    written = run.status.last_written
    return run.status.state in ("unknown", "silent") and written is not None and time.time() - written < _FRESH


def progress(run: Run) -> str:
    """`step 143/200`, `step 143` where the total is unknown, empty before the first step."""
    step = last_step(run)
    if step is None:
        return ""
    return f"step {step}/{run.status.total}" if run.status.total else f"step {step}"


def last_step(run: Run) -> int | None:
    """The last step that the run logged, else the one that its status names."""
    return int(run.steps[-1]) if len(run.steps) else run.status.step


def time_left(run: Run) -> str:
    """`2 min left` at the pace so far; empty where the run has ended or the pace or the total is unknown."""
    longest = max(run.series.values(), key=lambda series: len(series.times), default=None)
    if run.status.state != "running" or not run.status.total or longest is None or len(longest.times) < 2:
        return ""
    steps = int(longest.steps[-1] - longest.steps[0])
    pace = float(longest.times[-1] - longest.times[0]) / max(steps, 1)
    return f"{duration(pace * max(run.status.total - int(longest.steps[-1]), 0))} left"


def last_data(run: Run) -> float | None:
    """When the newest point was written, in seconds since the epoch; None where the log has no times."""
    moments = [series.times[-1] for series in run.series.values() if len(series.times)]
    return float(np.max(moments)) if moments else None


def quiet_for(run: Run) -> str:
    """`no new data for 12 min` for a run that should be writing and has not for a while; else empty."""
    newest = last_data(run)
    if newest is None or run.status.state not in (*LIVE_STATES, "silent") or time.time() - newest < _QUIET_AFTER:
        return ""
    return f"no new data for {duration(time.time() - newest)}"


def measured_against_limit(outcome: Outcome) -> str:
    """`0.94 fraction, limit 0.8`; empty where nothing was measured."""
    if outcome.measured is None:
        return ""
    limit = "" if outcome.limit is None else f", limit {shown(outcome.limit)}"
    return f"{shown(outcome.measured)} {outcome.unit}".rstrip() + limit


def steps_of(outcome: Outcome) -> str:
    """`since step 12`, `steps 12–61` or `step 12`; empty for an outcome without steps."""
    first, last = outcome.first_step, outcome.last_step
    if first is None or last is None:
        return ""
    if outcome.still:
        return f"since step {first}, still so"
    return f"step {first}" if first == last else f"steps {first}–{last}"
