"""Causes in the updates themselves: too large, too tight, broken in number, too noisy, or none at all."""

from diagnostics.causes.catalog.rule_groups import EQUAL_REWARD_RULES, GARBLED_SAMPLE_RULES
from diagnostics.causes.discriminators.movement import kl_penalty_is_usual, policy_is_at_its_start
from diagnostics.causes.discriminators.rewards import (
    first_nonfinite_is_a_reward,
    marks_decode_nan_logits,
    nothing_else_holds_it,
)
from diagnostics.causes.discriminators.sampling import sampling_is_not_greedy
from diagnostics.causes.discriminators.updates import (
    batches_are_used_often,
    clip_range_is_tight,
    died_of_its_numbers,
    jump_is_grave,
    learning_rate_is_extreme,
    never_changes,
    numbers_ended_it,
    policy_jumped,
    updates_leave_the_clip_range,
)
from diagnostics.causes.entry import CauseEntry, Variant
from diagnostics.causes.indicator import Indicator, always_true, is_critical, is_warning

DEAD_FROM_THE_START = ("reward-func-constant", "reward-stuck-at-floor", "zero-variance-groups", "truncation-high")
"""What a log shows whose first row comes after the update that wrecked the policy."""

UPDATE_CAUSES: tuple[CauseEntry, ...] = (
    CauseEntry(
        "drastic-updates",
        summary="Each update changes the policy too much.",
        meaning="The step from one policy to the next leaves the region in which the samples still say what is better. "
        "The learning rate is too high, the same samples are used too often, or the clipping is too loose. KL, entropy "
        "and reward follow some steps later.",
        core=(
            Indicator("legacy-batches-skipped"),
            Indicator("ratio-far-from-one"),
            Indicator("update-too-large", sampling_is_not_greedy),
            Indicator("grpo-clip-ratio-high", updates_leave_the_clip_range),
            Indicator("kl-too-high", policy_jumped, escalates=jump_is_grave),
            Indicator("policy-frozen"),
            Indicator("grad-norm-sustained", batches_are_used_often),
            *(Indicator(rule, learning_rate_is_extreme, proves=always_true) for rule in DEAD_FROM_THE_START),
        ),
        support=(
            "kl-runaway",
            "grad-norm-sustained",
            "grad-norm-extreme",
            "clipfrac-high",
            "kl-too-high",
            "reward-regression",
        ),
        against=(Indicator("kl-negative"),),
        preflight=("pf-lr-range", "pf-epochs", "pf-grad-clip"),
        consequences=(
            "kl-runaway",
            "kl-up-reward-flat",
            "kl-penalty-dominates",
            "grad-norm-sustained",
            "grad-norm-spike",
            "nan-grad-finite-loss",
            *EQUAL_REWARD_RULES,
            "reward-jump-suspicious",
            "train-eval-divergence",
            "kl-too-high",
            "kl-nonzero-at-start",
            "kl-coef-rising",
            "value-loss-spike",
            "nonfinite-metric",
            "reward-regression",
            "reward-not-improving",
            "truncation-high",
            "length-at-limit",
            "eos-never-generated",
            "stability-metric-collapsed",
            "entropy-collapse",
            "entropy-explosion",
            "explained-variance-low",
            "length-explosion",
            "length-collapse",
            *GARBLED_SAMPLE_RULES,
        ),
        explains_worse=False,
        rivals={
            "reward-hacking": "If the answers score higher than any before and read worse, the reward pays for them, "
            "and a lower learning rate only delays it.",
            "kl-penalty-too-weak": "If single updates are small and add up to a distance, the KL penalty is too weak.",
        },
        remedies=(
            "fitted-learning-rate",
            "much-lower-learning-rate",
            "restored-clip-range",
            "fewer-epochs",
            "clipped-gradient",
        ),
    ),
    CauseEntry(
        "clip-range-too-tight",
        summary="The clip range is so tight that most updates are thrown away.",
        meaning="Many tokens are clipped although the policy hardly moves.",
        core=(Indicator("clipfrac-high"), Indicator("grpo-clip-ratio-high", clip_range_is_tight)),
        against=(
            Indicator("update-too-large"),
            Indicator("ratio-far-from-one"),
        ),
        consequences=("reward-not-improving", "on-policy-identity-violated"),
        remedies=("wider-clip-range",),
    ),
    CauseEntry(
        "numerical-breakdown",
        summary="The numbers broke down: something became NaN or infinite.",
        meaning="A non-finite reward, an overflowing ratio or half precision put a NaN into the loss. It reaches the "
        "weights with the next update; from then on nothing that is logged means anything.",
        core=(
            Indicator("nan-grad-finite-loss"),
            Indicator("smp-exclaim-emoji", marks_decode_nan_logits),
            Indicator("nonfinite-metric", is_critical),
            Indicator("run-died", numbers_ended_it),
        ),
        preflight=("pf-fp16", "pf-grad-clip"),
        consequences=(
            "policy-not-updating",
            "reward-std-shrink",
            "zero-variance-groups",
            "unscorable-completions",
            "reward-regression",
            "reward-not-improving",
            "reward-func-constant",
            "truncation-high",
            "length-at-limit",
            "eos-never-generated",
            "stability-metric-collapsed",
            "entropy-collapse",
            "length-collapse",
            "length-explosion",
            "pad-equals-eos",
            "eos-id-mismatch",
            "smp-score-identical",
            "smp-score-length",
            "run-died",
            *GARBLED_SAMPLE_RULES,
        ),
        follows_if={"run-died": died_of_its_numbers},
        rivals={
            "reward-hacking": "Exclamation marks with finite metrics and a rising score are a hack; with NaN in a "
            "metric they are what broken logits decode to."
        },
        remedies=("checked-reward", "earlier-checkpoint", "bf16", "clipped-gradient", "lower-learning-rate"),
        variants=(
            Variant(
                "reward",
                first_nonfinite_is_a_reward,
                summary="A reward function returned a value that is not a number.",
                remedies=("finite-functions", "checked-reward", "earlier-checkpoint"),
            ),
        ),
    ),
    CauseEntry(
        "not-training",
        summary="Nothing is being trained: the weights do not change.",
        meaning="The gradient or the learning rate is 0, or so small that nothing moves, although answers are told "
        "apart. The model is frozen, the adapter sits on other modules, the warm-up is longer than the run, the "
        "schedule has ended, or bfloat16 rounds each update away.",
        core=(
            Indicator("policy-not-updating", never_changes),
            Indicator("policy-hardly-moves", kl_penalty_is_usual, proves=nothing_else_holds_it),
            Indicator("reward-not-improving", policy_is_at_its_start, alone=True),
        ),
        support=("reward-not-improving",),
        preflight=("pf-lr-range",),
        consequences=("reward-not-improving", "stability-metric-collapsed", "lr-decayed-plateau"),
        remedies=("raised-learning-rate", "checked-parameters", "later-decay"),
    ),
    CauseEntry(
        "noisy-small-batch",
        summary="Each prompt gets a single answer, so that there is nothing to compare it with.",
        meaning="An answer is judged by the others to its prompt. Without any, it counts by its reward alone, and the "
        "noise of so small a comparison hides any progress.",
        core=(Indicator("single-answer-groups", is_warning),),
        support=("grad-norm-spike", "reward-not-improving"),
        preflight=("pf-divisible", "pf-group-size"),
        remedies=("more-generations",),
    ),
    CauseEntry(
        "dropout-or-precision-noise",
        summary="The same weights give different probabilities each time.",
        meaning="Between rollout and first update nothing was changed, and yet old and new probabilities differ: "
        "dropout is on, padding shifts positions, or the precision is too low.",
        core=(Indicator("on-policy-identity-violated"),),
        support=("kl-nonzero-at-start",),
        against=(
            Indicator("logp-diff-growing"),
            Indicator("rollout-prob-mismatch"),
        ),
        preflight=("pf-dropout",),
        remedies=("no-dropout", "exact-head"),
    ),
)
