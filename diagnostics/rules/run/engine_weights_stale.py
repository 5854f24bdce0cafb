"""The rollout engine was left behind: it goes on generating with weights that the trainer no longer has.

What it checks
    The distance of the two engines' probabilities, in the first unit that is logged (log-probability, factor, KL,
    probability, log-perplexity): five times the level of up to 20 points before, reached within three updates, kept for
    five points, and beyond what sound engines differ by. By then something must have been trained: a learning rate and
    a gradient norm above 0, of those that are logged. Critical; a warning where the log says that samples are older
    than one update.

Why it matters
    With equal weights the two differ by the noise of their kernels, from the first step on. A distance that comes with
    the first updates is that of the updates themselves: the engine did not get them. The samples are then those of an
    old policy, their reward cannot rise, and what is learned from them is wrong.

When it is wrong
    An engine that is restarted with another precision jumps as well, so nothing is judged just after a resumption. A
    distance that is large from the first point on has no level before it (`engine-mismatch` judges it), and one that
    grows slowly, as it does at a small learning rate, is told by `logp-diff-growing`. Where the engine finds nearly all
    tokens likelier than the trainer does, its samples are cut off (top-k, top-p), and where few tokens are worlds apart
    while the others agree, they are not the tokens that it drew: its weights may be the same.

What to try
    Compare one weight of the engine with the trainer's after a synchronisation. Turn sleep mode off, merge the adapter
    before it is sent, and check that the server that is updated is the one that generates.

References
    TRL issue 5312: 0.010 to 0.018 in step, 0.201 with the first update that was not sent · verl issue 7495: an adapter
    that was never sent.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from diagnostics.detectors.episodes import Episode, episodes
from diagnostics.detectors.extremes import index_of_extreme
from diagnostics.detectors.level_jump import lasting_jumps
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.attempts import resumptions
from diagnostics.rules.cadence import paced
from diagnostics.rules.engine_distance import (
    DISTANCES,
    EQUAL,
    difference_of,
    differences,
    in_own_unit,
    is_of_few_tokens,
    is_one_sided,
    sample_age,
)
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few

TRAINED = ("learning_rate", "grad_norm")
"""Metrics that are above 0 where weights change."""


class Limits(RuleLimits):
    """Which jump is that of updates which were not sent."""

    times: float = limit(5.0, "× the level before", "TRL issue 5312: 0.201 after 0.018")
    within: int = limit(3, "updates", "TRL issue 5312: the first update that is not sent")
    patience: int = limit(5, "logged points", "engineering default: a spike comes back")
    window: int = limit(20, "logged points", "engineering default")
    logprob: float = limit(0.05, "nats/token", "TRL issue 5312: sound up to 0.018; engineering default above that")
    factor: float = limit(1.05, "factor", "NeMo-RL, dtensor-tp-accuracy: near 1 where sound, suspect above 1.05")
    kl: float = limit(0.02, "nats/token", "the warning level of engine-mismatch")
    probability: float = limit(0.03, "probability", "the critical level of rollout-prob-mismatch")
    log_perplexity: float = limit(0.05, "nats/token", "engineering default, as for log-probabilities")

    @property
    def least(self) -> dict[str, float]:
        """By metric, what engines of equal weights stay below."""
        given = (self.logprob, self.factor, self.kl, self.probability, self.log_perplexity)
        return dict(zip(DISTANCES, given, strict=True))


DEFAULTS = Limits()


@dataclass(frozen=True, slots=True)
class LeftBehind:
    """Where the distance jumped: the level before, in the unit of the series, and the points since, as indices."""

    before: float
    episode: Episode


def left_behind(run: Run, series: Series, limits: Limits = DEFAULTS) -> LeftBehind | None:
    """Where the distance in this series shows that the engine was left behind by an update; None where it does not."""
    times, before = _jumps(run, series, limits)
    reached = np.flatnonzero(times >= limits.times)
    place = next((place for place in reached.tolist() if _was_trained(run, series, place, limits)), None)
    if place is None or _is_of_the_samples(run, int(series.steps[place]), int(series.steps[-1])):
        return None
    found = episodes(differences(series), limits.times * float(before[place]), limits.patience)
    episode = next((item for item in found if item.first <= place <= item.last), None)
    if episode is None:  # it did not stay there
        return None
    level = in_own_unit(series, float(before[place]))
    return LeftBehind(level, Episode(place, episode.last, episode.still))


def _is_of_the_samples(run: Run, first: int, last: int) -> bool:
    """Whether the distance shows what was done to the samples, whatever the weights: a cut-off, or other tokens."""
    return is_one_sided(run, first, last) or is_of_few_tokens(run, first, last)


class EngineWeightsStale(RunRule[Limits]):
    """Judges the distance of the two engines against its own level before an update."""

    code = "RV806"
    name = "engine-weights-stale"
    grade = "I"
    source = "TRL issue 5312; verl issue 7495"
    inputs = (DISTANCES, TRAINED)
    limits = DEFAULTS
    remedies = ("no-engine-sleep", "merged-adapter", "sync-every-step", "checked-engine-server", "compared-weights")
    texts = english(
        headline="The rollout engine was left behind: it generates with old weights.",
        fired="The two engines were {before} {unit} apart, and within {within} updates up to {measured} (step {peak}): "
        "above {limit} from step {first} to {last}, as where updates are not sent to the engine.",
        old="The two engines were {before} {unit} apart, and within {within} updates up to {measured} (step {peak}): "
        "above {limit} from step {first} to {last}, with samples that were {age} updates old.",
    )

    def applies(self, run: Run) -> bool:
        """Only where it is logged: most trainers have a single engine and nothing to compare."""
        return super().applies(run) and run.get(*DISTANCES) is not None

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, *DISTANCES)
        times, _ = _jumps(run, series, limits)
        if np.isnan(times).all():
            return too_few(limits.patience + 1, int(series.finite.sum()))
        found = left_behind(run, series, limits)
        if found is None:
            worst = min(float(np.nanmax(times)), limits.times)
            return Quiet(worst, limits.times, "× the level before", series.name, series.tag)
        return self._fired(run, series, found, limits)

    def _fired(self, run: Run, series: Series, found: LeftBehind, limits: Limits) -> Fired:
        episode = found.episode
        peak = episode.first + index_of_extreme(series.values[episode.first : episode.last + 1], highest=True)
        age = sample_age(run, int(series.steps[episode.first]), int(series.steps[episode.last]))
        is_old = age >= 1
        return self.fired(
            series,
            episode,
            Severity.WARNING if is_old else Severity.CRITICAL,
            measured=float(series.values[peak]),
            limit=_limit(series, found.before, limits),
            key="old" if is_old else "fired",
            peak=int(series.steps[peak]),
            before=found.before,
            within=limits.within,
            age=age,
        )


def _jumps(run: Run, series: Series, limits: Limits) -> tuple[Values, Values]:
    """(N,) How many times the level before was kept up, 1 at most where sound engines differ as much, and (N,) that
    level, as differences; NaN just after a resumption."""
    paced_limits = paced(limits, run, series, within=1)
    times, before = lasting_jumps(
        differences(series),
        within=paced_limits.within,
        patience=limits.patience,
        window=limits.window,
        smallest=EQUAL,
    )
    least = difference_of(series, limits.least[series.name])
    times = np.where(times * before >= least, times, np.minimum(times, 1.0))
    return np.where(_just_resumed(run, series, 2 * paced_limits.within), np.nan, times), before


def _just_resumed(run: Run, series: Series, points: int) -> npt.NDArray[np.bool_]:
    """(N,) Whether a point is one of the first after a resumption."""
    places = np.searchsorted(series.steps, resumptions(run), side="right")
    begins = np.bincount(places, minlength=len(series) + 1)
    ended = np.append(np.zeros(points, dtype=begins.dtype), begins)[: len(begins)]
    return np.cumsum(begins - ended)[:-1] > 0


def _was_trained(run: Run, series: Series, place: int, limits: Limits) -> bool:
    """Whether weights had changed when the point was sampled, by every metric that tells and is logged."""
    last = int(series.steps[min(place + limits.patience, len(series)) - 1])
    told = [logged for name in TRAINED if (logged := run.get(name)) is not None]
    return bool(told) and all(bool((logged.values[logged.steps <= last] > 0).any()) for logged in told)


def _limit(series: Series, before: float, limits: Limits) -> float:
    """What counts as left behind, in the unit of the series."""
    of_level = in_own_unit(series, limits.times * max(difference_of(series, before), EQUAL))
    return max(of_level, limits.least[series.name])
