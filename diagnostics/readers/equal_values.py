"""Joins logs of different formats that hold equal values at equal steps, without comparing each with each."""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from operator import itemgetter

from diagnostics.readers.base import RunRef
from diagnostics.readers.openings import first_values, hold_one_training
from diagnostics.readers.run_parts import (
    OWN,
    SAMPLES,
    common_folder,
    formats_of,
    formats_of_run,
    joined_ref,
    logs_by_folder,
    members,
    start_time,
)

SECONDS_APART = 3600.0  # between the openings of two trackers: a model may be loaded in between
FEWEST_ALIKE = 3  # values among the first ones, for two logs to be compared
MOST_ALIKE = 64  # logs with the same value; one that more logs hold tells nothing
MOST_COMPANY = 100  # logs around one without a date; more are those of many trainings, and take long to read


def joined_by_values(refs: list[RunRef]) -> list[RunRef]:
    """Join logs of different formats that hold equal values at equal steps, the nearest in the folder tree first.

    Trainings with the same seed whose weights never move log the same: what one format keeps apart is not joined.
    """
    group_of = {id(ref): [ref] for ref in refs}
    for one, two in sorted(_worth_comparing(refs), key=_distance):
        ours, theirs = group_of[id(one)], group_of[id(two)]
        if formats_of(ours).isdisjoint(formats_of(theirs)) and _is_proven(one, two):
            ours += theirs
            group_of.update((id(ref), ours) for ref in theirs)
    groups = {id(group): group for group in group_of.values()}
    return [joined_ref([member for ref in group for member in members(ref)]) for group in groups.values()]


def _distance(pair: tuple[RunRef, RunRef]) -> tuple[int, str, str]:
    """The folders between two logs, and their paths."""
    one, two = (ref.path for ref in pair)
    shared = len(common_folder([one, two]).parts)
    return len(one.parts) + len(two.parts) - 2 * shared, str(one), str(two)


def _is_proven(one: RunRef, two: RunRef) -> bool:
    pairs = product(_with_values(one), _with_values(two))
    return any(hold_one_training(ours, theirs) for ours, theirs in pairs if ours.format != theirs.format)


def _with_values(ref: RunRef) -> list[RunRef]:
    return [member for member in members(ref) if member.format not in SAMPLES]


def _worth_comparing(refs: list[RunRef]) -> Iterator[tuple[RunRef, RunRef]]:
    """Pairs of logs with some equal first values, among those that may be of one training by their times and places."""
    logs = [ref for ref in refs if ref.format != OWN and not formats_of_run(ref) <= SAMPLES]
    if len({ref.format for ref in logs}) < 2:
        return
    near = {id(ref): ref for ref in (*_opened_near_another_format(logs), *_undated_with_company(logs))}
    holders = defaultdict[str, list[int]](list)
    for number, ref in near.items():
        for value in {value for member in _with_values(ref) for value in first_values(member)}:
            holders[value].append(number)
    shared = Counter[tuple[int, int]]()
    for found in holders.values():
        if len(found) <= MOST_ALIKE:
            shared.update(combinations(found, 2))
    yield from ((near[one], near[two]) for (one, two), count in shared.items() if count >= FEWEST_ALIKE)


def _opened_near_another_format(logs: Sequence[RunRef]) -> Iterator[RunRef]:
    """The logs opened within an hour of one in another format."""
    dated = [(ref, start) for ref in logs if (start := start_time(ref)) is not None]
    starts = defaultdict[frozenset[str], list[float]](list)
    for ref, start in sorted(dated, key=itemgetter(1)):
        starts[formats_of_run(ref)].append(start)
    for ref, start in dated:
        others = (found for formats, found in starts.items() if formats != formats_of_run(ref))
        if any(
            bisect_right(found, start + SECONDS_APART) > bisect_left(found, start - SECONDS_APART) for found in others
        ):
            yield ref


def _undated_with_company(logs: Sequence[RunRef]) -> Iterator[RunRef]:
    """The logs that do not say when they began, and those in other formats below their folders, or beside these."""
    below = logs_by_folder(logs)
    for ref in logs:
        if start_time(ref) is None:
            folder = ref.home or ref.path.parent
            around = (
                [other for other in below[near] if other.format != ref.format] for near in (folder, folder.parent)
            )
            company = next(filter(None, around), [])
            yield from (ref, *company) if 0 < len(company) <= MOST_COMPANY else ()
