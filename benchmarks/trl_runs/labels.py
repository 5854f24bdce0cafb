"""Labels by outcome: what a run came to on held-out prompts, with the task's real score, whatever any metric says.

A difference is clear if it is unlikely to be the choice of the held-out prompts (a paired test, each prompt against
itself) and large enough to matter. A sick run has to end below its twin, which differs in the fault alone, so that a
task that nobody could learn in these steps makes no run sick.
"""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, Literal

Label = Literal["sick", "healthy", "aside"]
Outcome = Mapping[str, Any]
"""As of TRL's side: `before` and `after` hold one score per held-out prompt, `error` and `is_finite` say what broke."""

CLEAR_Z = 2.576
"""Two-sided 1 %: of a hundred runs that are no different one would be called different."""
HARM = 0.1
"""The least loss against the twin that is called sick: a tenth of the whole scale, which someone would act on."""
RISE = 0.05
"""The least gain that is called learning; smaller than the harm, as a short run learns little."""
CEILING = 0.95
"""A mean score from which on there is nothing left to learn; a run that stays there is healthy."""


def label(run: Outcome, twin: Outcome | None) -> tuple[Label, str]:
    """The label of a run, and its reason; `twin` is the same run without the fault, None for a healthy setting."""
    if _broke(run):
        return ("sick", "broke") if twin and not _broke(twin) else ("aside", "broke with healthy settings")
    before, after = run["before"], run["after"]
    if twin is None:
        return _without_fault(before, after)
    if _broke(twin):
        return "aside", "its twin broke"
    if _is_clearly_more(twin["after"], after, HARM):
        return "sick", "ended below its twin"
    return "aside", "a fault without clear harm"


def _without_fault(before: Sequence[float], after: Sequence[float]) -> tuple[Label, str]:
    if fmean(after) >= CEILING and fmean(after) >= fmean(before) - RISE:
        return "healthy", "at its ceiling"
    if _is_clearly_more(after, before, RISE):
        return "healthy", "rose"
    if _is_clearly_more(before, after, RISE):
        return "aside", "fell with healthy settings"
    return "aside", "did not clearly rise"


def _broke(run: Outcome) -> bool:
    return bool(run["error"]) or not run["is_finite"]


def _is_clearly_more(larger: Sequence[float], smaller: Sequence[float], least: float) -> bool:
    """Whether the mean of the paired differences is clearly positive, and at least `least`."""
    differences = [a - b for a, b in zip(larger, smaller, strict=True)]
    mean = fmean(differences)
    error = stdev(differences) / math.sqrt(len(differences))
    return mean >= least and mean > CLEAR_Z * error
