"""Evidence that two logs are of one training: equal values at equal steps, written at about the same time.

Trainings of one sweep share their schedule, and with the same seed their first steps too. So what any training of the
same settings would log proves nothing, and few steps prove something only where both logs wrote them at one moment.

Other values are evidence against only where nearly all of them differ, from the beginning of both logs on: two logs of
one training may shorten, use a name differently, or differ after a resume, which repeats steps.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from diagnostics.model.recording import Recording
from diagnostics.model.series import NO_STEPS, NO_VALUES, RawSeries, Values

FEWEST_VALUES, FEWEST_STEPS = 3, 3  # that must be equal
FEWEST_AT_ONE_TIME = 8  # values that must be equal, whole numbers and NaN among them, if written at one time
MOST_NAMES = 32  # that are compared, those with the most points first
EQUAL_SHARE = 0.95  # of the values at common steps; the rest are names that two trackers use differently
FEWEST_NAMES_APART = 3  # whose values differ, in logs of two trainings; one or two may mean something else
AT_ONE_TIME = 2.0  # seconds between two trackers' writing of one row
SECONDS_APART = 120.0  # that no two trackers of one training are; one that is repeated takes longer to get there
SHORTENED, EXACT = 1e-3, 1e-6  # relative: four digits on a console, float32 elsewhere
_TELLING = 20  # times the rounding: a number that is smaller says little
_PREFIX = "train/"  # which a Trainer's trackers put before its names, and its files and console do not
_OF_THE_SCHEDULE = frozenset(
    {"epoch", "learning_rate", "lr", "actor/lr", "critic/lr", "episode", "global_step", "step"}
)
_OF_THE_MACHINE = "system/"

Flags = npt.NDArray[np.bool_]
Points = dict[str, RawSeries]


def are_one_training(one: Recording, two: Recording) -> bool | None:
    """Whether two logs are of one training; None where they hold too little in common to tell.

    The steps of a printed log may be those of its rows: then its values in their order are compared too.
    """
    ours, theirs = telling_points(one), telling_points(two)
    is_printed, rounding = one.is_printed or two.is_printed, max(one.rounded_to, two.rounded_to)
    precision = _Precision(SHORTENED if is_printed else EXACT, rounding)
    found = _compared(ours, theirs, precision).verdict
    if found is True or not is_printed:
        return found
    return _compared(_numbered(ours), _numbered(theirs), precision).verdict or found


def are_two_trainings(one: Recording, two: Recording) -> bool:
    """Whether two logs that both begin with their training are of different ones: hardly a value of theirs is equal."""
    ours, theirs = telling_points(one), telling_points(two)
    if not (_has_beginning(ours) and _has_beginning(theirs)):
        return False
    moving = {name: series for name, series in ours.items() if _moves(series) or _moves(theirs.get(name, series))}
    precision = _Precision(SHORTENED, max(one.rounded_to, two.rounded_to))
    return _compared(moving, theirs, precision).differs


def telling_points(log: Recording) -> Points:
    """What a log says of one training and of no other, by name without the trackers' prefix."""
    bare = ((tag.removeprefix(_PREFIX), series) for tag, series in log.tags.items())
    return {
        name: series for name, series in bare if name not in _OF_THE_SCHEDULE and not name.startswith(_OF_THE_MACHINE)
    }


class _Precision(NamedTuple):
    """How near two values must be: relative, and by the decimals printed."""

    relative: float
    rounding: float

    def equal(self, ours: Values, theirs: Values) -> Flags:
        return np.isclose(ours, theirs, rtol=self.relative, atol=self.rounding, equal_nan=True)

    def telling(self, values: Values) -> Flags:
        """Not whole numbers, like a length or a share of 0 or 1, which are equal by chance; nor NaN or ±Inf."""
        found: Flags = np.isfinite(values) & (values != np.round(values)) & (np.abs(values) >= _TELLING * self.rounding)
        return found


class _Comparison(NamedTuple):
    """The values that two logs hold under one name at one step: which are equal, which tell something, how far apart
    they were written (empty if unknown), and at how many steps and under how many names some tell something."""

    equal: Flags
    telling: Flags
    lags: Values
    steps: int
    names: int

    @property
    def differs(self) -> bool:
        is_enough = self.names >= FEWEST_NAMES_APART and self.steps >= FEWEST_STEPS
        return is_enough and bool(self.equal[self.telling].mean() <= 1 - EQUAL_SHARE)

    @property
    def verdict(self) -> bool | None:
        lag = float(np.median(self.lags)) if len(self.lags) else None
        if lag is not None and lag > SECONDS_APART:
            return False
        if self.telling.sum() >= FEWEST_VALUES and self.steps >= FEWEST_STEPS:
            return bool(self.equal[self.telling].mean() >= EQUAL_SHARE)
        if lag is not None and lag <= AT_ONE_TIME and len(self.equal) >= FEWEST_AT_ONE_TIME:
            return bool(self.equal.mean() >= EQUAL_SHARE)
        return None


def _compared(ours: Points, theirs: Points, precision: _Precision) -> _Comparison:
    names = sorted(ours.keys() & theirs.keys(), key=lambda name: (-len(ours[name].steps), name))[:MOST_NAMES]
    pairs = [_at_common_steps(ours[name], theirs[name]) for name in names]
    equal = [precision.equal(one.values, two.values) for one, two in pairs]
    telling = [precision.telling(one.values) | precision.telling(two.values) for one, two in pairs]
    steps = {step for (one, _), tells in zip(pairs, telling, strict=True) for step in one.steps[tells].tolist()}
    lags = [np.abs(one.times - two.times) for one, two in pairs if len(one.times) and len(two.times)]
    none = np.empty(0, np.bool_)
    return _Comparison(
        np.concatenate([none, *equal]),
        np.concatenate([none, *telling]),
        np.concatenate([NO_VALUES, *lags]),
        len(steps),
        sum(bool(tells.any()) for tells in telling),
    )


def _moves(series: RawSeries) -> bool:
    """Whether it is no constant, like a bound, which trainings of the same settings share."""
    return len(np.unique(series.values)) > 1


def _has_beginning(points: Points) -> bool:
    """Whether a log's first row comes as early as its rows usually follow each other; after a resume it comes later."""
    steps = np.unique(np.concatenate([NO_STEPS, *(series.steps for series in points.values())]))
    return len(steps) > 1 and bool(steps[0] <= np.median(np.diff(steps)))


def _at_common_steps(one: RawSeries, two: RawSeries) -> tuple[RawSeries, RawSeries]:
    """The points of both at the steps that each of them holds exactly once."""
    one, two = _of_single_steps(one), _of_single_steps(two)
    _, ours, theirs = np.intersect1d(one.steps, two.steps, assume_unique=True, return_indices=True)
    return one.at(ours), two.at(theirs)


def _of_single_steps(series: RawSeries) -> RawSeries:
    _, first, counts = np.unique(series.steps, return_index=True, return_counts=True)
    return series.at(first[counts == 1])


def _numbered(points: Points) -> Points:
    """The points with their number instead of their step."""
    return {
        name: RawSeries(name, np.arange(len(series.steps), dtype=np.int64), series.values, series.times)
        for name, series in ((name, _of_single_steps(series)) for name, series in points.items())
    }
