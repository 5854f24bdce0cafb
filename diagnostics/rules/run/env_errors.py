"""Rollouts fail before they are scored: in the environment, the engine, the tools or the format of their calls.

What it checks
    The share of rollouts of each class: ended by an error, aborted, out of tool turns, with a tool call that does not
    parse, with a malformed thinking block. Above 0.05 for ten logged points, by more than chance explains, is a
    warning; above 0.3 is critical for errors and aborted completions, which are not the policy's own doing. Calls of
    tools that do not exist, counted since the start, are a note where every one of the last ten points added some.

Why it matters
    What fails is dropped or scored as wrong: prompts whose environment breaks are never learned, and the policy learns
    to avoid what happened to fail.

When it is wrong
    A model that still has to learn its tools calls them badly at first; the share then falls.

What to try
    Read the errors of the class that is named; call the tools by hand with what the samples send them. Raise the limit
    of turns, or of the engine, where rollouts end at it.

References
    prime-rl, docs/training.md: more than 5 % of failed rollouts is a smell. NeMo-RL: invalid_tool_call_rate,
    malformed_thinking_rate. TRL AsyncGRPO: tools/loop_exhausted_frac, tools/unknown_name_total.
"""

import numpy as np

from diagnostics.detectors.episodes import Episode
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.levels import Level, Reading, TooFew, read_proven_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, title_of

OF_THE_ENVIRONMENT = ("rollout_error_fraction", "aborted_fraction")
OF_THE_POLICY = ("tool_loop_exhausted_fraction", "invalid_tool_call_fraction", "malformed_thinking_fraction")
FRACTIONS = (*OF_THE_ENVIRONMENT, *OF_THE_POLICY)
UNKNOWN_TOOLS = "unknown_tool_calls"


class Limits(RuleLimits):
    """Which share of failures is too much."""

    warning: float = limit(0.05, "fraction", "prime-rl, docs/training.md")
    critical: float = limit(0.3, "fraction", "engineering default")
    patience: int = limit(10, "logged points", "engineering default")


class EnvErrors(RunRule[Limits]):
    """Judges the shares of rollouts that fail, by class."""

    code = "RV820"
    name = "env-errors"
    grade = "D"
    source = "prime-rl, docs/training.md: more than 5 % is a smell"
    inputs = ((*FRACTIONS, UNKNOWN_TOOLS),)
    limits = Limits()
    remedies = ("checked-tools",)
    telling_samples = "lowest-scored"
    texts = english(
        headline="Rollouts fail before they are scored.",
        fired="{title}: up to {percent} % (step {peak}); {limit_percent} % or more{mostly} from step {first} to "
        "{last}.",
        among_others="{title}: up to {percent} % (step {peak}); {limit_percent} % or more{mostly} from step {first} to "
        "{last}. So it is with: {others}.",
        unknown_tools="The policy keeps calling tools that do not exist: {count} more calls from step {first} to "
        "{last}.",
    )

    def applies(self, run: Run) -> bool:
        """Only where one of them is logged."""
        return super().applies(run) and not self.missing(run)

    def check(self, run: Run, limits: Limits) -> RuleResult:
        logged = [series for name in FRACTIONS if (series := run.get(name)) is not None]
        readings = [read_proven_levels(series, _levels(series, limits)) for series in logged]
        breached = [reading for reading in readings if isinstance(reading, Reading) and reading.breach is not None]
        if not breached:
            unknown = self._unknown_tools(run.get(UNKNOWN_TOOLS), limits)
            return unknown or self.judged(_worst(readings) or TooFew(limits.patience + 1, _points(run)))
        gravest = max(breached, key=_gravity)
        assert gravest.breach is not None
        others = ", ".join(title_of(reading.series) for reading in breached if reading is not gravest)
        return self.judged(
            gravest,
            key="among_others" if others else "fired",
            percent=100 * float(gravest.series.values[gravest.breach.peak]),
            limit_percent=100 * gravest.breach.level.limit,
            others=others,
        )

    def _unknown_tools(self, series: Series | None, limits: Limits) -> Fired | None:
        """The note that each of the last points counts more calls of tools that do not exist."""
        if series is None or len(series) <= limits.patience:
            return None
        latest = series.values[-limits.patience - 1 :]
        if not np.isfinite(latest).all() or not np.all(np.diff(latest) > 0):
            return None
        episode = Episode(len(series) - limits.patience, len(series) - 1, still=True)
        added = round(float(latest[-1] - latest[0]))
        return self.fired(series, episode, Severity.INFO, measured=added, limit=None, key="unknown_tools", count=added)


def _levels(series: Series, limits: Limits) -> tuple[Level, ...]:
    warning = Level(Severity.WARNING, limits.warning, limits.patience)
    if series.name not in OF_THE_ENVIRONMENT:
        return (warning,)
    return (warning, Level(Severity.CRITICAL, limits.critical, limits.patience))


def _gravity(reading: Reading) -> tuple[int, float]:
    severity = reading.severity
    return (severity.rank if severity else -1, reading.worst)


def _worst(readings: list[Reading | TooFew]) -> Reading | None:
    """The reading nearest to its limit."""
    whole = [reading for reading in readings if isinstance(reading, Reading)]
    return max(whole, key=lambda reading: reading.worst, default=None)


def _points(run: Run) -> int:
    return max(len(series) for name in (*FRACTIONS, UNKNOWN_TOOLS) if (series := run.get(name)) is not None)
