"""One trainer of a producer, as its logs show it: metric tags, how the log is recognised, caveats by version."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

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
    """What one tag means: a canonical metric, how its values convert (value ** power × scale + offset), a caveat."""

    metric: str
    scale: float = 1.0
    caveat: str = ""
    power: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class LogTraits:
    """What a trainer reads from one log beyond the names of its tags.

    scales, powers, offsets: by tag, the factor, the exponent (applied first) and the summand (applied last) that
    convert its values · ignored: tags whose name does not have its usual meaning in this log · why_ignored: by tag, the
    reason, where a user asks for it, as the end of a sentence · renamed: tags that are another metric in this log ·
    counts_rows: the logged steps are meaningless, so rows are counted instead.
    """

    algorithm: str
    scales: Mapping[str, float] = field(default_factory=dict)
    powers: Mapping[str, float] = field(default_factory=dict)
    offsets: Mapping[str, float] = field(default_factory=dict)
    ignored: frozenset[str] = frozenset()
    why_ignored: Mapping[str, str] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    total: int | None = None
    has_finished: bool = False
    counts_rows: bool = False
    notes: tuple[str, ...] = ()


def _as_given(config: Mapping[str, Any]) -> Mapping[str, Any]:
    return config


@dataclass(frozen=True, slots=True)
class Trainer:
    """How one trainer logs.

    `tags` maps its tags to canonical metrics, `families` patterns with a `{name}`, of a reward function or of a part of
    the data, to metrics with that name. `recognise` rates how likely a log is this trainer's (0 to 1), `read_traits`
    reads its traits.
    `tags_by_algorithm` narrows `tags` where one trainer logs several algorithms by different names. `is_verified`:
    checked against a log that the producer itself wrote, not only against its source code. `heading` is the name under
    which it hands its settings to a tracker, where it does so; `as_trained` makes of given settings those of training.
    """

    name: str
    tags: Mapping[str, str]
    recognise: Callable[[Log], float]
    read_traits: Callable[[Log], LogTraits]
    families: Mapping[str, str] = field(default_factory=dict)
    caveats: tuple[Caveat, ...] = ()
    is_verified: bool = True
    tags_by_algorithm: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    heading: str = ""
    as_trained: Callable[[Mapping[str, Any]], Mapping[str, Any]] = _as_given
    _families: "_Families" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Sort the families once: a log may hold a hundred thousand tags."""
        object.__setattr__(self, "_families", _Families.of(self.families))

    def settings_in(self, config: Mapping[str, Any]) -> Mapping[str, Any]:
        """A log's configuration as it trains: with the settings under the heading as if they stood beside it."""
        under = config.get(self.heading) if self.heading else None
        return self.as_trained({**config, **under} if isinstance(under, Mapping) else config)

    def metric_of(self, tag: str) -> str | None:
        """The canonical metric of a tag, an evaluation's too; None if unknown.

        A canonical name means itself, also as people print it: `Learning Rate`.
        """
        if tag in self.tags:
            return self.tags[tag]
        if tag.startswith(EVAL_PREFIX):
            base = self.metric_of(tag.removeprefix(EVAL_PREFIX))
            return base and EVAL_PREFIX + base
        return self._families.metric_of(tag) or _canonical(tag)

    def spelled_with_slashes(self, tags: Collection[str]) -> dict[str, str]:
        """Of names with `_` for each `/` of the trainer's own tags: each such name → that tag.

        Those of families count beside others alone: a log may hold a hundred thousand names.
        """
        own = {spelled: tag for tag in self.tags if "/" in tag and (spelled := tag.replace("/", "_")) in tags}
        of_families = ((tag, self._families.spelled(tag)) for tag in (tags if own else ()))
        return {**{tag: spelled for tag, spelled in of_families if spelled}, **own}

    def tags_of(self, algorithm: str) -> dict[str, str]:
        """Metric → the tag under which it logs it, the first of several; a family's with "…" for the name."""
        families = {
            pattern.format(name="…"): metric.removesuffix("/{name}") for pattern, metric in self.families.items()
        }
        named = {**families, **self.tags_by_algorithm.get(algorithm, self.tags)}
        return {metric: tag for tag, metric in reversed(named.items())}

    def name_of(self, tag: str, log: Log, traits: LogTraits) -> MetricName | None:
        """What a tag of this log means; None where the trainer does not know it."""
        bare = tag.removeprefix(EVAL_PREFIX)
        canonical = None if bare in traits.ignored else traits.renamed.get(tag) or self.metric_of(tag)
        if canonical is None:
            return None
        texts = [caveat.text for caveat in self.caveats if caveat.applies(bare, log)]
        scale, power, offset = traits.scales.get(bare, 1.0), traits.powers.get(bare, 1.0), traits.offsets.get(bare, 0.0)
        return MetricName(canonical, scale, " ".join(texts), power, offset)


def _canonical(tag: str) -> str | None:
    """The canonical name that a tag is, in its own spelling or as people print it; None if it is none."""
    if metric(tag):
        return tag
    spelled = "_".join(tag.lower().split())
    return spelled if spelled != tag and metric(spelled) else None


@dataclass(frozen=True, slots=True)
class _Families:
    """Patterns with one `{name}`, or the same twice, by the words, at most two, that end the tags that they match.

    Each with its place, what stands before the name, between the two, and after it.
    """

    by_end: Mapping[str, tuple[tuple[int, str, str, str, str], ...]]
    beginnings: tuple[str, ...]  # of the patterns: most tags of a log that holds a hundred thousand have none of them

    @classmethod
    def of(cls, families: Mapping[str, str]) -> "_Families":
        found: dict[str, tuple[tuple[int, str, str, str, str], ...]] = {}
        for place, (pattern, canonical) in enumerate(families.items()):
            before, *between, after = pattern.split("{name}")
            end = "/".join(after.split("/")[1:][-2:])  # what follows the name in its own word does not end a tag
            found[end] = (*found.get(end, ()), (place, before, "".join(between), after, canonical))
        return cls(found, tuple({pattern.partition("{name}")[0] for pattern in families}))

    def metric_of(self, tag: str) -> str | None:
        """The metric of the first family that a tag belongs to."""
        if not tag.startswith(self.beginnings):
            return None
        words = tag.rsplit("/", 2)
        ends = ("", words[-1], "/".join(words[-2:]))
        families = sorted(family for end in {*ends} for family in self.by_end.get(end, ()))
        for _, before, between, after, canonical in families:
            names = tag[len(before) : len(tag) - len(after)]
            name = _once(names, between) if between else names
            if name and tag.startswith(before) and tag.endswith(after):
                return canonical.format(name=name)
        return None

    def spelled(self, tag: str) -> str | None:
        """The same for a tag of a family whose name stands between two slashes."""
        for families in self.by_end.values():
            for _, before, between, after, _ in families:
                start, end = before.replace("/", "_"), after.replace("/", "_")
                is_one = before.endswith("/") and after.startswith("/") and not between
                if is_one and tag.startswith(start) and tag.endswith(end) and len(tag) > len(start) + len(end):
                    return before + tag[len(start) : len(tag) - len(end)] + after
        return None


def _once(names: str, between: str) -> str:
    """The name that stands on either side of `between`; empty where the two differ."""
    name = names[: (len(names) - len(between)) // 2]
    return name if names == name + between + name else ""


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
