"""The tables of the parity benchmark, as lines of Markdown."""

import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from benchmarks.parity.cases import LARGEST_DIFFERENCE
from benchmarks.parity.compare import GRADIENTS, LARGEST_PARAMETER_DIFFERENCE, PARAMETERS, Comparison
from benchmarks.parity.curves import STEPS, WIDEST_T, Block

NAMES = {"grpo": "GRPO", "rloo": "RLOO", "ppo": "PPO"}
CURVES = {"grpo": "GRPO", "rloo": "RLOO", "ppo": "PPO", "ppo-full-length": "PPO, every response at its full length:"}
REMARKS = {
    "ppo": (
        "In the first six steps our KL tends to lie above TRL's. It is the score's place, as far as seeds can tell, "
        "which is one position later in TRL where the response ends early: where every response has its full length, "
        "below, both definitions are the same."
    )
}
"""What a table of curves does not show by itself."""


def identical_table(algorithm: str, comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Each metric at the comparison where the two sides, each by its own definition, are furthest apart."""
    cases = {comparison.case.name: comparison.case for comparison in comparisons}
    steps = max(comparison.step for comparison in comparisons)
    yield ""
    yield f"## {NAMES[algorithm]} on identical rollouts"
    yield ""
    yield (
        f"{len(cases)} cases of {steps} steps ({'; '.join(cases)}). Each row shows the comparison that is furthest "
        f"apart; equal means |difference| ≤ {LARGEST_DIFFERENCE:g}, relative above 1. Gradients and parameters are "
        "compared by the norm of their difference over the norm of TRL's; parameters may differ by "
        f"{LARGEST_PARAMETER_DIFFERENCE:.0%} of the way they went: Adam makes a full step of a gradient of 1e-9."
    )
    yield ""
    yield "| metric | compared | ours | TRL's | difference | |"
    yield "|---|---:|---:|---:|---:|---|"
    for metric, found in _by_metric(c for c in comparisons if not c.reason).items():
        worst = max(found, key=_distance)
        verdict = "equal" if all(comparison.holds for comparison in found) else "**DIFFERS**"
        yield f"| {_name(metric)} | {len(found)} | {_pair(worst)} | {worst.difference:.1e} | {verdict} |"


def on_purpose_table(algorithm: str, comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Each metric that differs on purpose: its largest difference, why, and what remains under one definition."""
    yield ""
    yield f"### {NAMES[algorithm]}: where the definitions differ on purpose"
    yield ""
    yield (
        "The last column is the largest difference, over all cases and steps, between both sides under one definition: "
        + (
            "TRL's values, pass by pass, joined as ours are."
            if algorithm != "ppo"
            else "our functions put together as TRL's loop puts them (`benchmarks/parity/ppo_as_trl.py`)."
        )
    )
    yield ""
    yield "| metric | compared | ours | TRL's | reason | left under one definition | |"
    yield "|---|---:|---:|---:|---|---:|---|"
    for metric, of_metric in _by_metric(c for c in comparisons if c.reason).items():
        for reason in sorted({comparison.reason for comparison in of_metric}):
            found = [comparison for comparison in of_metric if comparison.reason == reason]
            widest = max(found, key=_distance)
            left = max(comparison.remaining for comparison in found)
            verdict = "equal" if all(comparison.holds for comparison in found) else "**DIFFERS**"
            yield f"| {_name(metric)} | {len(found)} | {_pair(widest)} | {reason} | {left:.1e} | {verdict} |"


def curve_heading(curve: str) -> str:
    """The heading of a curve's section."""
    return f"## {CURVES[curve]} learning curves"


def curve_table(curve: str, points: Sequence[Block]) -> Iterator[str]:
    """The learning curves: mean ± standard deviation over seeds, block by block."""
    seeds = len(points[0].ours)
    yield ""
    yield curve_heading(curve)
    yield ""
    yield (
        f"{seeds} seeds on each side, {STEPS} steps, each trainer drawing its own prompts and completions. Mean ± "
        "standard deviation over seeds, and Student's t of the two means: within the seeds' spread up to "
        f"{WIDEST_T[seeds]:g}, which chance exceeds in 0.2 % of blocks, so in one of these {len(points)} with a "
        f"probability of {1 - 0.998 ** len(points):.0%}."
    )
    yield ""
    yield "| metric | steps | ours | TRL's | t | |"
    yield "|---|---|---:|---:|---:|---|"
    for point in points:
        verdict = "within" if point.holds else "**OUTSIDE**"
        steps = f"{point.first}–{point.last}"
        yield (
            f"| {_name(point.metric)} | {steps} | {_spread(point.ours)} | {_spread(point.theirs)} | {point.t:.2f} "
            f"| {verdict} |"
        )
    if curve in REMARKS:
        yield ""
        yield REMARKS[curve]


def _by_metric(comparisons: Iterable[Comparison]) -> dict[str, list[Comparison]]:
    found: defaultdict[str, list[Comparison]] = defaultdict(list)
    for comparison in comparisons:
        found[comparison.metric].append(comparison)
    return {metric: found[metric] for metric in sorted(found, key=lambda name: (name in (GRADIENTS, PARAMETERS), name))}


def _distance(comparison: Comparison) -> tuple[float, float]:
    """How far apart the two sides are; if equal, the larger value is more informative."""
    return comparison.difference, abs(comparison.ours)


def _name(metric: str) -> str:
    return metric if metric in (GRADIENTS, PARAMETERS) else f"`{metric}`"


def _pair(comparison: Comparison) -> str:
    if comparison.metric in (GRADIENTS, PARAMETERS):
        return f"{comparison.ours:.1e} apart | "
    return f"{comparison.ours:.6g} | {comparison.theirs:.6g}"


def _spread(values: Sequence[float]) -> str:
    return f"{statistics.fmean(values):.4g} ± {statistics.stdev(values):.2g}"
