"""What a dialect is: one producer's names for the metrics of the vocabulary, with what differs by version."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from diagnostics.model.recording import Recording
from diagnostics.model.series import RawSeries
from diagnostics.model.vocabulary import EVAL_PREFIX, metric

Version = tuple[int, ...]
SURE = 0.95
"""How sure a dialect is that met a tag which nobody else logs."""


@dataclass(frozen=True, slots=True)
class Caveat:
    """Where the producer's meaning of some tags differs from the vocabulary's, from version `since` to below `before`.

    `holds` narrows it down to the logs that it is true of. Without a known version a caveat counts.
    """

    tags: tuple[str, ...]
    text: str
    since: Version = ()
    before: Version = ()
    holds: Callable[["Log"], bool] = lambda log: True


@dataclass(frozen=True, slots=True)
class Log:
    """A recording as a dialect sees it: series by tag without the transport's prefix, configuration, version."""

    recording: Recording
    series: Mapping[str, RawSeries]
    config: Mapping[str, Any]
    version: str | None = None

    @property
    def release(self) -> Version | None:
        """The version's leading numbers, to compare; None where it is not known."""
        numbers = re.match(r"\d+(?:\.\d+)*", self.version or "")
        return tuple(map(int, numbers[0].split("."))) if numbers else None

    def has(self, *tags: str) -> bool:
        """Whether every one of these tags is logged."""
        return all(tag in self.series for tag in tags)

    def is_between(self, since: Version, before: Version) -> bool:
        """Whether the version may be in the range: True where it is not known."""
        release = self.release
        return release is None or (since <= release and (not before or release < before))


@dataclass(frozen=True, slots=True)
class Name:
    """What one tag means: a canonical metric, how its values become the metric's (value ** power × scale), a caveat."""

    metric: str
    scale: float = 1.0
    caveat: str = ""
    power: float = 1.0


@dataclass(frozen=True, slots=True)
class Findings:
    """What a dialect found out beyond names. `counts_rows`: the steps in the log mean nothing, its order does."""

    algorithm: str
    scales: Mapping[str, float] = field(default_factory=dict)  # tag → factor
    powers: Mapping[str, float] = field(default_factory=dict)  # tag → exponent, before the factor
    ignored: frozenset[str] = frozenset()  # tags whose name does not mean here what the table says
    total: int | None = None
    has_finished: bool = False
    counts_rows: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dialect:
    """One producer's way of logging.

    `tags` maps its tags to canonical metrics, `families` patterns with one `{name}` to metrics that end in the name of
    a reward function. `recognise` says how sure it is that a log is of this dialect (0 to 1), `examine` what follows.
    """

    name: str
    producer: str
    tags: Mapping[str, str]
    recognise: Callable[[Log], float]
    examine: Callable[[Log], Findings]
    families: Mapping[str, str] = field(default_factory=dict)
    caveats: tuple[Caveat, ...] = ()
    is_verified: bool = True  # against a log that the producer itself wrote; else by its source code and documents

    def metric_of(self, tag: str) -> str | None:
        """The canonical metric of a tag (evaluation tags included); a canonical name means itself; None if unknown."""
        if tag.startswith(EVAL_PREFIX):
            base = self.metric_of(tag.removeprefix(EVAL_PREFIX))
            return base and EVAL_PREFIX + base
        return self.tags.get(tag) or self._family_of(tag) or (tag if metric(tag) else None)

    def name_of(self, tag: str, log: Log, findings: Findings) -> Name | None:
        """What a tag of this log means; None where the dialect does not know it."""
        bare = tag.removeprefix(EVAL_PREFIX)
        canonical = None if bare in findings.ignored else self.metric_of(tag)
        if canonical is None:
            return None
        texts = [caveat.text for caveat in self.caveats if _applies(caveat, bare, log)]
        scale, power = findings.scales.get(bare, 1.0), findings.powers.get(bare, 1.0)
        return Name(canonical, scale, " ".join(texts), power)

    def _family_of(self, tag: str) -> str | None:
        for pattern, canonical in self.families.items():
            before, after = pattern.split("{name}")
            name = tag.removeprefix(before).removesuffix(after)
            if tag == before + name + after and name:
                return canonical.format(name=name)
        return None


def shows(*alternatives: str | tuple[str, ...]) -> Callable[[Log], float]:
    """A recogniser that is sure where a log holds one of these fingerprints: a tag, or several tags together.

    Tags are looked for with and without the transport's prefix.
    """
    fingerprints = [(found,) if isinstance(found, str) else found for found in alternatives]

    def recognise(log: Log) -> float:
        raw = log.recording.tags
        return SURE if any(all(tag in raw or log.has(tag) for tag in tags) for tags in fingerprints) else 0.0

    return recognise


def _applies(caveat: Caveat, tag: str, log: Log) -> bool:
    return tag in caveat.tags and log.is_between(caveat.since, caveat.before) and caveat.holds(log)
