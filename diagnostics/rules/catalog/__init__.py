"""The catalogue: every rule, one file each, in the order of their codes."""

from typing import Any

from diagnostics.rules.catalog.clip_asymmetry import ClipAsymmetry
from diagnostics.rules.catalog.clipfrac_high import ClipfracHigh
from diagnostics.rules.catalog.entropy_collapse import EntropyCollapse
from diagnostics.rules.catalog.entropy_explosion import EntropyExplosion
from diagnostics.rules.catalog.entropy_metric_artefact import EntropyMetricArtefact
from diagnostics.rules.catalog.eos_id_mismatch import EosIdMismatch
from diagnostics.rules.catalog.eos_never_generated import EosNeverGenerated
from diagnostics.rules.catalog.ess_low import EssLow
from diagnostics.rules.catalog.explained_variance_low import ExplainedVarianceLow
from diagnostics.rules.catalog.grad_norm_spike import GradNormSpike
from diagnostics.rules.catalog.grad_norm_sustained import GradNormSustained
from diagnostics.rules.catalog.grpo_clip_ratio_high import GrpoClipRatioHigh
from diagnostics.rules.catalog.is_ratio_off import IsRatioOff
from diagnostics.rules.catalog.kl_coef_rising import KlCoefRising
from diagnostics.rules.catalog.kl_negative import KlNegative
from diagnostics.rules.catalog.kl_nonzero_at_start import KlNonzeroAtStart
from diagnostics.rules.catalog.kl_outlier_token import KlOutlierToken
from diagnostics.rules.catalog.kl_penalty_dominates import KlPenaltyDominates
from diagnostics.rules.catalog.kl_runaway import KlRunaway
from diagnostics.rules.catalog.kl_too_high import KlTooHigh
from diagnostics.rules.catalog.kl_up_reward_flat import KlUpRewardFlat
from diagnostics.rules.catalog.legacy_batches_skipped import LegacyBatchesSkipped
from diagnostics.rules.catalog.length_collapse import LengthCollapse
from diagnostics.rules.catalog.length_explosion import LengthExplosion
from diagnostics.rules.catalog.logp_diff_growing import LogpDiffGrowing
from diagnostics.rules.catalog.lr_decayed_plateau import LrDecayedPlateau
from diagnostics.rules.catalog.masked_out_batch import MaskedOutBatch
from diagnostics.rules.catalog.nan_grad_finite_loss import NanGradFiniteLoss
from diagnostics.rules.catalog.nonfinite_metric import NonfiniteMetric
from diagnostics.rules.catalog.on_policy_identity_violated import OnPolicyIdentityViolated
from diagnostics.rules.catalog.oom import Oom
from diagnostics.rules.catalog.pad_equals_eos import PadEqualsEos
from diagnostics.rules.catalog.policy_not_updating import PolicyNotUpdating
from diagnostics.rules.catalog.ratio_far_from_one import RatioFarFromOne
from diagnostics.rules.catalog.reward_component_dominates import RewardComponentDominates
from diagnostics.rules.catalog.reward_components_diverge import RewardComponentsDiverge
from diagnostics.rules.catalog.reward_func_constant import RewardFuncConstant
from diagnostics.rules.catalog.reward_func_stagnant import RewardFuncStagnant
from diagnostics.rules.catalog.reward_identity_broken import RewardIdentityBroken
from diagnostics.rules.catalog.reward_jump_suspicious import RewardJumpSuspicious
from diagnostics.rules.catalog.reward_not_improving import RewardNotImproving
from diagnostics.rules.catalog.reward_regression import RewardRegression
from diagnostics.rules.catalog.reward_saturated import RewardSaturated
from diagnostics.rules.catalog.reward_scale_extreme import RewardScaleExtreme
from diagnostics.rules.catalog.reward_sign_flipped import RewardSignFlipped
from diagnostics.rules.catalog.reward_std_shrink import RewardStdShrink
from diagnostics.rules.catalog.reward_stuck_at_floor import RewardStuckAtFloor
from diagnostics.rules.catalog.rollout_prob_mismatch import RolloutProbMismatch
from diagnostics.rules.catalog.run_stalled import RunStalled
from diagnostics.rules.catalog.sampling_not_policy import SamplingNotPolicy
from diagnostics.rules.catalog.stability_metric_collapsed import StabilityMetricCollapsed
from diagnostics.rules.catalog.systematic_logprob_shift import SystematicLogprobShift
from diagnostics.rules.catalog.tiny_std_amplification import TinyStdAmplification
from diagnostics.rules.catalog.tool_failure_high import ToolFailureHigh
from diagnostics.rules.catalog.train_eval_divergence import TrainEvalDivergence
from diagnostics.rules.catalog.truncation_high import TruncationHigh
from diagnostics.rules.catalog.unscorable_completions import UnscorableCompletions
from diagnostics.rules.catalog.update_too_large import UpdateTooLarge
from diagnostics.rules.catalog.value_clipfrac_high import ValueClipfracHigh
from diagnostics.rules.catalog.value_loss_spike import ValueLossSpike
from diagnostics.rules.catalog.wrong_answers_grow import WrongAnswersGrow
from diagnostics.rules.catalog.zero_variance_excess import ZeroVarianceExcess
from diagnostics.rules.catalog.zero_variance_groups import ZeroVarianceGroups
from diagnostics.rules.rule import Rule

CATALOG: tuple[Rule[Any], ...] = (
    NonfiniteMetric(),
    StabilityMetricCollapsed(),
    NanGradFiniteLoss(),
    GradNormSpike(),
    GradNormSustained(),
    PolicyNotUpdating(),
    LegacyBatchesSkipped(),
    RunStalled(),
    Oom(),
    RatioFarFromOne(),
    UpdateTooLarge(),
    ClipfracHigh(),
    GrpoClipRatioHigh(),
    OnPolicyIdentityViolated(),
    SystematicLogprobShift(),
    ClipAsymmetry(),
    SamplingNotPolicy(),
    KlNegative(),
    KlTooHigh(),
    KlCoefRising(),
    KlRunaway(),
    KlNonzeroAtStart(),
    KlUpRewardFlat(),
    KlPenaltyDominates(),
    KlOutlierToken(),
    RewardNotImproving(),
    RewardRegression(),
    RewardFuncStagnant(),
    RewardFuncConstant(),
    RewardIdentityBroken(),
    RewardStuckAtFloor(),
    RewardSaturated(),
    ZeroVarianceGroups(),
    ZeroVarianceExcess(),
    TinyStdAmplification(),
    RewardStdShrink(),
    RewardComponentsDiverge(),
    RewardComponentDominates(),
    RewardJumpSuspicious(),
    TrainEvalDivergence(),
    UnscorableCompletions(),
    RewardScaleExtreme(),
    RewardSignFlipped(),
    EntropyCollapse(),
    EntropyExplosion(),
    EntropyMetricArtefact(),
    TruncationHigh(),
    EosNeverGenerated(),
    EosIdMismatch(),
    PadEqualsEos(),
    LengthExplosion(),
    LengthCollapse(),
    WrongAnswersGrow(),
    MaskedOutBatch(),
    ValueLossSpike(),
    ExplainedVarianceLow(),
    ValueClipfracHigh(),
    RolloutProbMismatch(),
    IsRatioOff(),
    LogpDiffGrowing(),
    EssLow(),
    ToolFailureHigh(),
    LrDecayedPlateau(),
)
