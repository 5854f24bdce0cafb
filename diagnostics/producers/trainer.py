"""One trainer of a producer, as its logs show it: metric tags, how the log is recognised, caveats by version."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from diagnostics.model.setup import Version
from diagnostics.model.vocabulary import EVAL_PREFIX, metric
from diagnostics.producers.log import Log

SURE = 0.95
"""The confidence of a trainer that finds a tag nobody else logs."""


@dataclass(frozen=True, slots=True)
class Caveat:
    """Where a trainer's meaning of some tags differs from the vocabulary's, from version `since` to below `before`.

    `holds` narrows it to the logs that it is true of. Without a known version a caveat counts.
    """

    tags: tuple[str, ...]
    text: str
    since: Version = ()
    before: Version = ()
    holds: Callable[[Log], bool] = lambda log: True

    def applies(self, tag: str, log: Log) -> bool:
        """Whether it is about this tag in this log."""
        return tag in self.tags and log.is_between(self.since, self.before) and self.holds(log)


@dataclass(frozen=True, slots=True)
class MetricName:
    """What one tag means: a canonical metric, the conversion of its values (value ** power × scale), a caveat."""

    metric: str
    scale: float = 1.0
    caveat: str = ""
    power: float = 1.0


@dataclass(frozen=True, slots=True)
class LogTraits:
    """What a trainer reads from one log beyond the names of its tags.

    scales, powers: by tag, the factor and the exponent (applied first) that convert its values · ignored: tags whose
    name does not have its usual meaning in this log · counts_rows: the logged steps are meaningless, so rows are
    counted instead.
    """

    algorithm: str
    scales: Mapping[str, float] = field(default_factory=dict)
    powers: Mapping[str, float] = field(default_factory=dict)
    ignored: frozenset[str] = frozenset()
    total: int | None = None
    has_finished: bool = False
    counts_rows: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trainer:
    """How one trainer logs.

    `tags` maps its tags to canonical metrics, `families` patterns with one `{name}` to metrics that end in the name of
    a reward function. `recognise` rates how likely a log is this trainer's (0 to 1), `read_traits` reads its traits.
    `is_verified`: checked against a log that the producer itself wrote, not only against its source code.
    """

    name: str
    tags: Mapping[str, str]
    recognise: Callable[[Log], float]
    read_traits: Callable[[Log], LogTraits]
    families: Mapping[str, str] = field(default_factory=dict)
    caveats: tuple[Caveat, ...] = ()
    is_verified: bool = True

    def metric_of(self, tag: str) -> str | None:
        """The canonical metric of a tag (evaluation tags included); a canonical name means itself; None if unknown."""
        if tag.startswith(EVAL_PREFIX):
            base = self.metric_of(tag.removeprefix(EVAL_PREFIX))
            return base and EVAL_PREFIX + base
        return self.tags.get(tag) or self._family_of(tag) or (tag if metric(tag) else None)

    def name_of(self, tag: str, log: Log, traits: LogTraits) -> MetricName | None:
        """What a tag of this log means; None where the trainer does not know it."""
        bare = tag.removeprefix(EVAL_PREFIX)
        canonical = None if bare in traits.ignored else self.metric_of(tag)
        if canonical is None:
            return None
        texts = [caveat.text for caveat in self.caveats if caveat.applies(bare, log)]
        scale, power = traits.scales.get(bare, 1.0), traits.powers.get(bare, 1.0)
        return MetricName(canonical, scale, " ".join(texts), power)

    def _family_of(self, tag: str) -> str | None:
        for pattern, canonical in self.families.items():
            before, after = pattern.split("{name}")
            name = tag.removeprefix(before).removesuffix(after)
            if tag == before + name + after and name:
                return canonical.format(name=name)
        return None


def recognised_by(*alternatives: str | tuple[str, ...]) -> Callable[[Log], float]:
    """A recogniser that is sure of a log with one of these fingerprints: a tag, or several tags together.

    Tags are looked up with and without the transport's prefix.
    """
    fingerprints = [(found,) if isinstance(found, str) else found for found in alternatives]

    def recognise(log: Log) -> float:
        raw = log.recording.tags
        return SURE if any(all(tag in raw or log.has(tag) for tag in tags) for tags in fingerprints) else 0.0

    return recognise


def trains_only(algorithm: str) -> Callable[[Log], LogTraits]:
    """The traits of a trainer that knows one algorithm only."""
    return lambda log: LogTraits(algorithm)
