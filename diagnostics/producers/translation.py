"""From a recording to its meaning: which producer's trainer wrote it, and what each of its tags is."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from diagnostics.model.recording import Recording
from diagnostics.model.run import Unused
from diagnostics.model.vocabulary import EVAL_PREFIX
from diagnostics.producers import unknown
from diagnostics.producers.log import Log
from diagnostics.producers.own_names import NO_NAMES, OwnNames
from diagnostics.producers.producer import Producer
from diagnostics.producers.table import PRODUCERS
from diagnostics.producers.trainer import LogTraits, MetricName, Trainer
from diagnostics.producers.transport import configuration, package_version, series_by_tag


@dataclass(frozen=True, slots=True)
class Translation:
    """A recording understood: the trainer that wrote it, the log's traits, and the user's own names on top."""

    log: Log
    origin: Producer
    trainer: Trainer
    traits: LogTraits
    own: OwnNames = NO_NAMES

    @property
    def producer(self) -> str:
        """The producer's name: the user's word for it, else that of the one recognised."""
        return self.own.producer or self.origin.name

    @property
    def algorithm(self) -> str:
        """The algorithm that trained: the user's word for it, else the one that the log shows."""
        return self.own.algorithm or self.traits.algorithm

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the log; not that its producer is unknown where the user names the algorithm."""
        is_known = self.origin is not unknown.PRODUCER or not self.own.algorithm
        return self.traits.notes if is_known else ()

    def name_of(self, tag: str) -> MetricName | None:
        """What a tag without the transport's prefix means; the user's own name wins. None where it is unknown."""
        return self.own.name_of(tag) or self.trainer.name_of(tag, self.log, self.traits)

    def unused(self) -> dict[str, Unused]:
        """Metric → the tag of that name that is not read as it, where the trainer gives a reason."""
        found: dict[str, Unused] = {}
        for bare, why in sorted(self.traits.why_ignored.items()):
            for tag in {bare, EVAL_PREFIX + bare} & self.log.series.keys():
                name = self.trainer.metric_of(tag)
                if name and self.name_of(tag) is None:
                    found.setdefault(name, Unused(tag, why))
        return found

    def tags(self) -> list[str]:
        """Every tag, those that the user named first: of two tags for one metric the first is taken."""
        return sorted(self.log.series, key=lambda tag: self.own.name_of(tag) is None)


class Entry(NamedTuple):
    """One line of the glossary: a tag, the metric that it is, and the trainer that logs it."""

    tag: str
    metric: str
    producer: str
    trainer: str
    caveats: tuple[str, ...]


def translate(recording: Recording, own: OwnNames = NO_NAMES) -> Translation:
    """Find the trainer that is surest of this recording and apply it, beneath the user's own names."""
    log = Log(recording, series_by_tag(recording), configuration(recording))
    origin, trainer = _surest(log)
    if not own.names:
        candidates = _candidates(log) if origin is unknown.PRODUCER else [(origin, trainer)]
        log, origin, trainer = _as_spelled_with_slashes(log, candidates) or (log, origin, trainer)
    version = recording.producer_version or package_version(recording, origin.name)
    log = Log(recording, log.series, trainer.settings_in(log.config), version)
    return Translation(log, origin, trainer, trainer.read_traits(log), own)


def _surest(log: Log) -> tuple[Producer, Trainer]:
    return max(_candidates(log), key=lambda pair: pair[1].recognise(log))


def _as_spelled_with_slashes(
    log: Log, candidates: Iterable[tuple[Producer, Trainer]]
) -> tuple[Log, Producer, Trainer] | None:
    """A log whose names have `_` for each `/` of its producer's, as columns of a table do; None where it has none."""
    if any("/" in tag for tag in log.series):
        return None
    for producer, trainer in candidates:
        spelled = trainer.spelled_with_slashes(log.series)
        if producer is unknown.PRODUCER or not spelled:
            continue
        respelled = replace(log, series={spelled.get(tag, tag): series for tag, series in log.series.items()})
        if 0 < trainer.recognise(respelled) >= trainer.recognise(log):
            return respelled, *_surest(respelled)
    return None


def _candidates(log: Log) -> list[tuple[Producer, Trainer]]:
    """Every trainer; where a run directory states whose names it holds, and they are, that producer's alone."""
    trainers = [(producer, trainer) for producer in PRODUCERS for trainer in producer.trainers]
    stated = [pair for pair in trainers if pair[0].name == log.recording.producer and pair[1].recognise(log)]
    return stated or trainers


def glossary() -> Iterator[Entry]:
    """Every tag of every trainer; a family of reward functions appears once, with `{name}` in its place."""
    for producer in PRODUCERS:
        for trainer in producer.trainers:
            for tag, metric in {**trainer.tags, **trainer.families}.items():
                caveats = tuple(caveat.text for caveat in trainer.caveats if tag in caveat.tags)
                yield Entry(tag, metric.removesuffix("/{name}"), producer.name, trainer.name, caveats)
