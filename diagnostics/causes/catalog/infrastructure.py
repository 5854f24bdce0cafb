"""Causes in the infrastructure around the policy: value model, rollout engine, memory, processes, log."""

from diagnostics.causes.catalog.rule_groups import GARBLED_SAMPLE_RULES
from diagnostics.causes.discriminators.rewards import reward_kept_its_level
from diagnostics.causes.entry import CauseEntry
from diagnostics.causes.indicator import Indicator, is_warning

INFRASTRUCTURE_CAUSES: tuple[CauseEntry, ...] = (
    CauseEntry(
        "critic-broken",
        summary="The value model has lost track of the returns.",
        meaning="The value loss rose far above where it was and stayed there. Advantages are then noise. Usual "
        "reasons: rewards of a new or a large scale, a KL term that explodes, a value learning rate that is too high.",
        core=(
            Indicator("value-loss-spike", reward_kept_its_level),
            Indicator("explained-variance-low", is_warning),
        ),
        support=(
            "reward-scale-extreme",
            "grad-norm-sustained",
            "value-clipfrac-high",
            "reward-regression",
        ),
        against=(
            Indicator("update-too-large"),
            Indicator("ratio-far-from-one"),
        ),
        consequences=("reward-regression", "reward-not-improving"),
        remedies=("whitened-rewards", "restored-value-clip-range", "lower-learning-rate"),
    ),
    CauseEntry(
        "engine-mismatch",
        summary="The engine that generates is not the policy that is trained.",
        meaning="Stale weights, other kernels or another precision make the rollout engine's probabilities differ from "
        "the trainer's. Every batch is then off-policy, and the error feeds itself.",
        core=(Indicator("rollout-prob-mismatch"), Indicator("logp-diff-growing"), Indicator("is-ratio-off")),
        support=("grad-norm-sustained", "ess-low", "entropy-explosion", "reward-regression"),
        consequences=(
            "kl-runaway",
            "grad-norm-sustained",
            "nan-grad-finite-loss",
            "ess-low",
            "entropy-explosion",
            "kl-too-high",
            "reward-regression",
            "reward-not-improving",
            "nonfinite-metric",
            *GARBLED_SAMPLE_RULES,
        ),
        remedies=("importance-correction", "token-truncation", "exact-head", "no-top-k", "no-top-p"),
    ),
    CauseEntry(
        "out-of-memory",
        summary="The training ended because memory ran out.",
        meaning="The longest answers of a batch, or the rollout engine's cache, did not fit.",
        core=(Indicator("oom"),),
        remedies=("smaller-device-batch", "more-accumulation", "smaller-engine-share"),
    ),
    CauseEntry(
        "process-hangs",
        summary="The training hangs.",
        meaning="A process waits for another one, for a rollout engine or for a reward server that does not answer.",
        core=(Indicator("run-stalled"),),
        remedies=("bounded-wait", "earlier-checkpoint"),
    ),
    CauseEntry(
        "log-contradicts-itself",
        summary="The log's numbers do not fit together: one of them does not mean what its name says.",
        meaning="Score, KL penalty and RLHF reward belong together by an identity, which does not hold here.",
        core=(Indicator("reward-identity-broken"),),
        remedies=("checked-logging",),
    ),
)
