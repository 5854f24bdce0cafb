"""The gradient is NaN or infinite although the loss looks fine: the damage is done where the loss does not show it.

What it checks
    Steps at which the logged loss is finite and the gradient norm is not. One such step is critical. With fp16 ten
    in a row are needed, because its loss scaler skips steps by design until the scale fits.

Why it matters
    An update with a NaN gradient makes every weight NaN. The loss stays finite where 0 times infinity occurs in a
    branch that was not taken or in padding, or because transformers replaces a NaN loss by the running mean
    (`logging_nan_inf_filter`).

When it is wrong
    Where the trainer itself skips updates with a non-finite gradient, each costs only its batch.

What to try
    Go back to a checkpoint before the first such step, use bf16, clip the gradient, set `logging_nan_inf_filter` to
    False to see the loss as it is.

References
    transformers TrainingArguments: logging_nan_inf_filter · Soup issue 342: finite loss, NaN gradient norm.
"""

import dataclasses

import numpy as np

from diagnostics.model.alignment import at_common_steps
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few


class Limits(RuleLimits):
    """How many such steps are too many."""

    patience: int = limit(1, "logged points", "any non-finite gradient is one too many")
    patience_scaled: int = limit(10, "logged points", "a loss scaler halves its scale with each skipped step")


class NanGradFiniteLoss(RunRule[Limits]):
    """Judges `grad_norm` beside the loss."""

    code = "RV103"
    name = "nan-grad-finite-loss"
    grade = "C"
    source = "transformers TrainingArguments: logging_nan_inf_filter; Soup issue 342"
    inputs = ("grad_norm", ("loss", "policy_loss"))
    limits = Limits()
    told_at_once = True
    remedies = ("earlier-checkpoint", "bf16", "unfiltered-nan", "clipped-gradient", "lower-learning-rate")
    texts = english(
        headline="The gradient is not finite although the loss looks fine.",
        fired="The gradient norm was not finite at {count} logged points from step {first} to {last}, while the loss "
        "was {loss}.",
        fired_once="The gradient norm was {measured} at step {first}, while the loss was {loss}.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        norm, loss = at_common_steps(series_of(run, "grad_norm"), series_of(run, "loss", "policy_loss"))
        if not len(norm):
            return too_few(limits.patience, 0)
        hidden = np.asarray(~np.isfinite(norm.values) & np.isfinite(loss.values), dtype=np.float64)
        patience = limits.patience_scaled if run.settings.is_on("fp16") else limits.patience
        marks = dataclasses.replace(norm, values=hidden)
        reading = read_levels(marks, (Level(Severity.CRITICAL, 1.0, patience),), smooth=False)
        if not isinstance(reading, Reading):
            return self.judged(reading)
        if reading.breach is None:
            return Quiet(float(hidden.sum()), float(patience), "points", norm.name, norm.tag)
        first = reading.breach.episode.first
        return self.fired_by(
            norm,
            reading,
            measured=float(norm.values[first]),
            limit=None,
            loss=float(loss.values[first]),
            count=int(hidden.sum()),
        )
