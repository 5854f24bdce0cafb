"""The rollout engine and the trainer drift apart.

What it checks
    The mean absolute difference of the log-probabilities in the two engines
    (`sampling/sampling_logp_difference/mean`), as the median of five logged points, for five points: three
    times its start, or 0.1 nats per token, is a warning; it is critical while the gradient norm grows as well
    (`grad-norm-sustained`).

Why it matters
    The more the policy relies on tokens of low probability, the more the two engines disagree, and the more biased the
    gradient is. Collapses of GRPO runs have begun this way.

When it is wrong
    Answers that become longer or start to call tools raise it for a good reason; it then settles.

What to try
    Correct by sequence-level importance sampling, use fp16 or a float32 head, shorten answers.

References
    When Speed Kills Stability (published report) · Defeating the Training-Inference Mismatch via FP16 (arXiv
    2510.26788) · a healthy public run: 0.0045.
"""

from diagnostics.detectors.averages import start_level
from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """How far apart the engines may drift."""

    times: float = limit(3.0, "× its start", "engineering default")
    warning: float = limit(0.1, "nats/token", "engineering default; a healthy public run had 0.0045")
    smallest: float = limit(1e-3, "nats/token", "float noise of equal engines")
    start: int = limit(20, "logged points", "engineering default")
    patience: int = limit(5, "logged points", "engineering default")


class LogpDiffGrowing(RunRule[Limits]):
    """Judges `sampling/sampling_logp_difference/mean`."""

    code = "RV803"
    name = "logp-diff-growing"
    grade = "P"
    source = "When Speed Kills Stability; FP16 for RL (arXiv 2510.26788)"
    algorithms = GROUP_FAMILY
    inputs = ("engine_logprob_difference",)
    limits = Limits()
    graver_with = ("grad-norm-sustained",)
    remedies = (
        "importance-correction",
        "exact-head",
        "lower-learning-rate",
    )
    texts = english(
        headline="The rollout engine and the trainer drift apart.",
        fired="The two engines' log-probabilities differed by more than {limit} nats/token{mostly} from step {first} "
        "to {last} (peak {measured} at step {peak}).",
        grown="The difference of the two engines' log-probabilities grew from {base} to {measured} nats/token (step "
        "{peak}); above {limit}{mostly} from step {first} to {last}.",
    )

    def applies(self, run: Run) -> bool:
        """Only where a second engine generates."""
        return super().applies(run) and (run.settings.is_on("use_vllm") or not self.missing(run))

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, "engine_logprob_difference")
        base = max(start_level(series.values, limits.start), limits.smallest)
        grown = read_levels(
            series, (Level(Severity.WARNING, limits.times * base, limits.patience),), warm_up=limits.start
        )
        if isinstance(grown, Reading) and grown.breach and base * limits.times < limits.warning:
            return self.judged(grown, key="grown", base=base)
        return self.judged(read_levels(series, (Level(Severity.WARNING, limits.warning, limits.patience),)))
