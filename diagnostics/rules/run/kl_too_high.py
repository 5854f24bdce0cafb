"""The policy has moved far away from the reference model.

What it checks
    The KL to the reference, as the median of five logged points, for three points; five points together must prove it:
    their geometric mean lies above the limit by three of its standard errors. Where answers have up to 64 tokens, the
    documents' range applies: 10 nats per sequence is a warning, 25 is critical. Where they are longer, or only a KL per
    token is logged: 0.2 nats per token is info, 0.5 is a warning, 1.0 is critical; where answers started with up to 64
    tokens, the last two also need 10 nats per sequence. What would be critical is a warning unless harm is shown.
    Where the first point precedes every update and none of these medians in twenty points and more is half as high
    again, the finding says that the policy was far before it was trained.

Why it matters
    Far from the reference the reward model has never been tested. The policy may have found text that scores high and
    is no longer language.

When it is wrong
    The range 0 to 10 comes from answers of 16 to 53 tokens. Healthy runs with long answers end at 0.1 to 0.3 nats per
    token, which is 17 to 59 per sequence. With a verifiable reward a high KL need not be bad. Giving an answer that the
    reference gives with probability p costs −log p nats, however few tokens it has, so a number per token says little
    about short answers. The k3 estimate (GRPO's `kl`) is the mean of many small numbers and a few huge ones: a token
    that the policy made e¹⁰ times rarer adds 22,000 nats, and one row is a hundred times the next. Such rows tell of
    single tokens, and prove no distance.

What to try
    Raise the KL coefficient two- or threefold, lower the learning rate, stop at the best evaluation. Read the
    samples with the highest scores. Where it was far before it was trained, compare reference and policy on one prompt.

References
    TRL training FAQ: "Ideally, we want to keep the KL divergence between 0 and 10" · TRL logging page:
    objective/kl, kl · three public verl runs on GSM8K (0.12, 0.21 and 0.31 nats per token at the end).
"""

import math
from dataclasses import replace

from diagnostics.detectors.averages import finite_points, start_level
from diagnostics.detectors.extremes import extreme
from diagnostics.detectors.rolling import rolling_median
from diagnostics.model.outcome import Severity
from diagnostics.model.quirks import Quirk
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.lengths import longest_length
from diagnostics.rules.levels import Level, read_proven_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of

SMALLEST = 1e-4  # nats; a KL of 0 or below has no logarithm


class Limits(RuleLimits):
    """How far from the reference is too far, for short answers and for long ones."""

    warning_per_sequence: float = limit(10.0, "nats/sequence", "TRL training FAQ: between 0 and 10")
    critical_per_sequence: float = limit(25.0, "nats/sequence", "engineering default")
    short_answer: float = limit(
        64.0, "tokens", "the FAQ's own examples generate up to 32 tokens, TRL PPO's default is 53"
    )
    info_per_token: float = limit(0.2, "nats/token", "10 nats over about 50 tokens")
    warning_per_token: float = limit(0.5, "nats/token", "above the 0.12 to 0.31 of healthy public runs")
    critical_per_token: float = limit(1.0, "nats/token", "engineering default")
    patience: int = limit(3, "logged points", "engineering default")
    start: int = limit(5, "logged points", "engineering default: how long answers were before the policy moved")
    grown: float = limit(1.5, "× the KL at the start", "as kl-nonzero-at-start: below it, most was there already")
    unmoved: int = limit(20, "logged points", "engineering default: sooner, it may still grow")


class KlTooHigh(RunRule[Limits]):
    """Judges `objective/kl` per sequence or per token, and GRPO's `kl` per token."""

    code = "RV302"
    name = "kl-too-high"
    grade = "S"
    source = "TRL training FAQ: keep the KL divergence between 0 and 10"
    inputs = (("kl_per_sequence", "kl_per_token"),)
    limits = Limits()
    measures_distance = True
    remedies = ("stronger-kl", "lower-learning-rate", "fewer-epochs")
    telling_samples = "top-scored"
    texts = english(
        headline="The policy has moved far away from the reference model.",
        fired="KL to the reference {stayed} {limit} {unit}{mostly} from step {first} to {last} "
        "(peak {measured} at {peak}){harm}.",
        headline_untrained="The policy was far from the reference before it was trained.",
        fired_untrained="KL to the reference {stayed} {limit} {unit}{mostly} from step {first} to {last} "
        "(peak {measured} at {peak}), and was {start} before the first update{harm}.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, "kl_per_sequence", "kl_per_token")
        reading = read_proven_levels(series, _levels(series, run, limits), smallest=SMALLEST)
        start = _untrained_level(series, run, limits)
        is_old = extreme(rolling_median(series.values)) < limits.grown * start
        found = self.judged(reading, key="fired_untrained" if is_old else "fired", start=start)
        if not (is_old and isinstance(found, Fired)):
            return found
        headline = self.message("headline_untrained", **found.message.values)
        return replace(found, headline=headline, remedies=("same-reference", "no-dropout"))


def _untrained_level(series: Series, run: Run, limits: Limits) -> float:
    """The KL before any update, as the first point or, where that is an outlier, those after it; NaN if not known."""
    is_first = int(series.steps[0]) <= 1 and Quirk.COUNTS_ROWS not in run.quirks and run.parent is None
    if not is_first or run.settings.updates_per_generation > 1 or finite_points(series.values) < limits.unmoved:
        return math.nan
    return min(float(series.values[0]), start_level(series.values, limits.start))


def _levels(series: Series, run: Run, limits: Limits) -> tuple[Level, ...]:
    if series.name == "kl_per_token":
        return _per_short_token(limits, run.get("length_mean"))
    length = longest_length(run)
    if length is None or length <= limits.short_answer:
        return _per_sequence(limits)
    return _per_token(limits, tokens=length)


def _per_sequence(limits: Limits) -> tuple[Level, ...]:
    return (
        Level(Severity.WARNING, limits.warning_per_sequence, limits.patience),
        Level(Severity.CRITICAL, limits.critical_per_sequence, limits.patience),
    )


def _per_token(limits: Limits, tokens: float) -> tuple[Level, ...]:
    return (
        Level(Severity.INFO, limits.info_per_token * tokens, limits.patience),
        Level(Severity.WARNING, limits.warning_per_token * tokens, limits.patience),
        Level(Severity.CRITICAL, limits.critical_per_token * tokens, limits.patience),
    )


def _per_short_token(limits: Limits, lengths: Series | None) -> tuple[Level, ...]:
    """The limits per token; where answers started short, those of the alarms are at least the limit per sequence, per
    token."""
    levels = _per_token(limits, tokens=1.0)
    length = math.nan if lengths is None else start_level(lengths.values, limits.start)
    if not 0 < length <= limits.short_answer:
        return levels
    least = limits.warning_per_sequence / length
    return (levels[0], *(replace(level, limit=max(level.limit, least)) for level in levels[1:]))
