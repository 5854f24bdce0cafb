"""The KL to the reference is not 0 at the start, where policy and reference are still the same model.

What it checks
    The first logged KL, per token. At step 1 it may be at most 0.05 nats, on either side of 0; beyond that it is
    critical where harm is shown, a note where the score has risen and keeps that, else a warning. Where the first point
    is at step 2 to 10, GRPO makes several updates from each generation (`num_iterations`), or the rows of a printed log
    name no step, it may be an average that includes an update: the limit is 0.2, and the finding a warning. But if the
    next point lies half as high again or more, the KL grows fast enough to have started at 0. An average over more than
    ten updates is not judged.

Why it matters
    Before the first update the KL is 0 by definition, however the answers are sampled: equal weights give a token the
    same probability. If it is not, the reference is another model, an adapter stays on, dropout is on, or a template
    differs: every KL of the run is off by that much, and the policy is pulled towards something it never was.

When it is wrong
    A run that continues another one, with the original model as its reference, rightly starts above 0; where that is
    known, the rule does not apply.

What to try
    Compare reference and policy on one prompt. Turn dropout off.

References
    TRL, GRPOTrainer and PPOTrainer: both are loaded from the same weights · a public log of constrained decoding
    that starts at a KL of 10833 · healthy verl runs start at 0.000.
"""

import math

from diagnostics.detectors.episodes import Episode
from diagnostics.model.outcome import Severity
from diagnostics.model.quirks import Quirk
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.lengths import kl_lengths
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.missing_metrics import in_brackets
from diagnostics.rules.rule import Over, Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule


class Limits(RuleLimits):
    """Where a KL at the start stops being rounding."""

    at_once: float = limit(0.05, "nats/token", "dropout of a toy model gives 0.0008, healthy verl runs 0.000")
    averaged: float = limit(0.2, "nats/token", "healthy public runs end at 0.1 to 0.3")
    growth: float = limit(
        1.5, "× the first point", "a KL that grows evenly from 0 makes 3 of it, one as the square root of the steps 1.8"
    )
    averaged_until: int = limit(10, "updates", "TRL logs every 10 steps by default")


class KlNonzeroAtStart(RunRule[Limits]):
    """Judges the first point of the KL."""

    code = "RV305"
    name = "kl-nonzero-at-start"
    grade = "C"
    source = "TRL trainers: policy and reference start from the same weights"
    inputs = (("kl_per_token", "kl_per_sequence"),)
    limits = Limits()
    measures_distance = True
    over = Over.NEVER
    harmless_while_rising = True
    judges_start = True
    remedies = ("same-reference", "no-dropout")
    texts = english(
        headline="Policy and reference differ before anything was trained.",
        fired="KL to the reference was {measured} {unit} at step {first}, where it should be 0 (limit {limit}){harm}.",
        late="The log begins at step {step}, when the policy has left the reference already.",
        late_enable="Log from the first step on{setting}.",
        reused="The first point is a mean over {updates} updates, which have moved the policy already.",
        reused_enable="Make one update from each generation in a short trial{setting}.",
        unknown="The KL is logged per sequence, and neither the length of the answers nor its limit is known.",
        enable="Log the mean length of the answers.",
    )

    def applies(self, run: Run) -> bool:
        """A run that continues another one does not start at its reference."""
        return super().applies(run) and run.parent is None

    def check(self, run: Run, limits: Limits) -> RuleResult:
        logged = kl_lengths(run)
        if logged is None:
            return Skipped(self.message("unknown"), self.message("enable"))
        series, tokens = logged
        step, value = int(series.steps[0]), float(series.values[0])
        updates = step * run.settings.updates_per_generation
        if step > limits.averaged_until:
            return Skipped(
                self.message("late", step=step),
                self.message("late_enable", setting=in_brackets(run.settings, "log_first_step")),
            )
        if updates > limits.averaged_until:
            passes = in_brackets(run.settings, "logged_passes")
            return Skipped(self.message("reused", updates=updates), self.message("reused_enable", setting=passes))
        is_averaged = updates > 1 or Quirk.COUNTS_ROWS in run.quirks
        allowed = (limits.averaged if is_averaged else limits.at_once) * float(tokens[0])
        if abs(value) <= allowed or not math.isfinite(value) or (is_averaged and _grows(series, limits.growth)):
            return Quiet(value, allowed, series.unit, series.name, series.tag)
        is_alone = len(series) == 1
        severity = Severity.WARNING if is_averaged else Severity.CRITICAL
        return self.fired(series, Episode(0, 0, is_alone), severity, measured=value, limit=allowed)


def _grows(kl: Series, times: float) -> bool:
    """Whether a KL above 0 grows so fast from the first point to the second that it may have started at 0."""
    known = kl.values[:2]
    return len(known) == 2 and bool(known[0] > 0 and known[1] >= times * known[0])
