"""A user's own names: what the tags of an unknown trainer mean."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from diagnostics.language import N_
from diagnostics.model.vocabulary import EVAL_PREFIX
from diagnostics.producers.trainer import MetricName
from diagnostics.producers.transport import PREFIX, SPACED, trainers_name
from diagnostics.told import told


class OwnName(NamedTuple):
    """What a tag is: a metric of the vocabulary, and the factor that makes its values the metric's."""

    metric: str
    scale: float = 1.0


NOT_HELD = N_("{source} names {unused}, which the log does not hold")


@dataclass(frozen=True, slots=True)
class OwnNames:
    """Names by tag, with or without the transport's prefix; `source` is the file that holds them.

    `producer` and `algorithm`, where given, override what the log looks like.
    """

    names: Mapping[str, OwnName] = field(default_factory=dict)
    source: str = ""
    producer: str = ""
    algorithm: str = ""

    def name_of(self, tag: str) -> MetricName | None:
        """What a tag without the prefix means; an evaluation's tag is looked up by its name in training."""
        if not self.names:
            return None
        bare = tag.removeprefix(EVAL_PREFIX)
        for spelled in (tag, PREFIX + tag, bare, tag.replace("/", SPACED)):
            if found := self.names.get(spelled):
                is_eval = bare != tag and not found.metric.startswith(EVAL_PREFIX)
                metric = EVAL_PREFIX + found.metric if is_eval else found.metric
                return MetricName(metric, found.scale, f"Named so in {self.source}.")
        return None

    def notes(self, tags: Iterable[str]) -> tuple[str, ...]:
        """One sentence on the names in use, and one on those that the log does not hold."""
        held = {spelled for tag in tags for spelled in (tag, trainers_name(tag))}
        used = {tag for tag in self.names if tag in held}
        read = ", ".join(f"{tag} as {_description(name)}" for tag, name in self.names.items() if tag in used)
        unused = ", ".join(tag for tag in self.names if tag not in used)
        return (
            *((told("As {source} says, the log's {read} is read", source=self.source, read=read),) if read else ()),
            *((told(NOT_HELD, source=self.source, unused=unused),) if unused else ()),
        )


NO_NAMES = OwnNames()


def _description(name: OwnName) -> str:
    return name.metric if name.scale == 1 else f"{name.metric} (times {name.scale:g})"
