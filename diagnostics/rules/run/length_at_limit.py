"""Answers fill the length limit: most of them are cut off, though no share of cut-off answers is logged.

What it checks
    The mean length over the limit, stated or shown by a greatest length that many batches share, as the median of five
    logged points and for five: 0.8, while the longest answer reaches the limit, is a warning; 0.99, or a shortest
    answer that reaches it as well, is critical if it is so at half of the points, because then nearly every answer is
    cut off. What has ended is info: a policy that rambled at the start and has learned to stop is sound. Limits below
    16 tokens are not judged: a short answer of one right form may fill them exactly.

Why it matters
    A cut-off answer mostly earns nothing, so the gradient teaches brevity or nothing. Without the share of cut-off
    answers only the lengths show it.

When it is wrong
    A task whose answers all have the same length, and a limit that fits it to the token.

What to try
    Raise the length limit; if the answers still fill it, the model does not know how to stop. Log the share of answers
    that are cut off.

References
    TRL logging page, crucial GRPO values: completions/clipped_ratio · verl documentation: response_length/clip_ratio
    above 0.1 is often too much.
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.averages import finite_median, latest_finite
from diagnostics.detectors.extremes import extreme
from diagnostics.model.alignment import last_known
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.lengths import length_limit
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, series_of

ENDS = ("truncated_fraction", "eos_tokens")
EVERY_ANSWER = 1.0


class Limits(RuleLimits):
    """How much of the limit answers may fill."""

    warning: float = limit(0.8, "of the length limit", "engineering default")
    critical: float = limit(0.99, "of the length limit", "nearly every answer is as long as it may be")
    patience: int = limit(5, "logged points", "engineering default")
    mostly: float = limit(0.5, "of the points of an episode", "engineering default: fewer are not nearly every answer")
    tied: float = limit(0.25, "of the points", "engineering default: free lengths hardly ever agree to the token")
    shortest: float = limit(16.0, "tokens", "a short answer of one right form may fill a limit exactly")


class LengthAtLimit(RunRule[Limits]):
    """Judges the mean length against the limit where nothing else tells how answers end."""

    code = "RV609"
    name = "length-at-limit"
    grade = "C"
    source = "an answer as long as the limit did not end by itself"
    inputs = ("length_mean",)
    limits = Limits()
    remedies = ("longer-completions", "eos-trick")
    telling_samples = "longest"
    texts = english(
        headline="The answers fill the length limit: most of them are cut off.",
        fired="The mean length {stayed} {limit} tokens{mostly} from step {first} to {last} (up to {measured} at step "
        "{peak}), where answers may have {tokens}.",
        unknown="Neither the length limit nor a length at which answers stop is known.",
        enable="Log the length limit, or the share of answers that are cut off.",
    )

    def applies(self, run: Run) -> bool:
        """Only where nothing that is logged tells how answers end."""
        return super().applies(run) and run.get(*ENDS) is None

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series, tokens = series_of(run, "length_mean"), _limit(run, limits)
        if tokens is None:
            return Skipped(self.message("unknown"), self.message("enable"))
        if tokens < limits.shortest:
            return Quiet(metric=series.name, tag=series.tag)
        filled = replace(series, values=_filled(run, tokens, limits))
        levels = (
            Level(Severity.WARNING, limits.warning, limits.patience),
            Level(Severity.CRITICAL, limits.critical, limits.patience),
        )
        base = np.full(len(series), tokens)
        reading = read_levels(filled, levels)
        if isinstance(reading, Reading) and _is_mostly_below(filled, reading, limits):
            reading = read_levels(filled, levels[:1])
        found = self.judged_in_unit(series, base, reading, unit="of the length limit", tokens=tokens)
        is_over = finite_median(latest_finite(filled.values, limits.patience)) < limits.warning
        return replace(found, severity=Severity.INFO) if isinstance(found, Fired) and is_over else found


def _is_mostly_below(filled: Series, reading: Reading, limits: Limits) -> bool:
    """Whether most points of an episode that is critical lie below that limit: then not nearly every answer is cut."""
    breach = reading.breach
    if breach is None or breach.level.severity is not Severity.CRITICAL:
        return False
    values = filled.values[breach.episode.first : breach.episode.last + 1]
    return float(np.mean(values > limits.critical)) < limits.mostly


def _limit(run: Run, limits: Limits) -> float | None:
    """The stated limit, else the greatest length, where many batches have exactly that: free lengths scatter."""
    stated, longest = length_limit(run), run.get("length_max", "length_mean")
    if stated or longest is None:
        return float(stated.tokens) if stated else None
    known = longest.values[longest.finite]
    highest = extreme(known)
    return highest if np.count_nonzero(known == highest) >= max(limits.patience, limits.tied * len(known)) else None


def _filled(run: Run, tokens: float, limits: Limits) -> Values:
    """(N,) The share of the limit that the mean answer fills: all of it where the shortest one does; 0 where not even
    the longest does."""
    series, longest, shortest = series_of(run, "length_mean"), run.get("length_max"), run.get("length_min")
    filled = series.values / tokens
    if longest is not None:
        filled = np.where(last_known(longest, series.steps) >= limits.critical * tokens, filled, 0.0)
    if shortest is not None:
        filled = np.where(last_known(shortest, series.steps) >= limits.critical * tokens, EVERY_ANSWER, filled)
    return np.asarray(filled)
