"""The catalogue: every rule, one file each, in the order of their codes."""

from typing import Any

from diagnostics.rules.catalog.clipfrac_high import ClipfracHigh
from diagnostics.rules.catalog.eos_never_generated import EosNeverGenerated
from diagnostics.rules.catalog.grpo_clip_ratio_high import GrpoClipRatioHigh
from diagnostics.rules.catalog.kl_coef_rising import KlCoefRising
from diagnostics.rules.catalog.kl_negative import KlNegative
from diagnostics.rules.catalog.kl_too_high import KlTooHigh
from diagnostics.rules.catalog.nonfinite_metric import NonfiniteMetric
from diagnostics.rules.catalog.ratio_far_from_one import RatioFarFromOne
from diagnostics.rules.catalog.reward_func_constant import RewardFuncConstant
from diagnostics.rules.catalog.reward_func_stagnant import RewardFuncStagnant
from diagnostics.rules.catalog.reward_not_improving import RewardNotImproving
from diagnostics.rules.catalog.reward_regression import RewardRegression
from diagnostics.rules.catalog.stability_metric_collapsed import StabilityMetricCollapsed
from diagnostics.rules.catalog.truncation_high import TruncationHigh
from diagnostics.rules.catalog.update_too_large import UpdateTooLarge
from diagnostics.rules.catalog.value_loss_spike import ValueLossSpike
from diagnostics.rules.rule import Rule

CATALOG: tuple[Rule[Any], ...] = (
    NonfiniteMetric(),
    StabilityMetricCollapsed(),
    RatioFarFromOne(),
    UpdateTooLarge(),
    ClipfracHigh(),
    GrpoClipRatioHigh(),
    KlNegative(),
    KlTooHigh(),
    KlCoefRising(),
    RewardNotImproving(),
    RewardRegression(),
    RewardFuncStagnant(),
    RewardFuncConstant(),
    TruncationHigh(),
    EosNeverGenerated(),
    ValueLossSpike(),
)
