"""Many policy updates are clipped: the ratio tries to leave the clip range.

What it checks
    The share of clipped tokens (`policy/clipfrac_avg`), as the median of five logged points: 0.3 for three points
    is a warning, 0.5 is critical where harm is shown. The first ten points are not judged.
    A smaller share is a warning where the updates are too small to leave a usual clip range: the log-ratio of a token
    that is clipped is ln(1 + ε) at least, so that a share c of them makes a mean square of c ln²(1 + ε), which is twice
    the approximate KL (`policy/approxkl_avg`). Where that leaves less than 0.1 for ε (median of five points, for ten
    points with a share of 0.05 or more), the clip range that is used is tighter than what anybody means to set.

Why it matters
    A clipped token gives no gradient, so that share of the batch is lost, and the clipped share shows how far the
    policy tried to jump.

When it is wrong
    A low clip fraction does not prove health: it rises with the learning rate and falls again once the policy has
    become deterministic. Read it together with `update-too-large`. In classic control 0.1 to 0.3 is normal; for
    language models 0.001 to 0.01 is. TRL averages the approximate KL over padding as well, which makes the bound of ε
    too low by the root of the share of tokens that are none; in healthy runs of TRL it is 0.5 and more.

What to try
    If updates are large as well, lower the learning rate or make fewer passes. If they are small, widen the clip range.

References
    TRL logging page: if the ratio is too high, it gets clipped, resulting in a high policy/clipfrac_avg.
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.averages import finite_median
from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.alignment import at_common_steps
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, Over, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """Which share of clipped tokens is too high."""

    warning: float = limit(0.3, "fraction", "engineering default: upper end of what is normal in classic control")
    critical: float = limit(0.5, "fraction", "engineering default: most of the batch gives no gradient")
    patience: int = limit(3, "logged points", "engineering default")
    warm_up: int = limit(10, "logged points", "the optimizer's first steps are its largest")
    tight: float = limit(0.1, "ratio", "half of the usual clip range of 0.2; measured: healthy runs of TRL, 0.5")
    some: float = limit(0.05, "fraction", "ten times what is usual for language models")
    tight_patience: int = limit(10, "logged points", "engineering default")


class ClipfracHigh(RunRule[Limits]):
    """Judges `policy/clipfrac_avg`."""

    code = "RV203"
    name = "clipfrac-high"
    grade = "S"
    source = "TRL logging page: policy/clipfrac_avg and policy/approxkl_avg"
    algorithms = PPO_FAMILY
    inputs = ("clip_fraction",)
    limits = Limits()
    measures_distance = True
    over = Over.BEFORE_SCHEDULE
    remedies = ("lower-learning-rate", "fewer-epochs", "clipped-gradient")
    texts = english(
        headline="Most of what the updates want is clipped away.",
        fired="The share of clipped tokens {stayed} {limit}{mostly} from step {first} to {last} "
        "(peak {measured} at {peak}){harm}.",
        headline_tight="Many tokens are clipped although the updates are small.",
        tight="From step {first} to {last} {clipped} % of the tokens were clipped, in updates of {size} nats/token: so "
        "many of them can only lie outside a clip range of {measured} or less (usual is 0.2).",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        levels = (
            Level(Severity.WARNING, limits.warning, limits.patience),
            Level(Severity.CRITICAL, limits.critical, limits.patience),
        )
        clipped = series_of(run, "clip_fraction")
        reading = read_levels(clipped, levels, warm_up=limits.warm_up)
        is_usual = isinstance(reading, Reading) and reading.breach is None
        return (self._tight(run, clipped, limits) if is_usual else None) or self.judged(reading)

    def _tight(self, run: Run, clipped: Series, limits: Limits) -> Fired | None:
        """The finding that the tokens which are clipped moved too little to leave a usual clip range."""
        size = run.get("approx_kl")
        if size is None:
            return None
        size, clipped = at_common_steps(size, clipped)
        is_some = (clipped.values >= limits.some) & (size.values >= 0)
        share = np.where(is_some, clipped.values, np.nan)
        with np.errstate(over="ignore"):
            widest = replace(clipped, values=np.expm1(np.sqrt(2 * size.values / share)))
        level = Level(Severity.WARNING, limits.tight, limits.tight_patience)
        reading = read_levels(widest, (level,), above=False, warm_up=limits.warm_up)
        if not isinstance(reading, Reading) or reading.breach is None:
            return None
        episode = reading.breach.episode
        during = slice(episode.first, episode.last + 1)
        found = self.fired_by(
            clipped,
            reading,
            measured=finite_median(widest.values[during]),
            limit=limits.tight,
            key="tight",
            unit="ratio",
            clipped=int(100 * finite_median(share[during])),
            size=finite_median(np.where(is_some, size.values, np.nan)[during]),
        )
        return replace(found, headline=self.message("headline_tight"))
