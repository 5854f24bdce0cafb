"""Score, KL penalty and RLHF reward do not add up: one of the logged numbers does not mean what it seems to.

What it checks
    PPO: the RLHF reward is the score plus the KL penalty, to 1 % of the largest of the three; and the penalty has the
    opposite sign of the KL, where both are large enough to have one. Breaking either for three logged points in a row
    is a warning.

Why it matters
    The documents write "score − non_score_reward", the code adds a number that is already negative. A hand-made log or
    a modified trainer may use either sign, and then every judgement of the KL is upside down.

When it is wrong
    A trainer that adds a third term to the reward breaks the sum without being wrong.

What to try
    Compare the logging code with TRL's: rlhf_reward = score + non_score_reward, non_score_reward = −kl_coef · kl.

References
    TRL, ppo_trainer.py: rlhf_reward and non_score_reward.
"""

from dataclasses import replace

import numpy as np

from diagnostics.model.alignment import at_common_steps, finite_only
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Values
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of

SUMMED = ("rlhf_reward", "score", "non_score_reward")
SCALED = "scaled_score"  # where scores are scaled before PPO learns from them, the reward is made from these


class Limits(RuleLimits):
    """When a sum counts as broken."""

    tolerance: float = limit(0.01, "of the largest of the three", "rounding in the log")
    smallest: float = limit(0.001, "reward", "below it rounding in the log shows")
    smallest_kl: float = limit(0.1, "nats/sequence", "below it the sign of a mean over samples is chance")
    patience: int = limit(3, "logged points", "engineering default")


class RewardIdentityBroken(RunRule[Limits]):
    """Judges `objective/rlhf_reward` against `objective/scores`, `objective/non_score_reward` and `objective/kl`."""

    code = "RV405"
    name = "reward-identity-broken"
    grade = "C"
    source = "TRL, ppo_trainer.py: rlhf_reward = score + non_score_reward"
    algorithms = frozenset({"ppo"})
    inputs = SUMMED
    limits = Limits()
    remedies = ("checked-logging",)
    texts = english(
        headline="Score, KL penalty and RLHF reward do not add up.",
        fired="The RLHF reward was {measured} at step {peak}, where score and KL penalty add up to {sum}; they "
        "differ{mostly} from step {first} to {last}.",
        sign="The KL penalty has the same sign as the KL{mostly} from step {first} to {last}; it should have the "
        "opposite one.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        names = [SCALED if name == "score" and run.get(SCALED) else name for name in SUMMED]
        reward, score, penalty = at_common_steps(*(finite_only(series_of(run, name)) for name in names))
        terms = (reward.values, score.values, penalty.values)
        off = replace(reward, values=_identity_error(*terms, limits.smallest))
        level = Level(Severity.WARNING, limits.tolerance, limits.patience)
        reading = read_levels(off, (level,), smooth=False)
        if isinstance(reading, Reading) and reading.breach is None:
            return self._sign_disagreement(run, limits) or self.judged(reading, unit="of the largest of the three")
        if not isinstance(reading, Reading) or reading.breach is None:
            return self.judged(reading)
        peak = reading.breach.peak
        return self.fired_by(
            reward,
            reading,
            measured=float(reward.values[peak]),
            limit=None,
            peak=int(reward.steps[peak]),
            sum=float(score.values[peak] + penalty.values[peak]),
        )

    def _sign_disagreement(self, run: Run, limits: Limits) -> RuleResult | None:
        kl = run.get("kl_per_sequence")
        if kl is None:
            return None
        penalty, kl = at_common_steps(finite_only(series_of(run, "non_score_reward")), finite_only(kl))
        values = _sign_agreement(penalty.values, kl.values, limits.smallest_kl)
        reading = read_levels(
            replace(penalty, values=values), (Level(Severity.WARNING, 1.0, limits.patience),), smooth=False
        )
        if not isinstance(reading, Reading) or reading.breach is None:
            return None
        measured = float(penalty.values[reading.breach.peak])
        return self.fired_by(penalty, reading, measured=measured, limit=None, key="sign")


def _identity_error(reward: Values, score: Values, penalty: Values, smallest: float) -> Values:
    """(N,) How far the reward is from score + penalty, as a share of the largest of the three."""
    largest = np.maximum.reduce([np.abs(reward), np.abs(score), np.abs(penalty)])
    return np.asarray(np.abs(reward - (score + penalty)) / np.maximum(largest, smallest))


def _sign_agreement(penalty: Values, kl: Values, smallest: float) -> Values:
    """(N,) 1 where penalty and KL have one sign, else 0; NaN where either is not known."""
    agree = (np.sign(penalty) == np.sign(kl)) & (np.abs(kl) >= smallest)
    return np.where(np.isnan(penalty + kl), np.nan, agree.astype(np.float64))
