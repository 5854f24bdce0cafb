"""Dialects: what each producer's names mean in the vocabulary, one file per producer; no file formats here."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from diagnostics.model.recording import Recording
from diagnostics.producers import (
    areal,
    art,
    classic,
    deepspeed_chat,
    nemo_rl,
    open_instruct,
    openrlhf,
    ppo_details,
    prime_rl,
    rlvitals,
    roll,
    skyrl,
    slime,
    tinker,
    torchforge,
    torchtune,
    trl_grpo,
    trl_kin,
    trl_legacy,
    trl_ppo,
    trlx,
    unknown,
    verl,
)
from diagnostics.producers.own_names import NO_NAMES, OwnNames
from diagnostics.producers.producer import Dialect, Findings, Log, Name
from diagnostics.producers.transport import configuration, package_version, series_by_tag

DIALECTS: tuple[Dialect, ...] = (
    rlvitals.DIALECT,
    trl_grpo.DIALECT,
    trl_ppo.DIALECT,
    trl_legacy.DIALECT,
    trl_kin.UNSLOTH,
    trl_kin.SWIFT,
    *verl.DIALECTS,
    *openrlhf.DIALECTS,
    *nemo_rl.DIALECTS,
    *skyrl.DIALECTS,
    *slime.DIALECTS,
    *areal.DIALECTS,
    *roll.DIALECTS,
    prime_rl.DIALECT,
    open_instruct.DIALECT,
    tinker.DIALECT,
    art.DIALECT,
    torchforge.DIALECT,
    *torchtune.DIALECTS,
    trlx.DIALECT,
    ppo_details.DIALECT,
    deepspeed_chat.DIALECT,
    *classic.DIALECTS,
    unknown.DIALECT,
)
"""Every dialect; of two that are equally sure, the first one counts."""


@dataclass(frozen=True, slots=True)
class Translation:
    """A recording understood: who wrote it, and what each of its tags means."""

    log: Log
    dialect: Dialect
    findings: Findings
    own: OwnNames = NO_NAMES

    @property
    def producer(self) -> str:
        """Who wrote the log, as the user says, else as its names show."""
        return self.own.producer or self.dialect.producer

    @property
    def algorithm(self) -> str:
        """What trained, as the user says, else as the dialect finds."""
        return self.own.algorithm or self.findings.algorithm

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be said of the log; not that nobody knows it where the user does."""
        is_known = self.dialect is not unknown.DIALECT or not self.own.algorithm
        return self.findings.notes if is_known else ()

    def name_of(self, tag: str) -> Name | None:
        """What a tag without the transport's prefix means; the user's own word counts. None where nobody knows it."""
        return self.own.name_of(tag) or self.dialect.name_of(tag, self.log, self.findings)

    def tags(self) -> list[str]:
        """Every tag, those that the user named first: of two tags for one metric the first one is it."""
        return sorted(self.log.series, key=lambda tag: self.own.name_of(tag) is None)


class Entry(NamedTuple):
    """One line of the glossary: a producer's tag and the metric that it is."""

    tag: str
    metric: str
    producer: str
    dialect: str
    caveats: tuple[str, ...]


def translate(recording: Recording, own: OwnNames = NO_NAMES) -> Translation:
    """Find the dialect that is surest of this recording and apply it, under the user's own names."""
    log = Log(recording, series_by_tag(recording), configuration(recording))
    dialect = max(DIALECTS, key=lambda dialect: dialect.recognise(log))
    version = recording.producer_version or package_version(recording, dialect.producer)
    log = Log(recording, log.series, log.config, version)
    return Translation(log, dialect, dialect.examine(log), own)


def glossary() -> Iterator[Entry]:
    """Every tag of every dialect; a family of reward functions appears once, with `{name}` in its place."""
    for dialect in DIALECTS:
        for tag, metric in {**dialect.tags, **dialect.families}.items():
            caveats = tuple(caveat.text for caveat in dialect.caveats if tag in caveat.tags)
            yield Entry(tag, metric.removesuffix("/{name}"), dialect.producer, dialect.name, caveats)
