"""What a filter can ask of a run, by the names of its fields."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from diagnostics.addresses import shown
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import Run

LONGEST_SETTING = 2_000  # characters of a setting that a filter can find
MARKS = ("archived", "sample")
"""The values of `is`."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """One run as a filter sees it.

    verdict: its id, then its word where that is another · headline: the verdict in one sentence · settings: by the
    producer's argument names, and by the canonical ones · the last four: what the user says of it, and whether it is
    one of the sample runs.
    """

    name: str
    path: str = ""
    state: str = ""
    verdict: tuple[str, ...] = ()
    headline: str = ""
    causes: tuple[str, ...] = ()
    algorithm: str = ""
    producer: str = ""
    step: int | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    note: str = ""
    is_archived: bool = False
    is_sample: bool = False

    @property
    def marks(self) -> tuple[str, ...]:
        """Why a list leaves the run out unless it is asked for."""
        return tuple(mark for mark, holds in zip(MARKS, (self.is_archived, self.is_sample), strict=True) if holds)

    @property
    def words(self) -> tuple[str, ...]:
        """What a word without a field is looked for in."""
        facts = (self.name, self.path, self.state, self.headline, self.algorithm, self.producer, self.note)
        return (*facts, *self.verdict, *self.causes, *self.tags)


def facts_of(run: Run, diagnosis: Diagnosis, verdict_word: str, headline: str) -> RunFacts:
    """The facts of a run that was read; `verdict_word` and `headline` are its verdict in words."""
    verdict = str(diagnosis.verdict)
    return RunFacts(
        name=run.name,
        path=shown(run.path),
        state=run.status.state,
        verdict=tuple(dict.fromkeys((verdict, verdict_word))),
        headline=headline,
        causes=tuple(cause.cause for cause in diagnosis.causes),
        algorithm=run.algorithm,
        producer=f"{run.producer} {run.producer_version or ''}".rstrip(),
        step=run.last_step,
        settings=_settings(run),
    )


def _settings(run: Run) -> Mapping[str, str]:
    canonical = {name: setting.value for name, setting in run.settings.known.items() if setting.is_given}
    return {name: _text(value) for name, value in {**canonical, **run.config}.items()}


def _text(value: Any) -> str:
    return str(value)[:LONGEST_SETTING]


FIELDS: Mapping[str, Callable[[RunFacts], Iterable[str]]] = {
    "name": lambda facts: (facts.name, facts.path),
    "state": lambda facts: (facts.state,),
    "verdict": lambda facts: facts.verdict,
    "cause": lambda facts: facts.causes,
    "algorithm": lambda facts: (facts.algorithm,),
    "producer": lambda facts: (facts.producer,),
    "tag": lambda facts: facts.tags,
    "note": lambda facts: (facts.note,),
    "step": lambda facts: () if facts.step is None else (str(facts.step),),
    "is": lambda facts: facts.marks,
}
"""The fields of every run; any other name is a setting's."""


def values_of(facts: RunFacts, name: str) -> tuple[str, ...]:
    """The values of one field or one setting; empty where the run has none."""
    if read := FIELDS.get(name.lower()):
        return tuple(filter(None, read(facts)))
    value = facts.settings.get(name)
    return () if value is None else (value,)
