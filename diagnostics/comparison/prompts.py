"""Prompts that several runs logged: the answers of each run to the same one."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from diagnostics.model.run import Run
from diagnostics.model.samples import Sample

MOST_STEPS = 12  # of a run whose samples are searched, the newest: each is read from disk
_Key = tuple[str, str]  # the prompt, and whether it is one of training or held out


@dataclass(frozen=True, slots=True)
class Answers:
    """What one run answered to a prompt when it last logged it, the best score first."""

    step: int
    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class SharedPrompt:
    """A prompt that two runs or more logged, with the answers of each, in their order; None where it logged none."""

    query: str
    answers: tuple[Answers | None, ...]

    @property
    def runs(self) -> int:
        """How many runs logged it."""
        return sum(item is not None for item in self.answers)


def shared_prompts(runs: Sequence[Run], until: int | None = None) -> tuple[SharedPrompt, ...]:
    """The prompts that two runs logged among their newest samples up to a step, those that most of them have first."""
    found = [_answers(run, until) for run in runs]
    keys = dict.fromkeys(key for answers in found for key in answers)
    shared = [SharedPrompt(key[0], tuple(answers.get(key) for answers in found)) for key in keys]
    return tuple(sorted((prompt for prompt in shared if prompt.runs > 1), key=lambda prompt: -prompt.runs))


def searched_steps(run: Run, until: int | None = None) -> tuple[int, ...]:
    """The steps whose samples are searched, the newest first; the newest one with the followed prompts among them."""
    steps = [step for step in run.samples.steps if until is None or step <= until]
    followed = [step for step in run.samples.followed_steps if until is None or step <= until]
    return tuple(sorted({*steps[-MOST_STEPS:], *followed[-1:]}, reverse=True))


def _answers(run: Run, until: int | None) -> Mapping[_Key, Answers]:
    found: dict[_Key, Answers] = {}
    for step in searched_steps(run, until):
        for key, samples in _by_prompt(run.samples.at(step)).items():
            found.setdefault(key, Answers(step, tuple(sorted(samples, key=_worse))))
    return found


def _by_prompt(samples: Iterable[Sample]) -> dict[_Key, list[Sample]]:
    found: dict[_Key, list[Sample]] = {}
    for sample in samples:
        found.setdefault((sample.query, sample.split), []).append(sample)
    return found


def _worse(sample: Sample) -> tuple[bool, float]:
    """Sorts the best score first; NaN and unscored samples last."""
    if sample.score is None or math.isnan(sample.score):
        return True, 0.0
    return False, -sample.score
