"""What the list keeps of a run once it was read: the facts that a filter asks for, and what its row shows."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.figures.sparkline import Sparkline, sparkline
from app.load.runs import Snapshot
from diagnostics.curves.selection import main_reward
from diagnostics.language import ENGLISH, LANGUAGES, current_language, language
from diagnostics.model.cost import Cost
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import Run
from diagnostics.run_filter.facts import RunFacts, facts_of
from diagnostics.wording.live import time_left
from diagnostics.wording.severities import verdict_word
from diagnostics.wording.verdicts import verdict_headline

_LATELY = 600.0  # seconds


@dataclass(frozen=True, slots=True)
class Said:
    """What a run says in one language."""

    headline: str
    time_left: str


@dataclass(frozen=True, slots=True)
class Summary:
    """One run in short.

    last: the last value of its main reward, NaN and ±Inf included · total: the number of planned steps · cost: the
    hours on all of its GPUs after its main finding first showed.
    """

    facts: RunFacts
    verdict: str
    sparkline: Sparkline
    last: float | None
    total: int | None
    time_left: str
    cost: float | None
    just_opened: bool = False
    """Whether its main finding first showed a few minutes ago, and the run still trains."""
    translated: Mapping[str, Said] = field(default_factory=dict)
    """What it says in other languages than English: one summary serves all sessions."""

    def said(self) -> Said:
        """What it says in the language of the reader."""
        return self.translated.get(current_language()) or Said(self.facts.headline, self.time_left)


def summary(snapshot: Snapshot) -> Summary:
    """A run in short, with its latest diagnosis."""
    run, diagnosis = snapshot.run, snapshot.diagnosis
    reward = main_reward(run)
    return Summary(
        facts=facts_of(run, diagnosis, verdict_word(diagnosis.verdict), _headline(run, diagnosis)),
        verdict=str(diagnosis.verdict),
        sparkline=sparkline(reward),
        last=float(reward.values[-1]) if reward is not None and len(reward) else None,
        total=run.status.total,
        time_left=time_left(run),
        cost=diagnosis.cost.device_hours if diagnosis.cost else None,
        just_opened=run.status.state == "running" and _opened_lately(diagnosis.cost),
        translated={code: _said(code, run, diagnosis) for code in LANGUAGES if code != ENGLISH},
    )


def _said(code: str, run: Run, diagnosis: Diagnosis) -> Said:
    with language(code):
        return Said(_headline(run, diagnosis), time_left(run))


def _opened_lately(cost: Cost | None) -> bool:
    return cost is not None and cost.is_still and cost.time is not None and cost.time.seconds < _LATELY


def _headline(run: Run, diagnosis: Diagnosis) -> str:
    """The worst finding, else what ended the run, else how much was checked."""
    error = "" if diagnosis.fired else run.status.short_error
    return error or verdict_headline(diagnosis)
