"""Dialects: what each producer's names mean in the vocabulary, one file per producer; no file formats here."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from diagnostics.dialects import (
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
from diagnostics.dialects.dialect import Dialect, Findings, Log, Name
from diagnostics.dialects.transport import card_version, configuration, series_by_tag
from diagnostics.run import Recording

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

    def name_of(self, tag: str) -> Name | None:
        """What a tag without the transport's prefix means; None where nobody knows it."""
        return self.dialect.name_of(tag, self.log, self.findings)


class Entry(NamedTuple):
    """One line of the glossary: a producer's tag and the metric that it is."""

    tag: str
    metric: str
    producer: str
    dialect: str
    caveats: tuple[str, ...]


def translate(recording: Recording) -> Translation:
    """Find the dialect that is surest of this recording and apply it."""
    log = Log(recording, series_by_tag(recording), configuration(recording))
    dialect = max(DIALECTS, key=lambda dialect: dialect.recognise(log))
    version = recording.producer_version or card_version(recording, dialect.producer)
    log = Log(recording, log.series, log.config, version)
    return Translation(log, dialect, dialect.examine(log))


def glossary() -> Iterator[Entry]:
    """Every tag of every dialect; a family of reward functions appears once, with `{name}` in its place."""
    for dialect in DIALECTS:
        for tag, metric in {**dialect.tags, **dialect.families}.items():
            caveats = tuple(caveat.text for caveat in dialect.caveats if tag in caveat.tags)
            yield Entry(tag, metric.removesuffix("/{name}"), dialect.producer, dialect.name, caveats)
