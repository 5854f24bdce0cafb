"""How often a cause that is named first is right, and whether that holds in tasks that it was not counted in."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from benchmarks.detecting.expected import read_expected
from benchmarks.detecting.report import share
from benchmarks.detecting.scores import ALARMS
from diagnostics.causes.track_record import TrackRecord

HEAD = """\
# How often each cause was right where it was named first, in a warning or worse, in the measured runs of
# docs/benchmarks/detection-trl.md that have a fault or came out healthy; among: it was, or a rival named beside it.
# Written by python -m benchmarks.detection_trl.
"""
PRIOR = 4
"""Runs with the rate of all causes that are added to those of each: few runs say little."""
BINS = (0.0, 0.5, 0.7, 0.85, 1.0)
"""Bounds of the chances that are shown together."""


class Call(NamedTuple):
    """What was named first in a run of a task: the cause, whether it was right, and whether it or a rival was."""

    task: str
    cause: str
    is_right: bool
    is_among: bool


def calls(results: Iterable[Mapping[str, Any]]) -> list[Call]:
    """What a warning or worse named first in each run of which it is known what is wrong: its fault, or nothing."""
    known = [each for each in results if each["cell"]["fault"] or each["label"] == "healthy"]
    named = [each for each in known if each["causes"] and each["causes"][0]["severity"] in ALARMS]
    return [_call(each) for each in named]


def records(made: Iterable[Call]) -> dict[str, TrackRecord]:
    """Cause → how often it was named, and right, in the order of their names."""
    found: defaultdict[str, list[Call]] = defaultdict(list)
    for call in made:
        found[call.cause].append(call)
    return {
        cause: TrackRecord(
            right=sum(call.is_right for call in found[cause]),
            among=sum(call.is_among for call in found[cause]),
            named=len(found[cause]),
        )
        for cause in sorted(found)
    }


def as_toml(found: Mapping[str, TrackRecord]) -> str:
    """The table that the diagnosis reads."""
    rows = (
        f"\n[{cause}]\nright = {each.right}\namong = {each.among}\nnamed = {each.named}\n"
        for cause, each in found.items()
    )
    return HEAD + "".join(rows)


def reliability_table(results: Sequence[Mapping[str, Any]]) -> str:
    """What the records of the other tasks promise for a call, beside how often such calls were right."""
    made = calls(results)
    if not made:
        return ""
    told = [(_chance(call.cause, [other for other in made if other.task != call.task]), call.is_right) for call in made]
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
    lines += ["\n| cause | right where it was named first | it or a rival named beside it |", "|---|---|---|"]
    lines += [
        f"| `{cause}` | {share(each.right, each.named)} | {share(each.among, each.named)} |"
        for cause, each in records(made).items()
    ]
    return "\n".join([*lines, ""])


def _chance(cause: str, others: Sequence[Call]) -> float:
    """How often a cause is right by these calls."""
    overall = sum(other.is_right for other in others) / max(1, len(others))
    own = [other.is_right for other in others if other.cause == cause]
    return (sum(own) + PRIOR * overall) / (len(own) + PRIOR)


def _call(result: Mapping[str, Any]) -> Call:
    cell, first = result["cell"], result["causes"][0]
    right = read_expected()[cell["fault"]].causes_with(cell["algorithm"]) if cell["fault"] else ()
    is_right = first["cause"] in right
    return Call(cell["task"], first["cause"], is_right, is_right or not set(right).isdisjoint(first.get("rivals", ())))
