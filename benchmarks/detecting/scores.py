"""Scores of judged runs: detection, naming and delay for faults; false alarms on healthy steps."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.detecting.expected import read_expected
from benchmarks.detecting.intervals import t_test

Result = Mapping[str, Any]
"""One judged run as of `Judged.to_dict`, with `peers` and `fixed` where other monitors ran or a fix was tried."""

ALARMS = frozenset({"warning", "critical"})
SILENT_P = 0.01
_LEAST_HEALTHY = 4
"""Healthy runs of the same algorithm and task that it takes to call a fault silent."""


@dataclass(frozen=True, slots=True)
class Score:
    """How one sick run was diagnosed from its onset on.

    `delay` counts steps from the onset to the first correct alarm. `alarms` are the causes at warning or above and the
    rules at that level that no cause explains.
    """

    result: Result
    is_found: bool
    delay: int | None
    cause_rank: int | None
    alarms: int
    flaps: int
    is_silent: bool | None

    @property
    def fault(self) -> str:
        return str(self.result["cell"]["fault"])


@dataclass(frozen=True, slots=True)
class FalseAlarms:
    """Episodes on healthy steps, over `runs` runs with `steps` steps in total."""

    runs: int
    steps: int
    warnings: tuple[tuple[str, str], ...]
    criticals: tuple[tuple[str, str], ...]


def score_sick_runs(results: Sequence[Result]) -> list[Score]:
    """The score of each sick run, in the order given."""
    silent = _silent_faults(results)
    return [_score(result, silent.get(_group(result))) for result in results if is_sick(result)]


def is_sick(result: Result) -> bool:
    return result["cell"]["fault"] is not None


def false_alarms(results: Iterable[Result]) -> FalseAlarms:
    """Episodes at warning or above in healthy runs."""
    healthy = [result for result in results if not is_sick(result)]
    return _false_alarms(healthy, {result["name"]: math.inf for result in healthy})


def early_alarms(results: Iterable[Result]) -> FalseAlarms:
    """Episodes at warning or above before the onset of faults that are switched on mid-run."""
    later = [result for result in results if is_sick(result) and result["cell"]["onset"] > 1]
    return _false_alarms(later, {result["name"]: result["cell"]["onset"] for result in later})


def peer_is_right(result: Result, peer: str) -> bool:
    """Whether another package reported a finding that counts as correct for the run's fault."""
    return bool(set(result["peers"][peer]) & read_expected()[result["cell"]["fault"]].peers[peer])


def _false_alarms(runs: Sequence[Result], until: Mapping[str, float]) -> FalseAlarms:
    seen = [
        (str(episode["severity"]), str(result["name"]), str(episode["rule"]))
        for result in runs
        for episode in result["episodes"]
        if episode["first_step"] < until[result["name"]]
    ]
    return FalseAlarms(
        runs=len(runs),
        steps=int(sum(min(result["cell"]["steps"], until[result["name"]] - 1) for result in runs)),
        warnings=tuple((name, rule) for severity, name, rule in seen if severity == "warning"),
        criticals=tuple((name, rule) for severity, name, rule in seen if severity == "critical"),
    )


def _score(result: Result, is_silent: bool | None) -> Score:
    expected, onset = read_expected()[result["cell"]["fault"]], result["cell"]["onset"]
    since = [episode for episode in result["episodes"] if episode["first_step"] >= onset]
    alarms = [episode for episode in since if episode["severity"] in ALARMS]
    counted = [episode for episode in since if episode["severity"] in expected.alarms]
    right = [episode["first_step"] for episode in counted if episode["rule"] in expected.rules]
    right_causes = expected.causes_with(result["cell"]["algorithm"])
    ranks = [rank for rank, cause in enumerate(causes_in_reading_order(result), start=1) if cause in right_causes]
    return Score(
        result=result,
        is_found=bool(right),
        delay=min(right) - onset if right else None,
        cause_rank=min(ranks, default=None),
        alarms=_shown_alarms(result),
        flaps=sum(count - 1 for count in Counter(episode["rule"] for episode in alarms).values()),
        is_silent=is_silent,
    )


def causes_in_reading_order(result: Result) -> list[str]:
    """The causes in report order: the first, its rivals, then the others."""
    in_order = [name for cause in result["causes"] for name in (cause["cause"], *cause.get("rivals", ()))]
    return list(dict.fromkeys(in_order))


def _shown_alarms(result: Result) -> int:
    causes = [cause for cause in result["causes"] if cause["severity"] in ALARMS]
    explained = {rule for cause in result["causes"] for rule in cause["outcomes"]}
    alone = [rule for rule, level in result["fired"].items() if level in ALARMS and rule not in explained]
    return len(causes) + len(alone)


def _group(result: Result) -> tuple[Any, ...]:
    cell = result["cell"]
    return cell["algorithm"], cell["task"], cell["fault"], cell["onset"] > 1


def _silent_faults(results: Sequence[Result]) -> dict[tuple[Any, ...], bool | None]:
    """Per fault and task, whether no metric's mean differs from the healthy runs'; None with too few healthy runs."""
    groups: dict[tuple[Any, ...], list[Result]] = defaultdict(list)
    for result in results:
        groups[_group(result)].append(result)
    healthy = {key[:2]: runs for key, runs in groups.items() if key[2] is None}
    return {key: _is_silent(sick, healthy.get(key[:2], [])) for key, sick in groups.items() if key[2] is not None}


def _is_silent(sick: Sequence[Result], healthy: Sequence[Result]) -> bool | None:
    if len(healthy) < _LEAST_HEALTHY:
        return None
    metrics = set.union(*(set(result["means"]) for result in sick))
    return not any(_differs(metric, sick, healthy) for metric in metrics)


def _differs(metric: str, sick: Sequence[Result], healthy: Sequence[Result]) -> bool:
    ours, theirs = ([run["means"][metric] for run in runs if metric in run["means"]] for runs in (sick, healthy))
    usual = [value for value in theirs if math.isfinite(value)]
    if len(usual) < _LEAST_HEALTHY:
        return False
    return not all(map(math.isfinite, ours)) or t_test(ours, usual) < SILENT_P
