"""The answers surprise the policy more, or less, than its own samples would: they are drawn from something else.

What it checks
    How unlikely the sampled tokens are (`objective/entropy` over the mean length) against the policy's own entropy
    (`policy/entropy_avg`, GRPO's `entropy`), both in nats per token, as the median of five logged points, for five
    points in a row: a factor of 1.5 up or down. Where the settings themselves name temperatures for sampling
    (`rollout_temperature`) and for scoring that differ by a tenth or more, nothing needs to be measured.

Why it matters
    Samples of the policy are as surprising as its entropy says, whatever the policy is: that is what entropy means. If
    they are less so, sampling leaves unlikely tokens out; if more, it draws tokens that the policy would not. The KL
    estimate, its penalty and the probability ratios are then wrong.

When it is wrong
    TRL up to 1.9 counts padding in both numbers, so they cannot be compared, and the rule is skipped. For GRPO only
    rlvitals logs how unlikely the sampled tokens are. Below 0.1 nats per token a single unlikely token outweighs all
    others, and nothing is judged. A mask or grammar that forbids tokens on purpose fires too.

What to try
    Sample as the policy is scored: temperature as in the loss, no top-k, no top-p, no minimum length, no repetition
    penalty.

References
    By definition: the entropy of a distribution is the expected surprise of its samples · measured: the two agree
    within 20 % in the 144 healthy runs of seeds 116 to 118 (benchmarks/detection.py), and differ by a factor of 2 at
    temperature 2 or top-k 3.
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.averages import finite_points
from diagnostics.model.algorithms import GROUP_FAMILY, PPO_FAMILY
from diagnostics.model.alignment import at_common_steps
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Values
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, Input, Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few


class Limits(RuleLimits):
    """Which difference between samples and policy is not chance."""

    times: float = limit(1.5, "× the policy's entropy, or 1 / 1.5", "benchmarks/detection.py: healthy ones within 1.2")
    patience: int = limit(5, "logged points", "engineering default")
    least: float = limit(0.1, "nats/token", "below it single tokens decide")
    heat: float = limit(1.1, "× the temperature that is scored, or 1 / 1.1", "as far as healthy runs differ by chance")


class SamplingNotPolicy(RunRule[Limits]):
    """Judges `objective/entropy` against `policy/entropy_avg` or GRPO's `entropy`."""

    code = "RV208"
    name = "sampling-not-policy"
    grade = "C"
    source = "the entropy of a distribution is the expected surprise of its samples"
    algorithms = PPO_FAMILY | GROUP_FAMILY
    inputs = ("entropy_per_sequence", "entropy_per_token", "length_mean")
    sees_derived = False
    limits = Limits()
    remedies = ("scored-temperature", "free-end", "no-top-k", "no-top-p", "no-min-p", "no-repetition-penalty")
    texts = english(
        headline="The answers are not samples of the policy.",
        fired="The sampled tokens were {percent} % as surprising as samples of the policy would be{mostly} from step "
        "{first} to {last} ({measured} nats per sequence at step {peak}, {limit} expected).",
        set="Answers are drawn at a temperature of {measured} and scored at {limit}.",
        padded="{tag} counts padding in this producer's version, so that it cannot be compared.",
        padded_enable="Use a release that leaves padding out of it.",
    )

    def applies(self, run: Run) -> bool:
        """Of the trainers of group methods only rlvitals logs how surprising samples are; with others the settings must
        say it."""
        is_told = run.get("entropy_per_sequence") is not None or _temperatures(run) is not None
        return super().applies(run) and (run.algorithm not in GROUP_FAMILY or is_told)

    def missing(self, run: Run) -> tuple[Input, ...]:
        """The inputs that the run does not log; none are needed where the settings say it."""
        named = _temperatures(run)
        is_told = named is not None and (run.algorithm in GROUP_FAMILY or _are_apart(*named, self.limits.heat))
        return () if is_told else super().missing(run)

    def check(self, run: Run, limits: Limits) -> RuleResult:
        named = _temperatures(run)
        if named is not None and _are_apart(*named, limits.heat) and len(run.steps):
            return self._settings_finding(run, *named)
        if named is not None and super().missing(run):
            return Quiet(*named, "temperature")
        return self._measured_finding(run, limits)

    def _settings_finding(self, run: Run, drawn: float, scored: float) -> Fired:
        first, last = int(run.steps[0]), int(run.steps[-1])
        return Fired(
            severity=Severity.WARNING,
            message=self.message("set", measured=drawn, limit=scored),
            headline=self.message("headline"),
            first_step=first,
            last_step=last,
            still=True,
            measured=drawn,
            limit=scored,
            unit="temperature",
        )

    def _measured_finding(self, run: Run, limits: Limits) -> RuleResult:
        surprise, entropy, length = at_common_steps(
            series_of(run, "entropy_per_sequence"), series_of(run, "entropy_per_token"), series_of(run, "length_mean")
        )
        padded = next((item for item in (surprise, entropy) if item.caveat), None)
        if padded is not None:
            return Skipped(self.message("padded", tag=padded.tag), self.message("padded_enable"))
        off = _log_mismatch(surprise.values, entropy.values, length.values, limits.least)
        level = Level(Severity.WARNING, float(np.log(limits.times)), limits.patience)
        sides = [read_levels(replace(surprise, values=off * side), (level,)) for side in (1.0, -1.0)]
        readings = [reading for reading in sides if isinstance(reading, Reading)]
        if not readings:
            return too_few(limits.patience, finite_points(surprise.values))
        worst = max(readings, key=lambda reading: (reading.breach is not None, reading.worst))
        if worst.breach is None:
            return self.judged(worst, unit="log ratio")
        peak = worst.breach.peak
        return self.fired_by(
            surprise,
            worst,
            measured=float(surprise.values[peak]),
            limit=float(entropy.values[peak] * length.values[peak]),
            peak=int(surprise.steps[peak]),
            percent=100 * float(np.exp(off[peak])),
        )


def _temperatures(run: Run) -> tuple[float, float] | None:
    """The temperatures at which answers are drawn and scored; None where the settings do not name the first."""
    drawn, scored = run.settings.value("rollout_temperature"), run.settings.value("temperature", 1.0)
    if not isinstance(drawn, int | float) or not isinstance(scored, int | float) or min(drawn, scored) <= 0:
        return None
    return float(drawn), float(scored)


def _are_apart(drawn: float, scored: float, times: float) -> bool:
    return max(drawn, scored) >= times * min(drawn, scored)


def _log_mismatch(surprise: Values, entropy: Values, length: Values, least: float) -> Values:
    """(N,) The log of the samples' surprise over the policy's entropy, 0 where either is too small to be judged."""
    known = np.isfinite(surprise) & np.isfinite(length) & np.isfinite(entropy)
    per_token = np.where(known, surprise, 0.0) / np.maximum(np.where(known, length, 1.0), 1.0)
    judged = known & (per_token >= least) & (entropy >= least)
    ratio = np.where(judged, per_token, 1.0) / np.where(judged, entropy, 1.0)
    return np.where(known, np.log(ratio), np.nan)
