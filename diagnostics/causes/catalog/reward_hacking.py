"""Causes in rewards that rise without what they stand for."""

from diagnostics.causes.catalog.rule_groups import GARBLED_SAMPLE_RULES
from diagnostics.causes.discriminators.rewards import (
    noise_earns_the_most,
    reward_exceeds_early_scores,
    reward_rose,
    reward_rose_without_greedy_sampling,
    score_exceeded_zero,
    score_pays_for_it,
    score_pays_for_marks,
)
from diagnostics.causes.entry import CauseEntry
from diagnostics.causes.indicator import Indicator, is_critical

REWARD_HACKING_CAUSES: tuple[CauseEntry, ...] = (
    CauseEntry(
        "format-over-accuracy",
        summary="The model learns the form of an answer at the cost of its content.",
        meaning="A reward for tags, format or length is easier to raise than the one for the answer, and the two are "
        "added up. The total rises while what was wanted falls.",
        core=(Indicator("reward-components-diverge"),),
        support=("reward-component-dominates", "reward-func-stagnant", "smp-format-without-answer"),
        consequences=("reward-func-stagnant", "train-eval-divergence", "length-collapse"),
        remedies=("gated-format", "reweighted-rewards"),
    ),
    CauseEntry(
        "reward-hacking",
        summary="The policy has found out what scores high, and it is not what was meant.",
        meaning="The score rises while the answers turn into marks, repeated words or something that is no language. "
        "The reward is a stand-in for what is wanted, and the policy has left the ground on which the two agree.",
        core=(
            Indicator("train-eval-divergence"),
            Indicator("reward-jump-suspicious"),
            Indicator("smp-exclaim-emoji", score_pays_for_marks, proves=reward_exceeds_early_scores),
            Indicator("smp-nonlanguage", score_pays_for_it, proves=reward_exceeds_early_scores),
            Indicator("smp-repetition", reward_rose, proves=reward_exceeds_early_scores),
            Indicator("smp-loop-tail", reward_rose, proves=reward_exceeds_early_scores),
            Indicator("smp-template-collapse", reward_rose_without_greedy_sampling, proves=reward_exceeds_early_scores),
            Indicator(
                "smp-vocabulary-collapse", reward_rose_without_greedy_sampling, proves=reward_exceeds_early_scores
            ),
            Indicator("smp-prompt-copy", reward_rose, proves=reward_exceeds_early_scores),
            Indicator("entropy-explosion", noise_earns_the_most),
        ),
        support=(
            "kl-up-reward-flat",
            "reward-std-shrink",
            "reward-components-diverge",
            "kl-too-high",
            "length-explosion",
            "smp-score-length",
            "smp-boilerplate",
            "smp-score-outlier",
        ),
        against=(Indicator("nonfinite-metric", is_critical),),
        preflight=("pf-kl-off",),
        consequences=(
            "kl-runaway",
            "kl-up-reward-flat",
            "reward-std-shrink",
            "reward-saturated",
            "train-eval-divergence",
            "kl-too-high",
            "kl-coef-rising",
            "truncation-high",
            "length-at-limit",
            "eos-never-generated",
            "entropy-collapse",
            "length-explosion",
            "explained-variance-low",
            "reward-regression",
            "update-too-large",
            "ratio-far-from-one",
            "clipfrac-high",
            "grpo-clip-ratio-high",
            "grad-norm-sustained",
            "value-loss-spike",
            "smp-score-identical",
            "zero-variance-groups",
            *GARBLED_SAMPLE_RULES,
        ),
        rivals={
            "drastic-updates": "If updates were too large before the score began to rise, lower the learning rate as "
            "well; what the samples show stays a matter of the reward.",
            "numerical-breakdown": "A NaN or infinity in any metric before the marks appear means that the numbers "
            "broke; finite metrics and a rising score mean a hack.",
            "mode-collapse": "If the few answers score higher than all before, the reward pays for them; if not, the "
            "policy stopped exploring.",
            "wrong-reward-sign": "If right answers score lower than wrong ones, it is the sign; if both score the "
            "same, the reward does not ask for the task.",
        },
        decided_by={"wrong-reward-sign": score_exceeded_zero},
        remedies=(
            "unpaid-marks",
            "checked-reward",
            "fitted-kl",
            "stronger-kl",
            "fitted-learning-rate",
            "earlier-checkpoint",
        ),
    ),
)
