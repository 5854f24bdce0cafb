"""Causes in the distance to the reference and in how answers are sampled."""

from diagnostics.causes.clues import Clue, end_is_forbidden, is_warning
from diagnostics.causes.entry import OF_GARBLED_SAMPLES, CauseEntry

KL: tuple[CauseEntry, ...] = (
    CauseEntry(
        "sampling-unlike-policy",
        summary="The answers are sampled from another distribution than the one that is scored.",
        meaning="Top-k, top-p, a minimum length, a repetition penalty or another temperature decide what is generated, "
        "while log-probabilities are those of the plain policy. The KL estimate is then biased, can be driven below "
        "zero, and pays for it.",
        core=(
            Clue("systematic-logprob-shift"),
            Clue("kl-nonzero-at-start"),
            Clue("kl-negative"),
            Clue("truncation-high", end_is_forbidden),
            Clue("eos-never-generated", end_is_forbidden),
        ),
        consequences=(
            "kl-too-high",
            "kl-runaway",
            "kl-penalty-dominates",
            "value-loss-spike",
            "zero-variance-groups",
            "reward-stuck-at-floor",
            "reward-not-improving",
            "reward-regression",
            "ratio-far-from-one",
            "eos-never-generated",
            "length-collapse",
            "smp-empty",
            "smp-truncated",
        ),
        support=("is-ratio-off",),
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
        "kl-leash-too-loose",
        summary="The policy runs away from the reference model.",
        meaning="The KL penalty is too weak against the reward, so the policy goes where the reward is highest, "
        "whatever language that is. Look at the samples with the highest scores.",
        core=(
            Clue("kl-runaway"),
            Clue("kl-up-reward-flat", is_warning),
            Clue("kl-too-high"),
        ),
        support=("kl-coef-rising", "reward-regression"),
        against=("update-too-large", "ratio-far-from-one"),
        consequences=(
            "kl-runaway",
            "kl-penalty-dominates",
            "reward-std-shrink",
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
        remedies=("stronger-kl", "lower-learning-rate", "earlier-checkpoint"),
    ),
    CauseEntry(
        "kl-leash-too-tight",
        summary="The KL penalty is so strong that the policy cannot follow the reward.",
        meaning="What the score gains, the penalty takes away. The policy stays where it is, or is pulled back as soon "
        "as it moves.",
        core=(Clue("kl-penalty-dominates"),),
        support=("reward-not-improving",),
        against=("kl-too-high", "kl-runaway"),
        consequences=("reward-not-improving",),
        remedies=("weaker-kl", "score-scaling"),
    ),
)
