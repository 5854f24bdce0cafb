"""Answers end on a token that the trainer does not count as an end.

What it checks
    More than half of the completions count as cut off although even the longest is shorter than the length
    limit, for three logged points: critical. Where no limit is stated: nearly all of them, though the longest has twice
    the tokens of the shortest or more.

Why it matters
    A completion shorter than the limit did end. If it does not count as ended, the end token is unknown to the trainer:
    the share of cut-off answers is wrong, and so is every mask and penalty derived from it.

When it is wrong
    A limit on the whole conversation, or on tool calls, may end completions before the length limit. A limit that was
    lowered during the run is not the one that the configuration states: where completions stop dead at one length that
    they exceeded before, that length is the limit and the rule stays quiet. An unknown end token leaves lengths
    scattered.

What to try
    List every end token of the model (of the tokenizer and of the chat template) in its generation
    configuration; use TRL 1.15 or later.

References
    TRL pull request 7039 (Phi-3.5: 0.97 cut off at step 1 though nearly all ended).
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.hard_limit import find_hard_limit
from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.alignment import at_common_steps
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.lengths import cut_at_any_length, length_limit
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """When a cut-off answer did end."""

    critical: float = limit(0.5, "fraction", "engineering default: more than half")
    patience: int = limit(3, "logged points", "engineering default")


class EosIdMismatch(RunRule[Limits]):
    """Judges `completions/clipped_ratio` against `completions/max_length`."""

    code = "RV603"
    name = "eos-id-mismatch"
    grade = "C"
    source = "TRL pull request 7039: models that end on another token"
    algorithms = GROUP_FAMILY
    inputs = ("truncated_fraction", "length_max")
    limits = Limits()
    remedies = ("true-end-tokens",)
    telling_samples = "any"
    texts = english(
        headline="Answers end on a token that does not count as an end.",
        fired="{percent} % of the completions count as cut off at step {peak}, though the longest has {longest} "
        "tokens and {parameter} is {tokens} (step {first} to {last}).",
        scattered="{percent} % of the completions count as cut off at step {peak}, though they have {shortest} to "
        "{longest} tokens (step {first} to {last}): no limit cuts at lengths so far apart.",
        no_limit="The configuration states no length limit, and the log no shortest length.",
        no_limit_enable="Keep the length limit in the logged configuration.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        stated = length_limit(run)
        if stated is None:
            return self._by_scatter(run, limits)
        cut, longest = at_common_steps(series_of(run, "truncated_fraction"), series_of(run, "length_max"))
        ended = replace(cut, values=_ended_earlier(run, cut, longest, stated.tokens))
        reading = read_levels(ended, (Level(Severity.CRITICAL, limits.critical, limits.patience),), smooth=False)
        if not isinstance(reading, Reading) or reading.breach is None:
            return self.judged(reading)
        return self.judged(
            reading,
            percent=100 * float(cut.values[reading.breach.peak]),
            longest=int(longest.values[reading.breach.peak]),
            parameter=stated.parameter,
            tokens=stated.tokens,
        )

    def _by_scatter(self, run: Run, limits: Limits) -> RuleResult:
        logged, scattered = series_of(run, "length_max"), cut_at_any_length(run)
        if scattered is None:
            return Skipped(self.message("no_limit"), self.message("no_limit_enable"))
        if find_hard_limit(logged.steps, logged.values) is not None:
            scattered = replace(scattered, values=np.zeros(len(scattered)))
        reading = read_levels(scattered, (Level(Severity.CRITICAL, limits.critical, limits.patience),), smooth=False)
        if not isinstance(reading, Reading) or reading.breach is None:
            return self.judged(reading)
        shortest, longest = at_common_steps(series_of(run, "length_min"), logged)
        at = int(np.searchsorted(longest.steps, scattered.steps[reading.breach.peak]))
        return self.judged(
            reading,
            key="scattered",
            percent=100 * float(scattered.values[reading.breach.peak]),
            shortest=int(shortest.values[at]),
            longest=int(longest.values[at]),
        )


def _ended_earlier(run: Run, cut: Series, longest: Series, stated: int) -> Values:
    """(N,) The share that was cut off where no completion reached the length limit, else 0.

    The limit is the stated one, until a lower one cuts completions off. An infinite length is none.
    """
    logged = series_of(run, "length_max")
    lower = find_hard_limit(logged.steps, logged.values)
    limits = np.full(len(longest), float(stated))
    if lower is not None and lower.was_passed:
        limits[longest.steps >= lower.step] = lower.value
    return np.where(np.isfinite(longest.values) & (longest.values < limits), cut.values, 0.0)
