"""The page of healthy ranges: what each metric does, and what each rule measures, in runs that came out healthy."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import median

import numpy as np

from benchmarks.detecting.scores import Result
from benchmarks.trl_runs.report import PRODUCERS, healthy, without_speed
from diagnostics.rules import CATALOG

INTRODUCTION = """\
# What healthy runs look like

The ranges of each metric in runs of TRL that came out healthy by their held-out score, whatever any metric said. They
are those of the tune part alone, since limits may be chosen on it. Start is the median of the first values, typical the
5 % to 95 % range of the runs' medians, extremes the least and the largest value of any run. Written by

    python -m benchmarks.detection_trl
"""
_REACHED = """\
## Limits that healthy runs reached

A limit inside the ranges above is kept only for a reason, which the rule's own text gives.
"""
_LEAST = 3
"""Healthy runs that it takes to speak of a range."""


def ranges_page(results: Sequence[Result]) -> str:
    """The whole page; `results` are those of the tune part."""
    runs = [without_speed(run) for run in healthy(results)]
    pieces = [INTRODUCTION]
    for algorithm, title in PRODUCERS.items():
        of_it = [run for run in runs if run["cell"]["algorithm"] == algorithm]
        if len(of_it) >= _LEAST:
            pieces += [
                f"## {title} of TRL {of_it[0]['cell']['producer']}: {len(of_it)} runs\n",
                _table(of_it),
            ]
    pieces += [
        "## By task\n",
        _by_task(runs),
        f"## What the rules measure in {len(runs)} healthy runs\n",
        _limits(runs),
        _reached(runs),
    ]
    return "\n".join(pieces)


def _table(runs: Sequence[Result]) -> str:
    lines = ["| metric | runs | start | typical | extremes |", "|---|---|---|---|---|"]
    for name, found in sorted(_by_metric(runs).items()):
        first, middle, _, least, largest = (list(column) for column in zip(*found, strict=True))
        extremes = f"{min(least):.3g} to {max(largest):.3g}"
        lines.append(f"| `{name}` | {len(found)} | {median(first):.3g} | {_typical(middle)} | {extremes} |")
    return "\n".join([*lines, ""])


def _by_task(runs: Sequence[Result]) -> str:
    tasks = sorted({run["cell"]["task"] for run in runs})
    by_task = {task: _by_metric(run for run in runs if run["cell"]["task"] == task) for task in tasks}
    counts = Counter(run["cell"]["task"] for run in runs)
    lines = [f"| typical | {' | '.join(f'{task} ({counts[task]})' for task in tasks)} |", f"|---|{'---|' * len(tasks)}"]
    for name in sorted({name for found in by_task.values() for name in found}):
        cells = [_typical([five[1] for five in by_task[task].get(name, ())]) for task in tasks]
        if any(cell != "–" for cell in cells):
            lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _limits(runs: Sequence[Result]) -> str:
    """Each rule's own measure beside its limit; the limit is the middle one where it goes with the run."""
    measured: dict[str, list[tuple[float, float, str]]] = defaultdict(list)
    for run in runs:
        for rule, (value, limit, unit) in run["limits"].items():
            measured[rule].append((value, limit, unit))
    fired = Counter((rule, level) for run in runs for rule, level in run["fired"].items())
    lines = [
        "| rule | runs | limit | unit | measured: 5 %, median, 95 % | extremes | note | warning | critical |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for rule, found in sorted(measured.items()):
        values = [value for value, _, _ in found]
        low, middle, high = np.quantile(values, (0.05, 0.5, 0.95))
        levels = " | ".join(str(fired[rule, level]) for level in ("info", "warning", "critical"))
        lines.append(
            f"| `{rule}` | {len(found)} | {median(limit for _, limit, _ in found):.3g} | {found[0][2].strip()} | "
            f"{low:.3g}, {middle:.3g}, {high:.3g} | {min(values):.3g} to {max(values):.3g} | {levels} |"
        )
    return "\n".join([*lines, ""])


def _reached(runs: Sequence[Result]) -> str:
    """The rules whose limit lies inside of what healthy runs do, and what they say of that."""
    reached: dict[str, Counter[str]] = defaultdict(Counter)
    for run in runs:
        for rule, level in run["fired"].items():
            reached[rule][level] += 1
    lines = [_REACHED, "| rule | note | warning | critical | when it is wrong, or harmless |", "|---|---|---|---|---|"]
    for rule in (rule for rule in CATALOG if rule.name in reached):
        levels = " | ".join(str(reached[rule.name][level]) for level in ("info", "warning", "critical"))
        lines.append(f"| `{rule.name}` | {levels} | {rule.sections['When it is wrong']} |")
    return "\n".join([*lines, ""]) if reached else ""


def _by_metric(runs: Iterable[Result]) -> dict[str, list[list[float]]]:
    found: dict[str, list[list[float]]] = defaultdict(list)
    for run in runs:
        for name, five in run["metrics"].items():
            found[name].append(five)
    return {name: values for name, values in found.items() if len(values) >= _LEAST}


def _typical(medians: Sequence[float]) -> str:
    if len(medians) < _LEAST:
        return "–"
    low, high = np.quantile(medians, (0.05, 0.95))
    return f"{low:.3g} to {high:.3g}"
