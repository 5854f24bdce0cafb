"""Completions reach the length limit instead of ending: they are scored for what they did not get to say.

What it checks
    The share of completions that were cut off (`completions/clipped_ratio`), as the median of five logged points, for
    five points in a row: 0.1 is info, 0.3 is a warning, 0.8 is critical. Their mean must exceed that by three of its
    standard errors, because with few answers in a step a third may be cut off by chance.

Why it matters
    A cut-off answer mostly earns nothing, so the gradient teaches brevity or nothing. Where nearly all are cut off,
    reward, loss and gradient are 0 and the run does nothing.

When it is wrong
    TRL before 1.15 counts only the tokenizer's own end token: a model that ends on another one shows 0.97 although
    its answers end. Then the longest completion is shorter than the limit.

What to try
    Raise the length limit; if the answers still do not end, the model has not learned to stop. Where few answers were
    cut off at the start, they grew into the limit: then a higher one makes it worse, and the reward pays for length.
    Read some of the cut-off samples: repetition up to the limit is a different problem from a long solution.

References
    TRL logging page, crucial GRPO values · verl documentation (above 0.1 is often too much) · TRL issues 5697,
    7039.
"""

from dataclasses import replace

from diagnostics.detectors.averages import start_level
from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.lengths import ended_unseen, length_limit
from diagnostics.rules.levels import Level, Reading, read_proven_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.missing_metrics import unseen_ends
from diagnostics.rules.rule import Fired, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of

WHERE_ANSWERS_GREW = ("checked-reward", "length-neutral-reward", "stronger-kl")


class Limits(RuleLimits):
    """Which share of cut-off completions is too much."""

    info: float = limit(0.1, "fraction", "verl documentation: above 0.1 often means that too much is cut off")
    warning: float = limit(0.3, "fraction", "engineering default")
    critical: float = limit(0.8, "fraction", "engineering default; public runs at 0.97 learned nothing")
    patience: int = limit(5, "logged points", "engineering default")
    start: int = limit(5, "logged points", "engineering default: how the run began")
    grown: float = limit(0.5, "of what it came to", "engineering default: below it the answers grew into the limit")


class TruncationHigh(RunRule[Limits]):
    """Judges `completions/clipped_ratio`."""

    code = "RV601"
    name = "truncation-high"
    grade = "S"
    source = "TRL logging page: completions/clipped_ratio"
    inputs = ("truncated_fraction",)
    limits = Limits()
    remedies = ("longer-completions",)
    telling_samples = "cut-off"
    texts = english(
        headline="The completions are cut off before they end.",
        fired="Up to {percent} % of completions were cut off (step {peak}); {limit_percent} % or more{mostly} from "
        "step {first} to {last}.",
        fired_at="Up to {percent} % of completions were cut off at {parameter} = {tokens} (step {peak}); "
        "{limit_percent} % or more{mostly} from step {first} to {last}.",
    )

    def applies(self, run: Run) -> bool:
        """Also where another algorithm logs the share, or samples tell it; PPO of TRL counts end tokens instead."""
        return run.algorithm in GROUP_FAMILY or not self.missing(run)

    def check(self, run: Run, limits: Limits) -> RuleResult:
        levels = (
            Level(Severity.INFO, limits.info, limits.patience),
            Level(Severity.WARNING, limits.warning, limits.patience),
            Level(Severity.CRITICAL, limits.critical, limits.patience),
        )
        reading = read_proven_levels(series_of(run, "truncated_fraction"), levels)
        if not isinstance(reading, Reading) or reading.breach is None:
            return self.judged(reading)
        breach = reading.breach.episode
        if ended_unseen(run, *reading.series.steps[[breach.first, breach.last]].tolist()):
            return unseen_ends()
        stated = length_limit(run)
        reached = float(reading.series.values[reading.breach.peak])
        finding = self.judged(
            reading,
            key="fired_at" if stated else "fired",
            percent=100 * reached,
            limit_percent=100 * reading.breach.level.limit,
            parameter=stated.parameter if stated else "",
            tokens=stated.tokens if stated else 0,
        )
        if isinstance(finding, Fired) and _has_grown(reading.series, reached, limits):
            return replace(finding, remedies=WHERE_ANSWERS_GREW)
        return finding


def _has_grown(series: Series, reached: float, limits: Limits) -> bool:
    """Whether few answers were cut off at the start: then the policy has learned not to stop, and a higher limit does
    not help."""
    return start_level(series.values, limits.start) <= limits.grown * reached
