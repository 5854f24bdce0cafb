"""What a rule of runs is: it judges logged series and says where in the run its condition held."""

import math

from diagnostics.detectors.episodes import Episode
from diagnostics.model.messages import Message, Value
from diagnostics.model.outcome import Evidence, Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.levels import Reading, TooFew
from diagnostics.rules.missing_metrics import why_missing
from diagnostics.rules.rule import Fired, Input, LimitsT, Quiet, Rule, RuleResult, Skipped, alternatives

BEFORE = 3  # points of evidence before an episode
SHOWN = 40  # points of evidence of an episode


class RunRule(Rule[Run, LimitsT]):
    """A rule that judges a run.

    Its `inputs` are canonical metrics; `reward_func_mean` stands for any reward function's. Its `texts` hold a
    `headline` and sentences with number, unit and step; `x_once` is used instead of `x` for an episode of one point.
    """

    subject = Run
    material = "the run's log"

    def applies(self, run: Run) -> bool:
        """Whether the rule means anything for the run; a run of an unknown algorithm is judged by what it logs."""
        if run.algorithm == "unknown":
            return not self.missing(run)
        return not self.algorithms or run.algorithm in self.algorithms

    def has(self, run: Run, name: str) -> bool:
        """Whether the run logs the metric, or that metric of any reward function."""
        return run.get(name) is not None or bool(run.by_reward_function(name))

    def why_missing(self, run: Run, item: Input) -> Skipped:
        """Why the run does not log a metric, and what would enable it."""
        return why_missing(alternatives(item), run)

    def judged(
        self, reading: Reading | TooFew, *, key: str = "fired", unit: str | None = None, **values: Value
    ) -> RuleResult:
        """The finding that a reading of levels amounts to; `unit` is that of the judged numbers if not the series' own.

        The message may use what `fired` gives it, and `peak`: the step of the value farthest past the limit.
        """
        if isinstance(reading, TooFew):
            return too_few(reading.needed, reading.found)
        series, breach = reading.series, reading.breach
        if breach is None:
            return Quiet(reading.worst, reading.limit, series.unit if unit is None else unit, series.name, series.tag)
        values = {"peak": int(series.steps[breach.peak]), **values}
        measured, level = float(series.values[breach.peak]), breach.level
        return self.fired(
            series, breach.episode, level.severity, measured=measured, limit=level.limit, key=key, unit=unit, **values
        )

    def judged_in_unit(
        self,
        series: Series,
        base: Values,
        reading: Reading | TooFew,
        *,
        key: str = "fired",
        limit: float | None = None,
        unit: str = "× its own median",
        **values: Value,
    ) -> RuleResult:
        """The finding of a reading of something else than the series, told in the series' own unit, so as to be drawn.

        `base` (N,) is what each point was compared with; the limit is `limit` times it, by default the level that was
        reached; `unit` is that of the reading. The message may use `peak`, and `times`: measured over its base.
        """
        if isinstance(reading, TooFew):
            return too_few(reading.needed, int(series.finite.sum()))
        breach = reading.breach
        if breach is None:
            return Quiet(reading.worst, reading.limit, unit, series.name, series.tag)
        first, peak = breach.episode.first, breach.peak
        start = base[peak] if math.isnan(base[first]) else base[first]
        measured, factor = float(series.values[peak]), breach.level.limit if limit is None else limit
        return self.fired(
            series,
            breach.episode,
            breach.level.severity,
            measured=measured,
            limit=factor * float(start),
            key=key,
            unit=series.unit,
            peak=int(series.steps[peak]),
            times=measured / float(base[peak]),
            **values,
        )

    def fired(
        self,
        series: Series,
        episode: Episode,
        severity: Severity,
        *,
        measured: float,
        limit: float | None,
        key: str = "fired",
        unit: str | None = None,
        **values: Value,
    ) -> Fired:
        """The finding about an episode. Its messages may use title, tag, unit, measured, limit, first and last."""
        first, last = int(series.steps[episode.first]), int(series.steps[episode.last])
        key = f"{key}_once" if first == last and f"{key}_once" in self.texts else key
        unit = series.unit if unit is None else unit
        common: dict[str, Value] = {"title": title_of(series), "tag": series.tag, "unit": unit}
        common |= {"measured": measured, "first": first, "last": last} | (
            {} if limit is None else {"limit": float(limit)}
        )
        shown = slice(max(0, episode.first - BEFORE), min(episode.last, episode.first + SHOWN - 1) + 1)
        return Fired(
            severity=severity,
            message=self.message(key, **{**common, **values}),
            headline=self.message("headline", **{**common, **values}),
            first_step=first,
            last_step=last,
            still=episode.still,
            measured=measured,
            limit=limit,
            unit=unit,
            metric=series.name,
            tag=series.tag,
            evidence=Evidence(series.steps[shown], series.values[shown]),
        )


def too_few(needed: int, found: int) -> Skipped:
    """Skipped for want of points."""
    values: dict[str, Value] = {"needed": needed, "found": found}
    return Skipped(Message("engine.too-few", values), Message("engine.too-few.enable", values))


def title_of(series: Series) -> str:
    """The metric's title, or the tag of a series outside the vocabulary."""
    return series.metric.title if series.metric else series.tag


def series_of(run: Run, *names: str) -> Series:
    """The first of these metrics that the run logs. Raises LookupError where it logs none, which `inputs` rules out."""
    series = run.get(*names)
    if series is None:
        raise LookupError(f"the run logs none of {', '.join(names)}")
    return series
