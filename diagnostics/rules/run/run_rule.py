"""What a rule of runs is: it judges logged series and says where in the run its condition held."""

import math
from dataclasses import replace

from diagnostics.detectors.episodes import Episode
from diagnostics.model.messages import Message, Value
from diagnostics.model.outcome import Evidence, Severity, Stretch
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.model.supervised import supervised_tags
from diagnostics.rules.breaches import gravest, leading, stretches, told_in_unit
from diagnostics.rules.levels import Reading, TooFew
from diagnostics.rules.missing_metrics import why_missing
from diagnostics.rules.rule import Fired, Input, LimitsT, Quiet, Rule, RuleResult, Skipped, alternatives
from diagnostics.rules.stretch_phrases import compared, mostly, stayed

BEFORE = 3  # points of evidence before an episode
SHOWN = 40  # points of evidence of an episode


class RunRule(Rule[Run, LimitsT]):
    """A rule that judges a run.

    Its `inputs` are canonical metrics; `reward_func_mean` stands for any reward function's. Its `texts` hold a
    `headline` and sentences with number, unit and step; `x_once` is used instead of `x` for an episode of one point.
    `sees_derived`: metrics that are not logged but follow from others serve as inputs; they cannot where a rule
    compares the metrics from which they follow, or would take an upper bound for the value. `is_of_policies`: it says
    something of a policy, or by limits of RL, so that it has nothing to judge in a log of supervised training.
    """

    subject = Run
    material = "the run's log"
    sees_derived: bool = True
    is_of_policies: bool = False

    def seen(self, run: Run) -> Run:
        """The run, without derived metrics where they say nothing to the rule."""
        return run if self.sees_derived else run.without_derived()

    def applies(self, run: Run) -> bool:
        """Whether the rule means anything for the run; a run of an unknown algorithm is judged by what it logs."""
        if run.algorithm == "unknown":
            return not self.missing(run) and not (self.is_of_policies and supervised_tags(run))
        return not self.algorithms or run.algorithm in self.algorithms

    def has(self, run: Run, name: str) -> bool:
        """Whether the run logs the metric, or that metric of any reward function."""
        return run.get(name) is not None or bool(run.by_reward_function(name))

    def why_missing(self, run: Run, item: Input) -> Skipped:
        """Why the run does not log a metric, and what would enable it."""
        return why_missing(alternatives(item), run)

    def judged(
        self, reading: Reading | TooFew, *, key: str = "fired", unit: str | None = None, **values: Value | Message
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
        measured, limit = float(series.values[breach.peak]), breach.level.limit
        return self.fired_by(
            series, reading, measured=measured, limit=limit, key=key, unit=unit, tell_limits=True, **values
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
        smallest: float = 0.0,
        **values: Value | Message,
    ) -> RuleResult:
        """The finding of a reading of something else than the series, told in the series' own unit, so as to be drawn.

        `base` (N,) is what each point was compared with; the limit is `limit` times it, by default the level that was
        reached; `unit` is that of the reading. The message may use `peak`, `times`: measured over its base, and
        `compared`: the same in words, which are no number where the base is no more than `smallest`.
        """
        if isinstance(reading, TooFew):
            return too_few(reading.needed, int(series.finite.sum()))
        if reading.breach is None:
            return Quiet(reading.worst, reading.limit, unit, series.name, series.tag)
        told = replace(
            reading,
            series=series,
            breaches=told_in_unit(series, base, reading.breaches, above=reading.above, factor=limit),
        )
        peak = leading(told.breaches).peak
        measured, usual = float(series.values[peak]), float(base[peak])
        in_words = compared(measured, usual, smallest)
        times = measured / usual if usual else math.copysign(math.inf, measured)
        return self.judged(told, key=key, unit=None, times=times, compared=in_words, **values)

    def fired_by(
        self,
        series: Series,
        reading: Reading,
        *,
        measured: float,
        limit: float | None,
        key: str = "fired",
        unit: str | None = None,
        tell_limits: bool = False,
        **values: Value | Message,
    ) -> Fired:
        """The finding about the breaches of a reading: the leading one in words, all of them as episodes.

        `series` has the points that the reading judged; `tell_limits`: and the unit of its limits. Beside what `fired`
        gives, messages may use `stayed`, "stayed above" where that is true of nearly every point, and `mostly`, the
        share of the points where it is not.
        """
        breach = leading(reading.breaches)
        return self.fired(
            series,
            breach.episode,
            gravest(reading.breaches),
            measured=measured,
            limit=limit,
            key=key,
            unit=unit,
            episodes=stretches(series, reading.breaches, tell_limits=tell_limits),
            stayed=stayed(breach.share, above=reading.above),
            mostly=mostly(breach.share, reading.median_of),
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
        episodes: tuple[Stretch, ...] = (),
        **values: Value | Message,
    ) -> Fired:
        """The finding about an episode. Its messages may use title, tag, unit, measured, limit, first and last."""
        first, last = int(series.steps[episode.first]), int(series.steps[episode.last])
        key = f"{key}_once" if first == last and f"{key}_once" in self.texts else key
        unit = series.unit if unit is None else unit
        common: dict[str, Value | Message] = {"title": title_of(series), "tag": series.tag, "unit": unit}
        common["harm"] = Message("harm.untold")  # known once all rules have judged
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
            episodes=episodes,
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
