"""The entropy is used up and the reward has stopped rising: the policy no longer explores.

What it checks
    The entropy per token, as the median of ten logged points, below a fifth of its start for ten points, while the main
    reward has not risen over the last 50 points (Mann–Kendall, p < 0.01), or most groups give no signal. The points of
    the start are not judged, but date what goes on behind them. A reward at full marks is ignored. It is a warning, and
    critical while the answers to one prompt are copies of each other (`smp-group-duplicates`); info where the reward
    has risen since the start and keeps what it gained. An entropy that is next to nothing, below 0.2 nats for an answer
    of mean length (below 0.01 nats per token where no length is logged), as medians of five logged points, ten times in
    a row, is a warning whatever the trend. Where the reward has risen it is ignored, or info if it was so from the
    first points on, but a warning if a temperature below 0.3 is set.

Why it matters
    Without variety there is nothing to compare, and a solution not found so far will not be found.

When it is wrong
    Entropy falls in every run that learns: healthy public runs ended at 10 %, 14 % and 47 % of their start. A run that
    has learned all it can, below full marks, looks the same; stopping it costs nothing. TRL's PPO also averages over
    padding, so shorter answers lower its entropy.

What to try
    Sample at temperature 1, raise the upper clip range, update on-policy, lower the learning rate. Go back to a
    checkpoint from before the collapse.

References
    DAPO (arXiv 2503.14476) · Skywork-OR1 (arXiv 2505.22312) · The Entropy Mechanism (arXiv 2505.22617) · three
    public verl runs.
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.averages import ewma, finite_points, latest_value, start_level
from diagnostics.detectors.extremes import extreme
from diagnostics.detectors.greedy import VARIED
from diagnostics.detectors.rolling import MEDIAN_WINDOW, rolling_median
from diagnostics.detectors.stillness import change_of_level
from diagnostics.detectors.trend import trend
from diagnostics.model.alignment import last_known
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.cadence import paced
from diagnostics.rules.levels import Level, Reading, TooFew, from_onset, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import REWARDS, has_risen, is_below_first, is_solved, main_reward
from diagnostics.rules.rule import Fired, Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few

LONGEST = 1e6  # tokens of an answer; more is no length


class Limits(RuleLimits):
    """When entropy is used up, and when that matters."""

    share: float = limit(0.2, "of its start", "measured: with the reward, no alarm on three healthy public runs")
    window: int = limit(10, "logged points", "engineering default")
    patience: int = limit(10, "logged points", "engineering default")
    start: int = limit(20, "logged points", "engineering default")
    first: int = limit(5, "logged points", "engineering default: an entropy may have fallen within twenty")
    flat: int = limit(50, "logged points", "engineering default")
    significance: float = limit(0.01, "probability", "engineering default")
    per_answer: float = limit(
        0.2,
        "nats in a whole answer",
        "by arithmetic: the likeliest answer is then given about nineteen times in twenty",
    )
    per_token: float = limit(0.01, "nats/token", "the same for answers of twenty tokens, where no length is logged")
    cold: float = limit(0.3, "temperature", "that of pf-greedy: unsloth issue 4189 at 0.1")
    silent: float = limit(0.5, "fraction of groups", "engineering default: half of the batch is lost")
    full_marks: float = limit(0.95, "of the highest reward", "engineering default")


class EntropyCollapse(RunRule[Limits]):
    """Judges the entropy per token together with the main reward."""

    code = "RV501"
    name = "entropy-collapse"
    grade = "P"
    source = "DAPO (arXiv 2503.14476); Skywork-OR1 (arXiv 2505.22312)"
    inputs = ("entropy_per_token", REWARDS)
    is_of_policies = True
    limits = Limits()
    graver_with = ("smp-group-duplicates",)
    remedies = (
        "true-temperature",
        "wider-clip-range",
        "adaptive-entropy",
        "fewer-epochs",
        "lower-learning-rate",
    )
    telling_samples = "top-scored"
    texts = english(
        headline="The policy no longer explores, and the reward has stopped rising.",
        fired="The entropy {stayed} {limit} nats/token{mostly} from step {first} to {last} ({percent} % of its "
        "start; lowest {measured} at step {peak}), and the reward no longer rises.",
        headline_certain="From the start, the policy gives nearly the same answer to a prompt each time.",
        certain="The entropy {stayed} {limit} nats/token{mostly} from step {first} to {last} (lowest {measured} at "
        "step {peak}): from the start, nearly the same answer is given to a prompt each time.",
        headline_certain_since="The policy gives nearly the same answer to a prompt each time.",
        certain_since="The entropy {stayed} {limit} nats/token{mostly} from step {first} to {last} (lowest {measured} "
        "at step {peak}): since then nearly the same answer is given to a prompt each time, and the reward is no "
        "higher than at the start.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, "entropy_per_token")
        limits = paced(limits, run, series, window=5, patience=5, start=5, flat=20)
        most = _most_of_certain(run, series, limits)
        was_varied = start_level(series.values, points=1) >= VARIED
        starts_certain = not was_varied and start_level(series.values / most, MEDIAN_WINDOW) <= 1.0
        certain = self._certain(run, series, most, limits, starts_certain=starts_certain)
        if certain is not None and starts_certain:
            return certain
        used_up = self._used_up(run, series, limits)
        return used_up if isinstance(used_up, Fired) else certain or used_up

    def _certain(
        self, run: Run, entropy: Series, most: Values, limits: Limits, *, starts_certain: bool
    ) -> Fired | None:
        """The finding that there is nothing to explore with, from the start or since; None where the task is solved."""
        limits = paced(limits, run, entropy, patience=5)
        level = Level(Severity.WARNING, 1.0, limits.patience)
        reading = read_levels(replace(entropy, values=entropy.values / most), (level,), above=False)
        if not isinstance(reading, Reading) or reading.breach is None or not reading.breach.episode.still:
            return None
        recent = entropy.steps[reading.breach.episode.first :]
        has_gained = has_risen(run.get("score") or main_reward(run))
        is_learning = has_gained and not starts_certain
        if is_learning or is_solved(run, entropy.steps if starts_certain else recent, limits.full_marks):
            return None
        key = "certain" if starts_certain else "certain_since"
        found = self.judged_in_unit(entropy, most, reading, key=key)
        assert isinstance(found, Fired)  # the reading holds a breach
        is_note = has_gained and not _samples_coldly(run, limits)
        headline = self.message(f"headline_{key}")
        remedies = ("true-temperature",) if starts_certain else None
        return replace(
            found, severity=Severity.INFO if is_note else found.severity, headline=headline, remedies=remedies
        )

    def _used_up(self, run: Run, series: Series, limits: Limits) -> RuleResult:
        """The finding that the policy explores no longer, if it does not."""
        base = max(start_level(series.values, points) for points in (limits.start, limits.first))
        needed = limits.start + limits.window + limits.patience
        if not base > 0 or finite_points(series.values) < needed:
            return too_few(needed, finite_points(series.values))
        share = replace(series, values=rolling_median(series.values, limits.window) / base)
        level = Level(Severity.WARNING, limits.share, limits.patience)
        reading = read_levels(share, (level,), above=False, smooth=False, warm_up=limits.start)
        if not isinstance(reading, Reading) or reading.breach is None or not reading.breach.episode.still:
            return self._not_low(series, reading)
        if not _has_stalled(run, limits):
            return Quiet(reading.worst, limits.share, "of its start, while the reward rises", series.name, series.tag)
        dated = from_onset(reading, series.values / base, limits.start)
        found = self.judged_in_unit(series, np.broadcast_to(base, len(series)), dated, percent=100 * limits.share)
        if isinstance(found, Fired) and _has_paid(run):
            return replace(found, severity=Severity.INFO)
        return found

    def _not_low(self, series: Series, reading: Reading | TooFew) -> RuleResult:
        if isinstance(reading, TooFew):
            return too_few(reading.needed, reading.found)
        return Quiet(reading.worst, reading.limit, "of its start", series.name, series.tag)


def _most_of_certain(run: Run, entropy: Series, limits: Limits) -> Values:
    """(N,) The most entropy per token with which a whole answer is as good as certain, at each point."""
    length = run.get("length_mean")
    tokens = np.full(len(entropy), np.nan) if length is None else last_known(length, entropy.steps)
    return np.where(tokens > 0, limits.per_answer / np.clip(tokens, 1.0, LONGEST), limits.per_token)


def _samples_coldly(run: Run, limits: Limits) -> bool:
    """Whether a temperature is set that takes nearly the likeliest token each time."""
    temperature = run.settings.number("temperature")
    return temperature is not None and temperature < limits.cold


def _has_paid(run: Run) -> bool:
    """Whether the entropy was spent on a reward that the run has kept: then a stall is a plateau."""
    reward = run.get("score") or main_reward(run)
    change = change_of_level(reward.values)
    is_higher = change is not None and change.is_proven and change.after > change.before
    if change is None or not is_higher or is_below_first(reward.values):
        return False
    means = ewma(reward.values)
    best, now = extreme(means), latest_value(means)
    return best - now <= (change.after - change.before) / 2


def _has_stalled(run: Run, limits: Limits) -> bool:
    """Whether the reward has stopped rising below full marks, or most groups give no signal."""
    reward = main_reward(run)
    recent = reward.values[-limits.flat :]
    if is_solved(run, reward.steps[-limits.flat :], limits.full_marks):
        return False
    silent = run.get("zero_std_fraction")
    if silent is not None and start_level(silent.values[-limits.window :]) > limits.silent:
        return True
    found = trend(reward.steps[-limits.flat :], recent) if len(recent) >= limits.flat else None
    return found is not None and not (found.slope > 0 and found.p < limits.significance)
