"""Causes in the distance to the reference and in how answers are sampled."""

from diagnostics.causes.cause import OF_EQUAL_REWARDS, OF_GARBLED_SAMPLES, CauseEntry
from diagnostics.causes.clue import Clue, is_critical, is_warning
from diagnostics.causes.discriminators.rewards import only_sampling_changed
from diagnostics.causes.discriminators.truncation import end_is_forbidden, end_was_withheld
from diagnostics.causes.discriminators.updates import has_kl_penalty, kl_weight_leapt, no_update_before_the_first_point

KL: tuple[CauseEntry, ...] = (
    CauseEntry(
        "sampling-unlike-policy",
        summary="The answers are sampled from another distribution than the one that is scored.",
        meaning="Top-k, top-p, a minimum length, a repetition penalty or another temperature decide what is generated, "
        "while log-probabilities are those of the plain policy. The KL estimate is then biased, can be driven below "
        "zero, and pays for it.",
        core=(
            Clue("sampling-not-policy"),
            Clue("systematic-logprob-shift"),
            Clue("kl-nonzero-at-start", no_update_before_the_first_point),
            Clue("kl-negative"),
            Clue("truncation-high", end_is_forbidden),
            Clue("eos-never-generated", end_is_forbidden),
            Clue("truncation-high", end_was_withheld),
            Clue("eos-never-generated", end_was_withheld),
            Clue("smp-truncated", end_was_withheld),
            Clue("reward-regression", only_sampling_changed),
        ),
        consequences=(
            "truncation-high",
            "length-explosion",
            *OF_EQUAL_REWARDS,
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
        support=("is-ratio-off",),
        preflight=("pf-top-k", "pf-top-p", "pf-min-p", "pf-min-length", "pf-repetition-penalty", "pf-grammar"),
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
            Clue("kl-runaway"),
            Clue("kl-up-reward-flat", is_warning),
            Clue("kl-too-high"),
        ),
        support=("kl-coef-rising", "reward-regression"),
        against=(
            Clue("update-too-large", is_critical),
            Clue("ratio-far-from-one"),
        ),
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
            *OF_GARBLED_SAMPLES,
        ),
        preflight=("pf-kl-off", "pf-lr-range"),
        folds_worse=False,
        is_effect=has_kl_penalty,
        remedies=("fitted-kl", "stronger-kl", "lower-learning-rate", "earlier-checkpoint"),
        rivals={
            "drastic-updates": "If single updates are large (approximate KL above 0.03 nats per token), lower the "
            "learning rate first; if each is small and they add up, the KL penalty is too weak.",
            "reward-hacking": "If the answers far from the reference score higher than any did before and read worse, "
            "the reward pays for them.",
        },
    ),
    CauseEntry(
        "kl-penalty-too-strong",
        summary="The KL penalty is so strong that the policy cannot follow the reward.",
        meaning="What the score gains, the penalty takes away. The policy stays where it is, or is pulled back as soon "
        "as it moves.",
        core=(Clue("kl-penalty-dominates"), Clue("kl-coef-rising", kl_weight_leapt)),
        support=("reward-not-improving",),
        against=(
            Clue("kl-too-high"),
            Clue("kl-runaway"),
            Clue("reward-saturated"),
        ),
        consequences=("reward-not-improving", "reward-regression", "value-loss-spike"),
        preflight=("pf-kl-scale",),
        remedies=("weaker-kl", "score-scaling"),
    ),
)
