"""How often a cause that is named first is right, and whether that holds in tasks that it was not counted in."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from benchmarks.detecting.expected import read_expected
from benchmarks.detecting.report import share
from benchmarks.detecting.scores import ALARMS
from diagnostics.causes.track_record import TrackRecord

HEAD = """\
# How often each cause was right where it was named first, in a warning or worse, in the measured runs of
# docs/benchmarks/detection-trl.md that have a fault or came out healthy. Written by python -m benchmarks.detection_trl.
"""
PRIOR = 4
"""Runs with the rate of all causes that are added to those of each: few runs say little."""
BINS = (0.0, 0.5, 0.7, 0.85, 1.0)
"""Bounds of the chances that are shown together."""

Call = tuple[str, str, bool]
"""A task, the cause that was named first in one of its runs, and whether it was right."""


def calls(results: Iterable[Mapping[str, Any]]) -> list[Call]:
    """What a warning or worse named first in each run of which it is known what is wrong: its fault, or nothing."""
    known = [each for each in results if each["cell"]["fault"] or each["label"] == "healthy"]
    named = [each for each in known if each["causes"] and each["causes"][0]["severity"] in ALARMS]
    return [(each["cell"]["task"], each["causes"][0]["cause"], _is_right(each)) for each in named]


def records(made: Iterable[Call]) -> dict[str, TrackRecord]:
    """Cause → how often it was named, and right, in the order of their names."""
    found: defaultdict[str, list[bool]] = defaultdict(list)
    for _, cause, is_right in made:
        found[cause].append(is_right)
    return {cause: TrackRecord(sum(found[cause]), len(found[cause])) for cause in sorted(found)}


def as_toml(found: Mapping[str, TrackRecord]) -> str:
    """The table that the diagnosis reads."""
    rows = (f"\n[{cause}]\nright = {each.right}\nnamed = {each.named}\n" for cause, each in found.items())
    return HEAD + "".join(rows)


def reliability_table(results: Sequence[Mapping[str, Any]]) -> str:
    """What the records of the other tasks promise for a call, beside how often such calls were right."""
    made = calls(results)
    if not made:
        return ""
    told = [(_chance(cause, [other for other in made if other[0] != task]), right) for task, cause, right in made]
    lines = [
        "### How far the first cause can be relied on\n",
        "What a warning or worse named first, beside the record of that cause in the other tasks, to which four runs "
        "with the rate of all causes are added. Runs that were set aside count where they have a fault; in a healthy "
        "run any cause is wrong.\n",
        "| promised | calls | promised, mean | right |",
        "|---|---|---|---|",
    ]
    for low, high in pairwise(BINS):
        group = [(chance, right) for chance, right in told if low <= chance < high or (chance == high == BINS[-1])]
        if group:
            mean = sum(chance for chance, _ in group) / len(group)
            right = share(sum(right for _, right in group), len(group))
            lines.append(f"| {low:.2f} to {high:.2f} | {len(group)} | {mean:.2f} | {right} |")
    lines += ["\n| cause | right where it was named first |", "|---|---|"]
    lines += [f"| `{cause}` | {share(each.right, each.named)} |" for cause, each in records(made).items()]
    return "\n".join([*lines, ""])


def _chance(cause: str, others: Sequence[Call]) -> float:
    """How often a cause is right by these calls."""
    overall = sum(right for *_, right in others) / max(1, len(others))
    own = [right for _, named, right in others if named == cause]
    return (sum(own) + PRIOR * overall) / (len(own) + PRIOR)


def _is_right(result: Mapping[str, Any]) -> bool:
    fault, first = result["cell"]["fault"], result["causes"][0]["cause"]
    return bool(fault) and first in read_expected()[fault].causes_with(result["cell"]["algorithm"])
