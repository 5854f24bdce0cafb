"""Causes in the infrastructure around the policy: value model, memory, processes, log."""

from diagnostics.causes.discriminators.rewards import reward_kept_its_level
from diagnostics.causes.discriminators.updates import something_else_ended_it
from diagnostics.causes.entry import CauseEntry, Variant
from diagnostics.causes.indicator import Indicator, is_warning, is_worse_than_a_note
from diagnostics.last_words import KINDS, MEMORY_KINDS, NOT_FINITE, Kind, Part, kind_of


def _ended_by(kind: Kind) -> Variant:
    """The form of a cause for runs that ended in this way."""
    return Variant(kind.name, lambda run, fired: kind_of(run) == kind.name, kind.summary, kind.remedies)


def _hangs_in(kind: Kind) -> Variant:
    """The form of a hang for runs whose last lines name this."""
    summary = f"The training hangs: {kind.because}."
    return Variant(kind.name, lambda run, fired: kind_of(run) == kind.name, summary, kind.remedies)


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
        ruled_out_by=("reward-saturated",),
        consequences=("reward-regression", "reward-not-improving"),
        remedies=(
            "whitened-rewards",
            "restored-value-clip-range",
            "lower-value-learning-rate",
            "lower-shared-learning-rate",
        ),
    ),
    CauseEntry(
        "memory-runs-out",
        summary="The training ended because memory ran out.",
        meaning="The longest answers of a batch, or the rollout engine's cache, did not fit; or memory grew from step "
        "to step, as where an engine does not give back what it took. A GPU's memory and that of its node are two "
        "things, with other remedies.",
        core=(Indicator("oom"), Indicator("memory-climbs", is_worse_than_a_note)),
        remedies=("smaller-device-batch", "more-accumulation", "smaller-engine-share"),
        variants=(
            Variant(
                "climbed",
                lambda run, fired: {"oom", "memory-climbs"} <= {*fired},
                "Memory grew from step to step until it ran out.",
                ("later-engine", "less-on-the-host", "restarts"),
            ),
            Variant(
                "climbs",
                lambda run, fired: "oom" not in fired,
                "Memory grows from step to step, and does not come back.",
                ("restarts", "later-engine", "less-on-the-host"),
            ),
            *(_ended_by(KINDS[name]) for name in ("gpu-memory", "node-memory")),
        ),
    ),
    CauseEntry(
        "process-died",
        summary="The training died.",
        meaning="A process of the training ended before its time, by an error of its own or because something around "
        "it failed. The last line printed is often that of a process that only waited.",
        core=(Indicator("run-died", something_else_ended_it),),
        remedies=("first-error", "last-checkpoint"),
        variants=tuple(_ended_by(kind) for kind in KINDS.values() if kind.name not in {*MEMORY_KINDS, NOT_FINITE}),
    ),
    CauseEntry(
        "process-hangs",
        summary="The training hangs.",
        meaning="A process waits for another one, for a rollout engine or for a reward server that does not answer.",
        core=(Indicator("run-stalled"),),
        remedies=("bounded-wait", "earlier-checkpoint"),
        variants=tuple(_hangs_in(kind) for kind in KINDS.values() if kind.part is not Part.ENDS),
    ),
    CauseEntry(
        "log-contradicts-itself",
        summary="The log's numbers do not fit together: one of them does not mean what its name says.",
        meaning="Score, KL penalty and RLHF reward belong together by an identity, which does not hold here.",
        core=(Indicator("reward-identity-broken"),),
        remedies=("checked-logging",),
    ),
)
