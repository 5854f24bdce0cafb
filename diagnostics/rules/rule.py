"""What a rule is: a document that happens to run, limits that carry their units, and the findings it can return."""

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from diagnostics.detectors.episodes import Episode
from diagnostics.model.messages import Message, Value
from diagnostics.model.outcome import Evidence, Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.levels import Reading, TooFew

SECTIONS = ("What it checks", "Why it matters", "When it is wrong", "What to try", "References")
GRADES: Mapping[str, str] = {
    "S": "stated in the documents",
    "C": "follows from source code or an identity",
    "D": "other official documentation with a number",
    "P": "published paper or report",
    "I": "issue thread or public log",
    "M": "measured on real runs",
    "F": "engineering default without a good source; never critical alone",
}
BEFORE = 3  # points of evidence before an episode
SHOWN = 40  # points of evidence of an episode

Input = str | tuple[str, ...]
"""A metric's name, or several of which one is enough; `reward_func_mean` stands for any function's."""

LimitsT = TypeVar("LimitsT")


@dataclass(frozen=True, slots=True)
class Fired:
    """The rule's condition held: how bad, where, and the sentences. `remedies` replace the rule's own where given."""

    severity: Severity
    message: Message
    headline: Message
    first_step: int
    last_step: int
    still: bool
    measured: float
    limit: float | None
    unit: str
    metric: str = ""
    tag: str = ""
    evidence: Evidence = field(default_factory=Evidence)
    remedies: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Quiet:
    """The rule looked and found nothing: the worst it measured, and the limit that this did not reach."""

    measured: float
    limit: float
    unit: str = ""
    metric: str = ""
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """The rule could not look: why, and what would let it; `applies` is False where the run has no such thing."""

    message: Message
    enable: Message
    applies: bool = True


Finding = Fired | Quiet | Skipped


@dataclass(frozen=True, slots=True)
class LimitDoc:
    """One limit as documentation: the field's name, its default, unit and source."""

    name: str
    value: float
    unit: str
    source: str


def english(headline: str, **texts: str) -> Mapping[str, str]:
    """A rule's English templates: the headline, which needs no numbers, and the sentences that carry them."""
    return MappingProxyType({"headline": headline, **texts})


def limit(value: float, unit: str, source: str) -> Any:
    """A field of a rule's Limits: its default with the unit and where the number comes from."""
    return field(default=value, metadata={"unit": unit, "source": source})


class Rule(ABC, Generic[LimitsT]):
    """One rule. Its module's docstring is its documentation; `limits` are its defaults, which a user may override.

    `algorithms` empty: any. `texts` are its English templates: `headline`, the finding as one would say it, and
    sentences with number, unit and step. A template `x_once` is used instead of `x` for an episode of a single point.
    `remedies` name what to try (`diagnostics.causes.remedies`), `exhibits` the kind of samples that show a finding
    (`diagnostics.rules.telling_samples`; empty: none do). `judges_start`: it looks at the first point alone. Beside one
    of `graver_with` at the same steps a warning is critical; without any of `critical_with`, where named, nothing is
    more than a warning.
    """

    code: str
    name: str
    grade: str
    source: str
    limits: LimitsT
    inputs: tuple[Input, ...]
    texts: Mapping[str, str]
    algorithms: frozenset[str] = frozenset()
    remedies: tuple[str, ...] = ()
    exhibits: str = ""
    judges_start: bool = False
    graver_with: tuple[str, ...] = ()
    critical_with: tuple[str, ...] = ()

    @abstractmethod
    def check(self, run: Run, limits: LimitsT) -> Finding:
        """Judge a run that logs all inputs. Raises nothing on purpose: what it cannot judge it returns as Skipped."""

    def applies(self, run: Run) -> bool:
        """Whether the rule means anything for this run; a run of an unknown algorithm is judged by what it logs."""
        if run.algorithm == "unknown":
            return not self.missing(run)
        return not self.algorithms or run.algorithm in self.algorithms

    def missing(self, run: Run) -> tuple[Input, ...]:
        """The inputs that the run does not log."""
        return tuple(item for item in self.inputs if not any(_is_logged(run, name) for name in _alternatives(item)))

    @property
    def document(self) -> str:
        """The rule's whole text: the docstring of its module."""
        return sys.modules[type(self).__module__].__doc__ or ""

    @property
    def summary(self) -> str:
        """The first line of the document."""
        return self.document.partition("\n")[0]

    @property
    def sections(self) -> dict[str, str]:
        """The document's sections by title, in order, each as one paragraph."""
        found: dict[str, list[str]] = {}
        for line in self.document.splitlines():
            if line in SECTIONS:
                found[line] = []
            elif found and line.strip():
                found[list(found)[-1]].append(line.strip())
        return {title: " ".join(lines) for title, lines in found.items()}

    @property
    def limit_docs(self) -> tuple[LimitDoc, ...]:
        """Each limit with its default, unit and source, in the order of the class."""
        return tuple(self._limit_doc(item) for item in fields(self.limits))  # type: ignore[arg-type]  # always a dataclass

    @property
    def templates(self) -> dict[str, str]:
        """The English templates under their full ids, `kl-negative.fired`."""
        return {f"{self.name}.{key}": text for key, text in self.texts.items()}

    def say(self, key: str, **values: Value) -> Message:
        """A message of this rule."""
        return Message(f"{self.name}.{key}", values)

    def judged(
        self, reading: Reading | TooFew, *, key: str = "fired", unit: str | None = None, **values: Value
    ) -> Finding:
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
    ) -> Finding:
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
            message=self.say(key, **{**common, **values}),
            headline=self.say("headline", **{**common, **values}),
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

    def _limit_doc(self, item: Field[Any]) -> LimitDoc:
        return LimitDoc(item.name, getattr(self.limits, item.name), item.metadata["unit"], item.metadata["source"])


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


def _alternatives(item: Input) -> tuple[str, ...]:
    return (item,) if isinstance(item, str) else item


def _is_logged(run: Run, name: str) -> bool:
    return run.get(name) is not None or bool(run.functions(name))
