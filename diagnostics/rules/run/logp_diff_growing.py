"""The rollout engine and the trainer drift apart.

What it checks
    The mean absolute difference of the log-probabilities in the two engines
    (`sampling/sampling_logp_difference/mean`), as the median of five logged points, for five points: three times its
    start is a warning, but nothing below 0.05 nats per token where the log says that samples are an update old or
    older. The start is the median of the first twenty points, or of the first five where that is less than half as
    much. The warning is critical while the gradient norm grows as well (`grad-norm-sustained`) and harm is shown. A
    difference that came within three updates is told by `engine-weights-stale`, one that is large without having grown
    by `engine-mismatch`.

Why it matters
    The more the policy relies on tokens of low probability, the more the two engines disagree, and the more biased the
    gradient is. Collapses of GRPO runs have begun this way. At a small learning rate an engine that gets no updates
    looks the same.

When it is wrong
    Answers that become longer or start to call tools raise it for a good reason; it then settles.

What to try
    Correct by sequence-level importance sampling, use fp16 or a float32 head, shorten answers.

References
    When Speed Kills Stability (published report) · Defeating the Training-Inference Mismatch via FP16 (arXiv
    2510.26788) · a healthy public run: 0.0045.
"""

from diagnostics.detectors.averages import start_level
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.engine_distance import EQUAL, sample_age
from diagnostics.rules.levels import Level, Reading, TooFew, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.missing_metrics import engine_distances
from diagnostics.rules.rule import Over, RuleResult, Skipped, english
from diagnostics.rules.run.engine_weights_stale import left_behind
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """How far apart the engines may drift."""

    times: float = limit(3.0, "× its start", "engineering default")
    smallest: float = limit(EQUAL, "nats/token", "float noise of equal engines")
    start: int = limit(20, "logged points", "engineering default")
    first: int = limit(5, "logged points", "measured: an engine that gets no updates leaves its level within twenty")
    ramp: float = limit(0.5, "of the level at the start", "simulated: noise of a deviation of 0.3 does not reach it")
    old: float = limit(0.05, "nats/token", "measured: samples of eight updates ago, corrected, do no harm below it")
    patience: int = limit(5, "logged points", "engineering default")


DEFAULTS = Limits()


def growth(run: Run, series: Series, limits: Limits = DEFAULTS) -> Reading | TooFew:
    """The difference against its level at the start."""
    is_old = sample_age(run, int(series.steps[0]), int(series.steps[-1])) >= 1
    most = max(limits.times * _start(series, limits), limits.old if is_old else 0.0)
    return read_levels(series, (Level(Severity.WARNING, most, limits.patience),), warm_up=limits.start)


def _start(series: Series, limits: Limits) -> float:
    early, start = (start_level(series.values, points) for points in (limits.first, limits.start))
    start = early if early < limits.ramp * start else start
    return max(start, limits.smallest)


class LogpDiffGrowing(RunRule[Limits]):
    """Judges `sampling/sampling_logp_difference/mean`."""

    code = "RV803"
    name = "logp-diff-growing"
    grade = "P"
    source = "When Speed Kills Stability; FP16 for RL (arXiv 2510.26788)"
    inputs = ("engine_logprob_difference",)
    limits = DEFAULTS
    measures_distance = True
    over = Over.NEVER
    graver_with = ("grad-norm-sustained",)
    remedies = (
        "importance-correction",
        "exact-head",
        "lower-learning-rate",
    )
    texts = english(
        headline="The rollout engine and the trainer drift apart.",
        fired="The difference of the two engines' log-probabilities grew from {base} to {measured} nats/token (step "
        "{peak}); above {limit}{mostly} from step {first} to {last}{harm}.",
        told="engine-weights-stale tells that the difference came within a few updates.",
        told_enable="Nothing is missing.",
    )

    def applies(self, run: Run) -> bool:
        """Only where a second engine generates."""
        has_engine = run.settings.is_on("use_vllm") or bool(engine_distances(run))
        return super().applies(run) and (has_engine or not self.missing(run))

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, "engine_logprob_difference")
        if left_behind(run, series) is not None:
            return Skipped(self.message("told"), self.message("told_enable"), applies=False)
        return self.judged(growth(run, series, limits), base=_start(series, limits))
