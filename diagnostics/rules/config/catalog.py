"""The catalogue of the checks of settings, one file each, in the order of their codes."""

from typing import Any

from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.config.pf_adam_eps import PfAdamEps
from diagnostics.rules.config.pf_completion_length import PfCompletionLength
from diagnostics.rules.config.pf_divisible import PfDivisible
from diagnostics.rules.config.pf_double_bos import PfDoubleBos
from diagnostics.rules.config.pf_dropout import PfDropout
from diagnostics.rules.config.pf_eos_trick import PfEosTrick
from diagnostics.rules.config.pf_epochs import PfEpochs
from diagnostics.rules.config.pf_eval_missing import PfEvalMissing
from diagnostics.rules.config.pf_fp16 import PfFp16
from diagnostics.rules.config.pf_grad_clip import PfGradClip
from diagnostics.rules.config.pf_grader_order import PfGraderOrder
from diagnostics.rules.config.pf_grader_paid import PfGraderPaid
from diagnostics.rules.config.pf_grader_raises import PfGraderRaises
from diagnostics.rules.config.pf_grader_random import PfGraderRandom
from diagnostics.rules.config.pf_grader_slow import PfGraderSlow
from diagnostics.rules.config.pf_grammar import PfGrammar
from diagnostics.rules.config.pf_greedy import PfGreedy
from diagnostics.rules.config.pf_group_size import PfGroupSize
from diagnostics.rules.config.pf_groups_alike import PfGroupsAlike
from diagnostics.rules.config.pf_gspo import PfGspo
from diagnostics.rules.config.pf_is_correction import PfIsCorrection
from diagnostics.rules.config.pf_kl_off import PfKlOff
from diagnostics.rules.config.pf_kl_scale import PfKlScale
from diagnostics.rules.config.pf_logging_steps import PfLoggingSteps
from diagnostics.rules.config.pf_loss_type import PfLossType
from diagnostics.rules.config.pf_lr_range import PfLrRange
from diagnostics.rules.config.pf_many_rewards import PfManyRewards
from diagnostics.rules.config.pf_memory import PfMemory
from diagnostics.rules.config.pf_min_length import PfMinLength
from diagnostics.rules.config.pf_min_p import PfMinP
from diagnostics.rules.config.pf_moe_routing import PfMoeRouting
from diagnostics.rules.config.pf_nan_filter import PfNanFilter
from diagnostics.rules.config.pf_on_policy_note import PfOnPolicyNote
from diagnostics.rules.config.pf_pad_eos import PfPadEos
from diagnostics.rules.config.pf_repetition_penalty import PfRepetitionPenalty
from diagnostics.rules.config.pf_reward_smoke import PfRewardSmoke
from diagnostics.rules.config.pf_small_first import PfSmallFirst
from diagnostics.rules.config.pf_stop_token import PfStopToken
from diagnostics.rules.config.pf_stop_unsupported import PfStopUnsupported
from diagnostics.rules.config.pf_temp_high import PfTempHigh
from diagnostics.rules.config.pf_template_not_prefix import PfTemplateNotPrefix
from diagnostics.rules.config.pf_top_k import PfTopK
from diagnostics.rules.config.pf_top_p import PfTopP
from diagnostics.rules.config.pf_value_clip import PfValueClip

CONFIG_RULES: tuple[ConfigRule[Any], ...] = (
    PfFp16(),
    PfGradClip(),
    PfNanFilter(),
    PfAdamEps(),
    PfMemory(),
    PfLrRange(),
    PfEpochs(),
    PfOnPolicyNote(),
    PfGspo(),
    PfLossType(),
    PfDropout(),
    PfTopK(),
    PfTopP(),
    PfMinP(),
    PfRepetitionPenalty(),
    PfGrammar(),
    PfKlOff(),
    PfKlScale(),
    PfManyRewards(),
    PfRewardSmoke(),
    PfGraderPaid(),
    PfGraderRaises(),
    PfGraderSlow(),
    PfGraderRandom(),
    PfGraderOrder(),
    PfGroupsAlike(),
    PfGreedy(),
    PfTempHigh(),
    PfGroupSize(),
    PfMinLength(),
    PfEosTrick(),
    PfPadEos(),
    PfCompletionLength(),
    PfStopToken(),
    PfValueClip(),
    PfIsCorrection(),
    PfMoeRouting(),
    PfDoubleBos(),
    PfTemplateNotPrefix(),
    PfDivisible(),
    PfLoggingSteps(),
    PfEvalMissing(),
    PfStopUnsupported(),
    PfSmallFirst(),
)
