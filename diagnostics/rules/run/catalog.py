"""The catalogue: every rule, one file each, in the order of their codes."""

from typing import Any

from diagnostics.rules.run.clip_asymmetry import ClipAsymmetry
from diagnostics.rules.run.clipfrac_high import ClipfracHigh
from diagnostics.rules.run.correction_discards import CorrectionDiscards
from diagnostics.rules.run.drops_bias_length import DropsBiasLength
from diagnostics.rules.run.engine_mismatch import EngineMismatch
from diagnostics.rules.run.engine_weights_stale import EngineWeightsStale
from diagnostics.rules.run.entropy_collapse import EntropyCollapse
from diagnostics.rules.run.entropy_explosion import EntropyExplosion
from diagnostics.rules.run.entropy_metric_artefact import EntropyMetricArtefact
from diagnostics.rules.run.env_errors import EnvErrors
from diagnostics.rules.run.eos_id_mismatch import EosIdMismatch
from diagnostics.rules.run.eos_never_generated import EosNeverGenerated
from diagnostics.rules.run.ess_low import EssLow
from diagnostics.rules.run.explained_variance_low import ExplainedVarianceLow
from diagnostics.rules.run.generation_bound import GenerationBound
from diagnostics.rules.run.grad_norm_extreme import GradNormExtreme
from diagnostics.rules.run.grad_norm_spike import GradNormSpike
from diagnostics.rules.run.grad_norm_sustained import GradNormSustained
from diagnostics.rules.run.grader_slow import GraderSlow
from diagnostics.rules.run.grpo_clip_ratio_high import GrpoClipRatioHigh
from diagnostics.rules.run.history_forks import HistoryForks
from diagnostics.rules.run.is_ratio_off import IsRatioOff
from diagnostics.rules.run.kl_coef_rising import KlCoefRising
from diagnostics.rules.run.kl_negative import KlNegative
from diagnostics.rules.run.kl_nonzero_at_start import KlNonzeroAtStart
from diagnostics.rules.run.kl_outlier_token import KlOutlierToken
from diagnostics.rules.run.kl_penalty_dominates import KlPenaltyDominates
from diagnostics.rules.run.kl_runaway import KlRunaway
from diagnostics.rules.run.kl_too_high import KlTooHigh
from diagnostics.rules.run.kl_up_reward_flat import KlUpRewardFlat
from diagnostics.rules.run.kv_preempted import KvPreempted
from diagnostics.rules.run.legacy_batches_skipped import LegacyBatchesSkipped
from diagnostics.rules.run.length_at_limit import LengthAtLimit
from diagnostics.rules.run.length_collapse import LengthCollapse
from diagnostics.rules.run.length_explosion import LengthExplosion
from diagnostics.rules.run.logp_diff_growing import LogpDiffGrowing
from diagnostics.rules.run.lr_decayed_plateau import LrDecayedPlateau
from diagnostics.rules.run.masked_out_batch import MaskedOutBatch
from diagnostics.rules.run.memory_climbs import MemoryClimbs
from diagnostics.rules.run.microbatches_tiny import MicrobatchesTiny
from diagnostics.rules.run.nan_grad_finite_loss import NanGradFiniteLoss
from diagnostics.rules.run.nonfinite_metric import NonfiniteMetric
from diagnostics.rules.run.on_policy_identity_violated import OnPolicyIdentityViolated
from diagnostics.rules.run.oom import Oom
from diagnostics.rules.run.pad_equals_eos import PadEqualsEos
from diagnostics.rules.run.policy_frozen import PolicyFrozen
from diagnostics.rules.run.policy_hardly_moves import PolicyHardlyMoves
from diagnostics.rules.run.policy_not_updating import PolicyNotUpdating
from diagnostics.rules.run.ratio_far_from_one import RatioFarFromOne
from diagnostics.rules.run.recompute_dear import RecomputeDear
from diagnostics.rules.run.resume_jump import ResumeJump
from diagnostics.rules.run.reward_component_dominates import RewardComponentDominates
from diagnostics.rules.run.reward_components_diverge import RewardComponentsDiverge
from diagnostics.rules.run.reward_follows_length import RewardFollowsLength
from diagnostics.rules.run.reward_func_constant import RewardFuncConstant
from diagnostics.rules.run.reward_func_stagnant import RewardFuncStagnant
from diagnostics.rules.run.reward_identity_broken import RewardIdentityBroken
from diagnostics.rules.run.reward_jump_suspicious import RewardJumpSuspicious
from diagnostics.rules.run.reward_not_improving import RewardNotImproving
from diagnostics.rules.run.reward_regression import RewardRegression
from diagnostics.rules.run.reward_saturated import RewardSaturated
from diagnostics.rules.run.reward_scale_extreme import RewardScaleExtreme
from diagnostics.rules.run.reward_sign_flipped import RewardSignFlipped
from diagnostics.rules.run.reward_std_shrink import RewardStdShrink
from diagnostics.rules.run.reward_stuck_at_floor import RewardStuckAtFloor
from diagnostics.rules.run.rollout_prob_mismatch import RolloutProbMismatch
from diagnostics.rules.run.rollout_straggler import RolloutStraggler
from diagnostics.rules.run.run_died import RunDied
from diagnostics.rules.run.run_rule import RunRule
from diagnostics.rules.run.run_stalled import RunStalled
from diagnostics.rules.run.samples_stale import SamplesStale
from diagnostics.rules.run.sampling_not_policy import SamplingNotPolicy
from diagnostics.rules.run.single_answer_groups import SingleAnswerGroups
from diagnostics.rules.run.stability_metric_collapsed import StabilityMetricCollapsed
from diagnostics.rules.run.step_slows import StepSlows
from diagnostics.rules.run.sync_dear import SyncDear
from diagnostics.rules.run.systematic_logprob_shift import SystematicLogprobShift
from diagnostics.rules.run.tiny_std_amplification import TinyStdAmplification
from diagnostics.rules.run.tool_failure_high import ToolFailureHigh
from diagnostics.rules.run.train_eval_divergence import TrainEvalDivergence
from diagnostics.rules.run.trainer_bound import TrainerBound
from diagnostics.rules.run.truncation_high import TruncationHigh
from diagnostics.rules.run.unscorable_completions import UnscorableCompletions
from diagnostics.rules.run.update_too_large import UpdateTooLarge
from diagnostics.rules.run.value_clipfrac_high import ValueClipfracHigh
from diagnostics.rules.run.value_loss_spike import ValueLossSpike
from diagnostics.rules.run.wrong_answers_grow import WrongAnswersGrow
from diagnostics.rules.run.zero_variance_excess import ZeroVarianceExcess
from diagnostics.rules.run.zero_variance_groups import ZeroVarianceGroups

RUN_RULES: tuple[RunRule[Any], ...] = (
    NonfiniteMetric(),
    StabilityMetricCollapsed(),
    NanGradFiniteLoss(),
    GradNormSpike(),
    GradNormSustained(),
    PolicyNotUpdating(),
    LegacyBatchesSkipped(),
    RunStalled(),
    Oom(),
    PolicyHardlyMoves(),
    PolicyFrozen(),
    GradNormExtreme(),
    MemoryClimbs(),
    RunDied(),
    ResumeJump(),
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
    SingleAnswerGroups(),
    RewardFollowsLength(),
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
    LengthAtLimit(),
    ValueLossSpike(),
    ExplainedVarianceLow(),
    ValueClipfracHigh(),
    RolloutProbMismatch(),
    IsRatioOff(),
    LogpDiffGrowing(),
    EssLow(),
    ToolFailureHigh(),
    EngineWeightsStale(),
    EngineMismatch(),
    CorrectionDiscards(),
    SamplesStale(),
    DropsBiasLength(),
    HistoryForks(),
    EnvErrors(),
    LrDecayedPlateau(),
    TrainerBound(),
    GenerationBound(),
    MicrobatchesTiny(),
    RecomputeDear(),
    SyncDear(),
    RolloutStraggler(),
    KvPreempted(),
    StepSlows(),
    GraderSlow(),
)
