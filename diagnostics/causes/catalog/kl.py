"""Causes in the KL to the reference and in how completions are sampled."""

from diagnostics.causes.catalog.rule_groups import EQUAL_REWARD_RULES, GARBLED_SAMPLE_RULES
from diagnostics.causes.discriminators.rewards import only_sampling_changed
from diagnostics.causes.discriminators.truncation import eos_was_suppressed_midway, min_length_forbids_end
from diagnostics.causes.discriminators.updates import first_point_precedes_updates, has_kl_penalty, kl_weight_jumped
from diagnostics.causes.entry import CauseEntry
from diagnostics.causes.indicator import Indicator, is_critical, is_warning

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
            Indicator("kl-nonzero-at-start", first_point_precedes_updates),
            Indicator("kl-negative"),
            Indicator("truncation-high", min_length_forbids_end),
            Indicator("eos-never-generated", min_length_forbids_end),
            Indicator("truncation-high", eos_was_suppressed_midway),
            Indicator("eos-never-generated", eos_was_suppressed_midway),
            Indicator("smp-truncated", eos_was_suppressed_midway),
            Indicator("reward-regression", only_sampling_changed),
        ),
        support=("is-ratio-off",),
        preflight=("pf-top-k", "pf-top-p", "pf-min-p", "pf-min-length", "pf-repetition-penalty", "pf-grammar"),
        consequences=(
            "truncation-high",
            "length-explosion",
            *EQUAL_REWARD_RULES,
            "smp-score-length",
            "kl-too-high",
            "kl-runaway",
            "kl-penalty-dominates",
            "value-loss-spike",
            "reward-not-improving",
            "reward-regression",
            "ratio-far-from-one",
            "eos-never-generated",
            "length-collapse",
            "smp-empty",
            "smp-truncated",
            "smp-vocabulary-collapse",
            "smp-template-collapse",
        ),
        rivals={
            "wrong-stop-token": "If samples are complete and then go on to the limit, their end is not heeded; if they "
            "avoid to end, it is forbidden.",
            "never-learned-to-stop": "If no least length is set and nothing suppresses the end, the model never learnt "
            "how to stop.",
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
        "kl-penalty-too-weak",
        summary="The policy runs away from the reference model.",
        meaning="The KL penalty is too weak against the reward, so the policy goes where the reward is highest, "
        "whatever language that is. Look at the samples with the highest scores.",
        core=(
            Indicator("kl-runaway"),
            Indicator("kl-up-reward-flat", is_warning),
            Indicator("kl-too-high"),
        ),
        support=("kl-coef-rising", "reward-regression"),
        against=(
            Indicator("update-too-large", is_critical),
            Indicator("ratio-far-from-one"),
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
        },
        remedies=("fitted-kl", "stronger-kl", "lower-learning-rate", "earlier-checkpoint"),
    ),
    CauseEntry(
        "kl-penalty-too-strong",
        summary="The KL penalty is so strong that the policy cannot follow the reward.",
        meaning="What the score gains, the penalty takes away. The policy stays where it is, or is pulled back as soon "
        "as it moves.",
        core=(Indicator("kl-penalty-dominates"), Indicator("kl-coef-rising", kl_weight_jumped)),
        support=("reward-not-improving",),
        against=(
            Indicator("kl-too-high"),
            Indicator("kl-runaway"),
            Indicator("reward-saturated"),
        ),
        preflight=("pf-kl-scale",),
        consequences=("reward-not-improving", "reward-regression", "value-loss-spike"),
        remedies=("weaker-kl", "score-scaling"),
    ),
)
