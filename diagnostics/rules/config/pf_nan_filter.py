"""A NaN loss is replaced by the mean of the losses before it, so that the log hides it.

What it checks
    Whether `logging_nan_inf_filter` is on, which it is by default.

Why it matters
    A NaN loss is the first sign of a numerical breakdown. With the filter the log shows a smooth loss while the
    weights are being ruined.

When it is wrong
    Other metrics, such as the gradient norm, are not filtered and still show the NaN.

What to try
    Set `logging_nan_inf_filter` to False.

References
    transformers TrainingArguments: logging_nan_inf_filter.
"""

from diagnostics.model.outcome import Severity
from diagnostics.model.quirks import Quirk
from diagnostics.model.setup import Setup
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.rule import NoLimits, Quiet, RuleResult, english


class PfNanFilter(ConfigRule[NoLimits]):
    """Judges `logging_nan_inf_filter`."""

    code = "PF103"
    name = "pf-nan-filter"
    grade = "C"
    source = "transformers TrainingArguments: logging_nan_inf_filter"
    inputs = ("logging_nan_inf_filter",)
    quirk = Quirk.REPLACES_NAN_LOSS
    algorithms = frozenset({"ppo", "grpo", "rloo"})
    limits = NoLimits()
    texts = english(
        fired="{parameter} is {value}{origin}: a NaN loss is logged as the mean of the losses before it.",
        why="Without the filter a NaN loss is logged as NaN.",
    )

    def check(self, setup: Setup, limits: NoLimits) -> RuleResult:
        setting = setup.require("logging_nan_inf_filter")
        return self.fired(Severity.WARNING, setting, suggested=False) if setting.is_on else Quiet()
