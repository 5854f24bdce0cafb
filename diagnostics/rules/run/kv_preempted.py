"""The rollout engine preempts sequences: its KV cache is too small for what it has accepted.

What it checks
    Preemptions above 0, as the median of five logged points, for ten points, while the KV cache is at least 0.95 full:
    a note.

Why it matters
    A preempted sequence is computed again later. Generation becomes slower the more requests it has, instead of faster.

When it is wrong
    A few preemptions at the end of long answers cost little.

What to try
    Give the engine more memory, accept fewer sequences at a time, or shorten the answers.

References
    prime-rl, overview of its inference metrics · vLLM documentation, optimization and tuning: preemption.
"""

from dataclasses import replace

import numpy as np

from diagnostics.model.alignment import at_common_steps
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.levels import Level, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import RuleResult, english
from diagnostics.rules.run.run_rule import series_of
from diagnostics.rules.run.speed_rule import SpeedRule


class Limits(RuleLimits):
    """When the cache is too small."""

    usage: float = limit(0.95, "fraction", "engineering default")
    smallest: float = limit(1e-9, "sequences", "any at all")
    patience: int = limit(10, "logged points", "engineering default")


class KvPreempted(SpeedRule[Limits]):
    """Judges preemptions where the KV cache is full."""

    code = "RV916"
    name = "kv-preempted"
    grade = "F"
    source = "engineering default; prime-rl, overview of its inference metrics"
    inputs = ("preemptions", "kv_cache_usage")
    marks = ("preemptions",)
    limits = Limits()
    remedies = ("larger-engine-share", "fewer-requests")
    texts = english(
        headline="The rollout engine's cache is too small for what it has accepted.",
        fired="Up to {measured} sequences were preempted (step {peak}) while the KV cache was full, from step "
        "{first} to {last}.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        preempted, usage = at_common_steps(series_of(run, "preemptions"), series_of(run, "kv_cache_usage"))
        while_full = np.where(usage.values >= limits.usage, preempted.values, np.minimum(preempted.values, 0.0))
        level = Level(Severity.INFO, limits.smallest, limits.patience)
        return self.judged(read_levels(replace(preempted, values=while_full), (level,)))
