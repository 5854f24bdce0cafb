"""Causes in the rollout engine: samples that are not the policy's, whatever is done with them afterwards."""

from diagnostics.causes.catalog.rule_groups import DISTANCE_RULES, GARBLED_SAMPLE_RULES
from diagnostics.causes.discriminators.engine import (
    age_explains_it,
    engines_compute_apart,
    experts_are_routed_apart,
    jump_is_of_unsent_weights,
    shows_whether_weights_came,
    states_the_sampling,
    tokens_are_others,
    weights_never_came,
)
from diagnostics.causes.entry import CauseEntry
from diagnostics.causes.indicator import Condition, Indicator, is_warning

OFF_POLICY_RULES = (
    *DISTANCE_RULES,
    "ess-low",
    "correction-discards",
    "kl-runaway",
    "grad-norm-sustained",
    "nan-grad-finite-loss",
    "entropy-explosion",
    "kl-too-high",
    "reward-regression",
    "reward-not-improving",
    "nonfinite-metric",
    *GARBLED_SAMPLE_RULES,
)
"""What follows from samples that are another policy's."""


def _if(condition: Condition) -> tuple[Indicator, ...]:
    return tuple(Indicator(rule, condition) for rule in DISTANCE_RULES)


ENGINE_CAUSES: tuple[CauseEntry, ...] = (
    CauseEntry(
        "weights-not-synced",
        summary="The rollout engine does not get the policy's new weights.",
        meaning="What is generated are the answers of an old policy, often of the first one. The policy trains on "
        "them, moves away from what generates, and cannot see what it has become: reward and length of the samples "
        "stay as they were. The transfer fails without an error: sleep mode wakes old weights, an adapter is left "
        "out, names do not fit, or another server is updated.",
        core=(Indicator("engine-weights-stale", jump_is_of_unsent_weights), *_if(weights_never_came)),
        support=(
            "is-ratio-off",
            "ess-low",
            "correction-discards",
            "reward-not-improving",
            "policy-hardly-moves",
            "smp-language-drift",
        ),
        consequences=(*OFF_POLICY_RULES, "policy-hardly-moves", "grad-norm-spike"),
        rivals={
            "samples-stale": "If the log says how many updates old the samples are, and the age stays the same, they "
            "are late; if it grows with every step, the weights never come.",
            "engine-mismatch": "If the distance was there before the first update, or at a learning rate of 0, it is "
            "the precision; if it came with the updates, they were not sent.",
        },
        remedies=(
            "switched-on-sync",
            "no-engine-sleep",
            "merged-adapter",
            "sync-every-step",
            "checked-engine-server",
            "compared-weights",
        ),
    ),
    CauseEntry(
        "samples-stale",
        summary="The samples are too old for the policy that trains on them.",
        meaning="Generation and training run side by side, and what is trained on comes from weights of some updates "
        "ago. Up to a point importance sampling allows for that; beyond it the gradient is that of another policy, or "
        "samples are thrown away, the long ones first.",
        core=(
            Indicator("samples-stale"),
            Indicator("drops-bias-length"),
            Indicator("engine-weights-stale", age_explains_it),
            *_if(age_explains_it),
        ),
        support=("is-ratio-off", "ess-low", "correction-discards"),
        consequences=(*OFF_POLICY_RULES, "length-collapse", "drops-bias-length"),
        rivals={
            "weights-not-synced": "If the age of the samples grows with every step, or equals the step, no weights "
            "arrive at all.",
        },
        remedies=("less-ahead", "sync-every-step", "importance-correction"),
    ),
    CauseEntry(
        "engine-mismatch",
        summary="The engine that generates is not the policy that is trained.",
        meaning="Other kernels or another precision make the rollout engine's probabilities differ from the trainer's, "
        "with the same weights. Every batch is then off-policy, and the error feeds itself.",
        core=_if(engines_compute_apart),
        support=("grad-norm-sustained", "ess-low", "correction-discards", "entropy-explosion", "reward-regression"),
        consequences=OFF_POLICY_RULES,
        rivals={
            "weights-not-synced": "If the distance grows as the policy leaves the reference, and the reward of the "
            "samples never rises, the engine keeps old weights.",
            "sampling-unlike-policy": "If top-k, top-p or min-p are on, the engine's probabilities are those after the "
            "cut-off, and all of them are too high.",
            "text-tokenised-again": "If few tokens are worlds apart and the others agree to the last digits, they are "
            "not the tokens that the engine drew.",
            "experts-routed-apart": "If the model is a mixture of experts, the two engines choose other experts.",
        },
        decided_by={
            "weights-not-synced": shows_whether_weights_came,
            "sampling-unlike-policy": states_the_sampling,
        },
        remedies=("same-precision", "exact-head", "importance-correction", "token-truncation"),
    ),
    CauseEntry(
        "experts-routed-apart",
        summary="The rollout engine and the trainer send tokens to different experts.",
        meaning="A router chooses between nearly equal experts by differences as small as rounding. With equal "
        "weights a tenth of the routers choose otherwise in the other engine, so that nearly every token passes "
        "through another expert somewhere. Runs have collapsed by this alone.",
        core=_if(experts_are_routed_apart),
        support=("grad-norm-sustained", "ess-low", "correction-discards", "entropy-explosion", "reward-regression"),
        preflight=("pf-moe-routing",),
        consequences=OFF_POLICY_RULES,
        rivals={
            "engine-mismatch": "If the distance stays with the routing replayed, it is the precision.",
            "weights-not-synced": "If the distance was small at first and came with the updates, they were not sent.",
        },
        remedies=("routing-replay", "importance-correction", "token-truncation"),
    ),
    CauseEntry(
        "text-tokenised-again",
        summary="Text is tokenised again, into other tokens than the model saw.",
        meaning="Between engine and trainer, between turns, or between template and tokenizer, tokens become text and "
        "text tokens. What the trainer scores is then not what was sampled: words divide differently, thinking is "
        "removed from the history, a first token stands twice. Most tokens agree; those after the first other one are "
        "worlds apart.",
        core=(Indicator("history-forks", is_warning), Indicator("smp-double-bos"), *_if(tokens_are_others)),
        support=("is-ratio-off", "engine-mismatch", "correction-discards", "ess-low"),
        rivals={
            "engine-mismatch": "If an answer tokenised again gives the tokens that were drawn, it is precision.",
        },
        consequences=OFF_POLICY_RULES,
        remedies=("token-ids", "tokens-between-turns", "appending-template", "single-first-token"),
    ),
    CauseEntry(
        "resumed-otherwise",
        summary="The run was resumed with something else than it had.",
        meaning="An adapter, the optimiser, the reference, the sampling or the place in the data was not restored, so "
        "that several metrics jump at the resumption.",
        core=(Indicator("resume-jump"),),
        consequences=("reward-regression", "reward-jump-suspicious", "entropy-explosion", "kl-runaway"),
        remedies=("compared-attempts",),
    ),
)
