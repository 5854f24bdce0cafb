"""The entropy shoots up: the model is turning to noise.

What it checks
    The entropy per token, as the median of five logged points, at twice its own recent median (50 points,
    ending five earlier), above half of its start and above 0.05 nats, for five points: critical where harm is shown,
    else a warning, and info where it comes no higher than it was at the start, or came back by itself within 30 points
    while no harm is shown. Until it is back the median of before the rise counts: one that has caught up with it is no
    return. Among the first 20 points, where healthy runs move a lot, it must be three times the first point and four
    nats, for twenty points and until now. Where the settings state a sampling temperature above 1.5, an entropy of 1.5
    nats or more from the first points on, for ten points, is a warning too, and info where the reward has risen to
    three quarters of the highest or more, or has risen while the entropy fell by half if no highest is known.

Why it matters
    A policy that is pushed away from what it does, rather than towards something else, spreads its probability over
    everything. The result reads like gibberish in many languages.

When it is wrong
    A change of the sampling temperature or of the data during the run looks the same. A rise that takes longer than
    fifty points is not seen.

What to try
    Stop. Go back to a checkpoint from before, divide the learning rate by five, turn on the KL penalty, remove any
    entropy bonus. Sample at temperature 1.

References
    verl issues 1066, 2738 · rllm issue 116 · ConvSearch-R1 issue 6 (gibberish at step 270) · measured on three
    public verl runs · POLARIS (An et al. 2025): above some temperature answers get worse at once.
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.averages import start_level
from diagnostics.detectors.rolling import MEDIAN_WINDOW, baseline, points_before_baseline, rolling_median
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.cadence import paced
from diagnostics.rules.levels import Level, Reading, TooFew, read_levels, read_until_back
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import SCORES, full_marks, has_risen
from diagnostics.rules.rule import Fired, Over, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of

SMALLEST = 1e-6  # nats/token; a median of 0 would make any entropy infinitely high


class Limits(RuleLimits):
    """Which rise is too much."""

    times: float = limit(2.0, "× its own median", "measured: no alarm on three healthy public runs")
    least: float = limit(
        0.05, "nats/token", "a policy this certain is no noise, however many times as uncertain it was"
    )
    of_start: float = limit(0.5, "of its start", "a collapsed entropy may double and still be low")
    patience: int = limit(5, "logged points", "engineering default")
    window: int = limit(50, "logged points", "measured on three healthy public runs")
    shift: int = limit(5, "logged points", "measured on three healthy public runs")
    fewest: int = limit(10, "logged points", "engineering default")
    start: int = limit(20, "logged points", "engineering default")
    first: int = limit(5, "logged points", "engineering default: an entropy may have fallen within twenty")
    thrown: float = limit(3.0, "× its first point", "engineering default: half as much again as of its own median")
    noise: float = limit(4.0, "nats/token", "a language model samples its own texts at one to three")
    thrown_for: int = limit(20, "logged points", "engineering default")
    hot: float = limit(1.5, "temperature", "as pf-temp-high")
    uncertain: float = limit(1.5, "nats/token", "by arithmetic: as if each token were one of four and a half alike")
    hot_for: int = limit(10, "logged points", "engineering default")
    learned: float = limit(0.75, "of the highest reward", "engineering default: noise earns less")


class EntropyExplosion(RunRule[Limits]):
    """Judges the entropy per token against its own past."""

    code = "RV502"
    name = "entropy-explosion"
    grade = "M"
    source = "three public verl runs; verl issues 1066, 2738; rllm issue 116"
    inputs = ("entropy_per_token",)
    is_of_policies = True
    limits = Limits()
    measures_distance = True
    over = Over.BACK
    remedies = (
        "much-lower-learning-rate",
        "stronger-kl",
        "earlier-checkpoint",
    )
    telling_samples = "any"
    texts = english(
        headline="The model is turning to noise: its entropy shoots up.",
        fired="The entropy rose to {measured} nats/token at step {peak}, {compared} its earlier median; far above it"
        "{mostly} from step {first} to {last}{harm}.",
        thrown="The entropy rose from {before} nats/token at the start to {measured} at step {peak}, and {stayed} "
        "{limit}{mostly} from step {first} to {last}{harm}.",
        headline_hot="The sampling temperature turns the answers to noise.",
        hot="At temperature {temperature}, the entropy {stayed} {limit} nats/token{mostly} from step {first} to {last} "
        "({measured} at step {peak}): most of what is sampled is noise.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, "entropy_per_token")
        hot = self._hot_from_the_start(run, series, limits)
        limits = paced(limits, run, series, start=5, thrown_for=5, shift=2, fewest=5)
        return hot or self._thrown(series, limits) or self._risen(series, limits)

    def _hot_from_the_start(self, run: Run, entropy: Series, limits: Limits) -> Fired | None:
        """The finding that the stated temperature makes noise of the answers."""
        temperature = run.settings.number("temperature")
        if temperature is None or temperature <= limits.hot:
            return None
        limits = paced(limits, run, entropy, hot_for=5)
        reading = read_levels(entropy, (Level(Severity.WARNING, limits.uncertain, limits.hot_for),))
        if not isinstance(reading, Reading) or reading.breach is None:
            return None
        if start_level(entropy.values, MEDIAN_WINDOW) < limits.uncertain or not reading.breach.episode.still:
            return None
        found = self.judged(reading, key="hot", temperature=temperature)
        assert isinstance(found, Fired)  # the reading holds a breach
        severity = Severity.INFO if _is_mostly_learned(run, entropy, limits) else found.severity
        headline = self.message("headline_hot")
        return replace(found, severity=severity, headline=headline, remedies=("true-temperature",))

    def _thrown(self, series: Series, limits: Limits) -> RuleResult | None:
        """The finding that one of the first updates threw the entropy up for good, beyond any doubt."""
        first = start_level(series.values, 1)
        if not first >= limits.least:
            return None
        level = Level(Severity.CRITICAL, max(limits.thrown * first, limits.noise), limits.patience)
        reading = read_levels(series, (level,))
        if not isinstance(reading, Reading) or reading.breach is None:
            return None
        episode = reading.breach.episode
        is_for_good = episode.still and episode.length >= limits.thrown_for
        if episode.first >= limits.start or not is_for_good:
            return None
        return self.judged(reading, key="thrown", before=first)

    def _risen(self, series: Series, limits: Limits) -> RuleResult:
        """The finding that the entropy has shot up, if it has."""
        smooth = rolling_median(series.values)
        base = np.maximum(baseline(series.values, limits.window, limits.shift, limits.fewest), SMALLEST)
        start = max(start_level(series.values, points) for points in (limits.start, limits.first))
        high = _where_high(smooth, max(limits.least, limits.of_start * start))
        level = Level(Severity.CRITICAL, limits.times, limits.patience)
        warm_up = max(limits.start, points_before_baseline(limits.shift, limits.fewest, smooth=False))

        def read(base: Values) -> Reading | TooFew:
            return read_levels(replace(series, values=high / base), (level,), smooth=False, warm_up=warm_up)

        reading, base = read_until_back(read, high, base)
        found = self.judged_in_unit(series, base, reading, smallest=SMALLEST)
        is_back = isinstance(found, Fired) and found.measured is not None and found.measured <= start
        return replace(found, severity=Severity.INFO) if isinstance(found, Fired) and is_back else found


def _is_mostly_learned(run: Run, entropy: Series, limits: Limits) -> bool:
    """Whether the reward has risen to most of its highest value; if that is unknown, while the entropy fell by half."""
    reward, highest = run.get(*SCORES), full_marks(run)
    if reward is None or not has_risen(reward):
        return False
    if highest is None:
        return start_level(entropy.values[::-1], MEDIAN_WINDOW) <= start_level(entropy.values, MEDIAN_WINDOW) / 2
    return start_level(reward.values[::-1], MEDIAN_WINDOW) >= limits.learned * highest


def _where_high(smooth: Values, least: float) -> Values:
    """(N,) The entropy; 0 where it is low compared with the start."""
    return np.where((smooth >= least) | np.isnan(smooth), smooth, 0.0)
