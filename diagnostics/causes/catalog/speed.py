"""Causes of slowness: which side of a training holds the other up. They say what a run wastes, not that it is sick."""

from diagnostics.causes.entry import CauseEntry
from diagnostics.causes.indicator import Indicator

SPEED_CAUSES: tuple[CauseEntry, ...] = (
    CauseEntry(
        "trainer-bound",
        summary="The trainer holds the run up: samples wait for it.",
        meaning="Generation is faster than training, so the rollout workers wait for room. More or faster engines gain "
        "nothing; a faster update does. Usual reasons: one sample in each row of a micro-batch, a forward pass that is "
        "computed again, few devices.",
        core=(Indicator("trainer-bound"),),
        support=("microbatches-tiny", "recompute-dear", "sync-dear"),
        remedies=("packed-rows", "no-checkpointing", "rarer-syncs", "fewer-engines"),
        is_note=True,
        explains_worse=False,
    ),
    CauseEntry(
        "generation-bound",
        summary="Generation holds the run up: the trainer waits for samples.",
        meaning="Most of a step passes until completions are there. The longest answers of a batch, an engine whose "
        "cache is full, too few requests at a time, slow tools or a slow grader are the usual reasons.",
        core=(Indicator("generation-bound"),),
        support=("rollout-straggler", "kv-preempted", "grader-slow"),
        remedies=("shorter-limit", "larger-engine-share", "more-requests", "more-engines"),
        is_note=True,
        explains_worse=False,
    ),
)
