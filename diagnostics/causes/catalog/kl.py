"""Causes in the KL to the reference and in how completions are sampled."""

from diagnostics.causes.catalog.rule_groups import (
    DISTANCE_RULES,
    EQUAL_REWARD_RULES,
    GARBLED_SAMPLE_RULES,
    WANDERING_RULES,
)
from diagnostics.causes.discriminators.engine import samples_are_cut_off
from diagnostics.causes.discriminators.movement import kl_penalty_holds_it, policy_is_held_back
from diagnostics.causes.discriminators.rewards import only_sampling_changed, policy_goes_on_unpaid
from diagnostics.causes.discriminators.sampling import (
    sampling_follows_the_policy,
    sampling_is_cut_off,
)
from diagnostics.causes.discriminators.truncation import eos_was_suppressed_midway, min_length_forbids_end
from diagnostics.causes.discriminators.updates import (
    first_point_precedes_updates,
    has_kl_penalty,
    heavy_weight_is_known,
    kl_grew_under_a_light_penalty,
    kl_weight_grew_heavy,
    kl_weight_jumped,
    penalty_outweighs_the_score,
    penalty_was_light,
    size_of_single_updates_shows,
    states_dropout,
    update_was_huge,
)
from diagnostics.causes.entry import CauseEntry
from diagnostics.causes.indicator import Indicator, is_warning

AGAINST_THE_SCORE = (
    *(rule for rule in (*WANDERING_RULES, *EQUAL_REWARD_RULES) if rule != "smp-special-leak"),
    "length-collapse",
)
"""What a policy shows that follows the penalty's noise and loses what it could do, or pays least by ending at once."""

KL_CAUSES: tuple[CauseEntry, ...] = (
    CauseEntry(
        "sampling-unlike-policy",
        summary="The answers are sampled from another distribution than the one that is scored.",
        meaning="Top-k, top-p, a minimum length, a repetition penalty or another temperature decide what is generated, "
        "while log-probabilities are those of the plain policy. The KL estimate is then biased, can be driven below "
        "zero, and pays for it.",
        core=(
            Indicator("sampling-not-policy"),
            Indicator("systematic-logprob-shift"),
            Indicator("kl-negative"),
            Indicator("kl-too-high", sampling_is_cut_off),
            Indicator("kl-runaway", sampling_is_cut_off),
            Indicator("truncation-high", min_length_forbids_end),
            Indicator("eos-never-generated", min_length_forbids_end),
            Indicator("truncation-high", eos_was_suppressed_midway),
            Indicator("eos-never-generated", eos_was_suppressed_midway),
            Indicator("smp-truncated", eos_was_suppressed_midway),
            Indicator("reward-regression", only_sampling_changed),
            *(Indicator(rule, samples_are_cut_off) for rule in DISTANCE_RULES),
        ),
        support=("ess-low", "correction-discards"),
        preflight=("pf-top-k", "pf-top-p", "pf-min-p", "pf-min-length", "pf-repetition-penalty", "pf-grammar"),
        consequences=(
            "truncation-high",
            "length-at-limit",
            "length-explosion",
            *EQUAL_REWARD_RULES,
            "smp-score-length",
            "kl-too-high",
            "kl-runaway",
            "update-too-large",
            "kl-penalty-dominates",
            "value-loss-spike",
            "ess-low",
            "correction-discards",
            "reward-not-improving",
            "reward-regression",
            "ratio-far-from-one",
            "eos-never-generated",
            "length-collapse",
            *GARBLED_SAMPLE_RULES,
            "entropy-collapse",
            "entropy-explosion",
            "explained-variance-low",
            "kl-up-reward-flat",
            "kl-coef-rising",
        ),
        rivals={
            "wrong-stop-token": "If samples are complete and then go on to the limit, their end is ignored; if they "
            "avoid ending, it is forbidden.",
            "never-learned-to-stop": "If no minimum length is set and nothing suppresses the end, the model never "
            "learned how to stop.",
        },
        remedies=(
            "scored-temperature",
            "free-end",
            "no-top-k",
            "no-top-p",
            "no-min-p",
            "no-repetition-penalty",
            "true-sampling",
        ),
    ),
    CauseEntry(
        "reference-is-another-model",
        summary="The reference is not the model that the training began with.",
        meaning="Before the first update, policy and reference give the same tokens different probabilities. Equal "
        "weights give every token the same one, however it was sampled: so one of the two is another model, is "
        "quantised, has an adapter on, or is run with dropout. Every KL of the run is off by that much, and the "
        "penalty pulls the policy towards what it never was, or makes a short answer the cheapest. This is intended "
        "where a teacher is the reference, or a later stage keeps the first model as its reference.",
        core=(Indicator("kl-nonzero-at-start", first_point_precedes_updates),),
        support=("on-policy-identity-violated",),
        consequences=(
            "kl-too-high",
            "kl-runaway",
            "kl-penalty-dominates",
            "kl-coef-rising",
            "kl-negative",
        ),
        explains_worse=False,
        is_often_meant=True,
        rivals={
            "dropout-or-precision-noise": "If the same model gives two different probabilities for the same text, "
            "dropout or rounding makes the difference, and no other reference.",
        },
        decided_by={"dropout-or-precision-noise": states_dropout},
        remedies=("same-reference", "no-dropout"),
    ),
    CauseEntry(
        "kl-penalty-too-weak",
        summary="The policy runs away from the reference model.",
        meaning="The KL penalty is too weak against the reward, so the policy goes where the reward is highest, "
        "whatever language that is. Look at the samples with the highest scores.",
        core=(
            Indicator("kl-runaway", penalty_was_light),
            Indicator("kl-up-reward-flat", is_warning),
            Indicator("kl-too-high", kl_grew_under_a_light_penalty),
        ),
        support=("kl-coef-rising", "reward-regression"),
        against=(
            Indicator("update-too-large", update_was_huge),
            Indicator("ratio-far-from-one"),
            Indicator("reward-saturated"),
        ),
        preflight=("pf-kl-off", "pf-lr-range"),
        consequences=(
            "kl-runaway",
            "kl-penalty-dominates",
            "reward-std-shrink",
            "reward-saturated",
            "train-eval-divergence",
            "reward-regression",
            "kl-coef-rising",
            "stability-metric-collapsed",
            "entropy-collapse",
            "explained-variance-low",
            "length-explosion",
            "truncation-high",
            "length-at-limit",
            "eos-never-generated",
            *GARBLED_SAMPLE_RULES,
        ),
        is_effect=has_kl_penalty,
        explains_worse=False,
        rivals={
            "drastic-updates": "If single updates are large (approximate KL above 0.03 nats per token), lower the "
            "learning rate first; if each is small and they add up, the KL penalty is too weak.",
            "reward-hacking": "If the answers far from the reference score higher than any did before and read worse, "
            "the reward pays for them.",
            "sampling-unlike-policy": "If the KL stays low in a short run with neutral sampling (no top-k, top-p, "
            "min-p or penalty), it is the sampling.",
        },
        decided_by={
            "drastic-updates": size_of_single_updates_shows,
            "sampling-unlike-policy": sampling_follows_the_policy,
        },
        remedies=("fitted-kl", "kl-penalty-on", "stronger-kl", "lower-learning-rate", "earlier-checkpoint"),
    ),
    CauseEntry(
        "kl-penalty-too-strong",
        summary="The KL penalty is so strong that the policy cannot follow the reward.",
        meaning="What the score gains, the penalty takes away. The policy stays where it is, or is pulled back as soon "
        "as it moves.",
        core=(
            Indicator("kl-penalty-dominates", proves=heavy_weight_is_known),
            Indicator("kl-coef-rising", kl_weight_jumped),
            Indicator("kl-coef-rising", kl_weight_grew_heavy),
            Indicator("policy-hardly-moves", kl_penalty_holds_it),
            Indicator("reward-not-improving", policy_is_held_back),
        ),
        support=("reward-not-improving",),
        against=(
            Indicator("kl-too-high", penalty_was_light),
            Indicator("kl-runaway", penalty_was_light),
            Indicator("reward-not-improving", policy_goes_on_unpaid),
            Indicator("reward-saturated"),
        ),
        preflight=("pf-kl-scale",),
        consequences=(
            "reward-not-improving",
            "reward-regression",
            "value-loss-spike",
            "explained-variance-low",
            "entropy-explosion",
            "smp-special-leak",
            *AGAINST_THE_SCORE,
        ),
        follows_if=dict.fromkeys(AGAINST_THE_SCORE, penalty_outweighs_the_score),
        remedies=("weaker-kl", "score-scaling"),
    ),
)
