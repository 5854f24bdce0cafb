"""Groups of rules that are consequences of many causes."""

GARBLED_SAMPLE_RULES = (
    "smp-repetition",
    "smp-loop-tail",
    "smp-vocabulary-collapse",
    "smp-template-collapse",
    "smp-group-duplicates",
    "smp-nonlanguage",
    "smp-language-drift",
    "smp-exclaim-emoji",
    "smp-empty",
    "smp-truncated",
    "smp-special-leak",
)
"""What the samples of a broken policy show, whatever broke it."""

FILLED_ANSWER_RULES = (
    *(rule for rule in GARBLED_SAMPLE_RULES if rule not in ("smp-truncated", "smp-loop-tail")),
    "train-eval-divergence",
)
"""What shows that completions are filled up with anything, where nothing but their length pays."""

DEGRADED_TEXT_RULES = (*GARBLED_SAMPLE_RULES, "length-explosion", "truncation-high", "eos-never-generated")
"""What degraded text shows: in samples, or in answers that run on and do not end."""

FAR_RULES = ("kl-too-high", "kl-runaway", "kl-up-reward-flat", "kl-coef-rising", "entropy-explosion")
"""What shows that a policy is far from where it started, by its probabilities alone."""

WANDERING_RULES = (
    *FAR_RULES,
    "length-explosion",
    "truncation-high",
    "length-at-limit",
    "eos-never-generated",
    *GARBLED_SAMPLE_RULES,
)
"""What shows that a policy goes somewhere, where nothing tells it where to go."""

DISTANCE_RULES = ("rollout-prob-mismatch", "engine-mismatch", "logp-diff-growing", "is-ratio-off")
"""What shows that the rollout engine's probabilities are not the trainer's, whatever the reason."""

EQUAL_REWARD_RULES = (
    "reward-stuck-at-floor",
    "reward-func-constant",
    "reward-func-stagnant",
    "zero-variance-groups",
    "zero-variance-excess",
    "reward-std-shrink",
    "smp-score-identical",
    "unscorable-completions",
    "policy-not-updating",
    "policy-hardly-moves",
)
"""What a run shows if its completions all earn the same, or can no longer earn anything, whatever the reason."""
