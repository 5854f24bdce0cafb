"""The importance ratio is far from 1: the rollouts come from another policy.

What it checks
    The mean importance ratio (`sampling/importance_sampling_ratio/mean`), as the median of five logged points, for
    three points: 0.5 or below and 2 or above are critical. Where whole sequences are masked
    (`vllm_importance_sampling_mode` = sequence_mask, TRL's default from 0.26) 0.9 or below is a warning, because a
    tenth of the sequences is dropped.

Why it matters
    At 1 both engines agree. Far from it the weights of the engine are stale, or it samples from a truncated
    distribution.

When it is wrong
    TRL logs the ratio after truncating or masking it, so its mean is below 1 by construction; from the mean
    alone the two cannot be told apart where the mode is not stated.

What to try
    Check that the weights are synchronised at every step. Sample with temperature 1, top_p 1 and top_k 0.
    Truncate tokens instead of masking sequences.

References
    verl documentation, rollout correction (mean below 0.5 or above 2) · TRL issue 6789 · TRL GRPOTrainer.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.alignment import last_known
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of

MASKED = "sequence_mask"


class Limits(RuleLimits):
    """How far from 1 is too far."""

    low: float = limit(0.5, "ratio", "verl documentation, rollout correction")
    high: float = limit(2.0, "ratio", "verl documentation, rollout correction")
    masked: float = limit(0.9, "ratio", "a tenth of the sequences is dropped")
    patience: int = limit(3, "logged points", "engineering default")


class IsRatioOff(RunRule[Limits]):
    """Judges `sampling/importance_sampling_ratio/mean`."""

    code = "RV802"
    name = "is-ratio-off"
    grade = "D"
    source = "verl documentation, rollout correction: 0.5 to 2"
    algorithms = GROUP_FAMILY
    inputs = ("importance_ratio_mean",)
    limits = Limits()
    remedies = (
        "importance-correction",
        "token-truncation",
        "no-top-p",
    )
    texts = english(
        headline="The rollouts come from another policy than the one that is trained.",
        fired="The mean importance ratio {stayed} {limit}{mostly} from step {first} to {last} (lowest {measured} at "
        "step {peak}).",
        high="The mean importance ratio {stayed} {limit}{mostly} from step {first} to {last} (highest {measured} at "
        "step {peak}).",
    )

    def applies(self, run: Run) -> bool:
        """Only where a second engine generates."""
        return super().applies(run) and (run.settings.is_on("use_vllm") or not self.missing(run))

    def check(self, run: Run, limits: Limits) -> RuleResult:
        logged = series_of(run, "importance_ratio_mean")
        series = replace(logged, values=np.where(_was_compared(run, logged), logged.values, np.nan))
        high = read_levels(series, (Level(Severity.CRITICAL, limits.high, limits.patience),))
        if isinstance(high, Reading) and high.breach:
            return self.judged(high, key="high")
        levels = [Level(Severity.CRITICAL, limits.low, limits.patience)]
        if run.settings.value("is_mode") == MASKED:
            levels.insert(0, Level(Severity.WARNING, limits.masked, limits.patience))
        return self.judged(read_levels(series, levels, above=False))


def _was_compared(run: Run, ratio: Series) -> npt.NDArray[np.bool_]:
    """(N,) Whether a ratio is of something: 0 is logged where nothing was compared, and where all of it was masked.

    Then the engines differ by something.
    """
    difference = run.get("engine_logprob_difference")
    differs = last_known(difference, ratio.steps) > 0 if difference is not None else np.zeros(len(ratio), dtype=bool)
    compared: npt.NDArray[np.bool_] = (ratio.values != 0) | differs
    return compared
