"""The Markdown tables of detection on runs that TRL trained."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.detecting.expected import read_expected
from benchmarks.detecting.report import (
    TOP,
    alarms_per_incident,
    delay,
    false_row,
    fault_table,
    flaps,
    is_found,
    is_named,
    peer_table,
    share,
    share_of,
)
from benchmarks.detecting.scores import ALARMS, Result, Score, false_alarms, score_sick_runs
from benchmarks.trl_runs.forms import FOLDERS
from benchmarks.trl_runs.track_record import reliability_table
from benchmarks.trl_runs.unseen import leaves_no_sign, unseen_table
from diagnostics.rules import RUN_RULES
from diagnostics.rules.run.speed_rule import SpeedRule

_OF_SPEED = frozenset(rule.name for rule in RUN_RULES if isinstance(rule, SpeedRule))
FALSE_RATES = (0.05, 0.1, 0.2)
"""Shares of healthy runs with an alarm at which the detector that learns is shown."""
SILENT = "Silent: no logged metric differs from the healthy twin's at p < 0.001."
WITH_A_SIGN = (
    "Of faults with a sign: without those, found or not, that leave none with the run's algorithm and in its log, by "
    "the list at the end of this page."
)
PRODUCERS = {"grpo": "GRPO", "rloo": "RLOO", "ppo": "PPO", "ppo_step": "PPOTrainer.step"}


def part_page(part: str, results: Sequence[Result], planned: int) -> str:
    """All tables of one part; `planned` is its total number of cells. Single runs are shown of the tune part alone.

    Runs that an earlier version of rules and causes judged stand apart, behind those that today's did.
    """
    today, before = ([r for r in results if r.get("judged_before", False) is is_old] for is_old in (False, True))
    title = f"## The {part} part: {len(today or before)} of {planned} planned runs\n"
    pages = [_tables(part, title, today or before)]
    if today and before:
        pages.append(_tables(part, f"## The {part} part, by an earlier version: {len(before)} runs\n", before))
    return "\n".join(pages)


def _tables(part: str, title: str, results: Sequence[Result]) -> str:
    results = [without_speed(result) for result in results]
    found = scores(results)
    pieces = [
        title,
        _age(results),
        _labels(results),
        _summary(found),
        "### Healthy runs\n",
        _false_table(results),
        "### By producer, task, architecture, form of the log and device\n",
        "Each on its own, and what remains without it.\n",
        *(_grouped(results, field) for field in ("algorithm", "task", "architecture", "form", "device")),
        *([reliability_table(results)] if part == "measured" else ()),
        "### The same verdict from every form of the log\n",
        _agreement(results),
        peer_table([*(each.result for each in found), *map(_as_healthy, healthy(results))]),
        _beside_learning(found, healthy(results)),
        _beside_learned_causes([each for each in found if _has_alarm(each)]),
        *(_single_runs(found, results) if part == "tune" else ()),
    ]
    return "\n".join(piece for piece in pieces if piece)


def without_speed(result: Result) -> Result:
    """The result without what was found of its speed: that is the machine's, which trained other things as well."""
    episodes = [episode for episode in result["episodes"] if episode["rule"] not in _OF_SPEED]
    fired = {rule: level for rule, level in result["fired"].items() if rule not in _OF_SPEED}
    return {**result, "episodes": episodes, "fired": fired}


def scores(results: Iterable[Result]) -> list[Score]:
    """The score of each run that came out sick."""
    sick = [{**result, "means": {}} for result in results if result["label"] == "sick"]
    return [replace(each, is_silent=each.result["is_silent"]) for each in score_sick_runs(sick)]


def healthy(results: Iterable[Result]) -> list[Result]:
    """The runs that came out healthy."""
    return [result for result in results if result["label"] == "healthy"]


def _age(results: Sequence[Result]) -> str:
    before = sum(result.get("judged_before", False) for result in results)
    return f"Judged before, by an earlier version of rules and causes: {before} of these.\n" if before else ""


def _labels(results: Sequence[Result]) -> str:
    counts = Counter((result["label"], result["reason"]) for result in results)
    lines = ["| came out | because it | runs |", "|---|---|---|"]
    lines += [f"| {label} | {reason} | {count} |" for (label, reason), count in sorted(counts.items())]
    cpu = sum(result["cpu_seconds"] for result in results)
    return "\n".join([*lines, f"\nTraining took {cpu / 60:.0f} CPU minutes.\n"])


def _summary(found: Sequence[Score]) -> str:
    with_a_sign = _with_a_sign(found)
    groups = {
        "all sick runs": found,
        "without silent ones": [each for each in found if not each.is_silent],
        **with_a_sign,
        **{title: [s for s in found if s.result["cell"]["algorithm"] == name] for name, title in PRODUCERS.items()},
    }
    rows: dict[str, Callable[[Sequence[Score]], str]] = {
        "recall: a right rule at warning or above": lambda group: share_of(group, is_found),
        "any alarm at all": lambda group: share_of(group, _has_alarm),
        "cause: the first one is right": lambda group: share_of(group, _is_first),
        f"cause: one of the first {TOP} is right": lambda group: share_of(group, is_named),
        "delay from the start, median steps (range)": delay,
        "alarms per incident, mean": alarms_per_incident,
        "flaps per run, mean": flaps,
    }
    lines = [f"| | {' | '.join(groups)} |", f"|---|{'---|' * len(groups)}"]
    lines += [f"| {name} | {' | '.join(map(say, groups.values()))} |" for name, say in rows.items()]
    explained = f"{SILENT} {WITH_A_SIGN}" if with_a_sign else SILENT
    return "\n".join([*lines, f"\n{explained}\n"])


def _with_a_sign(found: Sequence[Score]) -> Mapping[str, Sequence[Score]]:
    """The column of faults that leave a sign; none where results were judged before what their logs held was noted."""
    if not all("held" in each.result for each in found):
        return {}
    seen = [each for each in found if not leaves_no_sign(each.result["cell"], each.result["held"])]
    return {"of faults with a sign": seen}


def _is_first(each: Score) -> bool:
    return each.cause_rank == 1


def _has_alarm(each: Score) -> bool:
    return any(episode["severity"] in ALARMS for episode in each.result["episodes"])


def _false_table(results: Sequence[Result]) -> str:
    quiet = [_as_healthy(result) for result in healthy(results)]
    aside = [_as_healthy(r) for r in results if r["label"] == "aside" and r["cell"]["fault"] is None]
    lines = ["| on | runs | steps | warnings per run | criticals per run |", "|---|---|---|---|---|"]
    for name, runs in (("healthy runs", quiet), ("healthy settings, set aside", aside)):
        lines.append(f"{false_row(name, false_alarms(runs)).rpartition(' | ')[0]} |")
    with_alarm = sum(any(e["severity"] in ALARMS for e in run["episodes"]) for run in quiet)
    return "\n".join(
        [
            *lines,
            "\nIn brackets the 95 % upper bound of a Poisson rate. "
            f"Healthy runs with an alarm at any time: {share(with_alarm, len(quiet))}.\n",
        ]
    )


def _as_healthy(result: Result) -> Result:
    return {**result, "cell": {**result["cell"], "fault": None}}


def _grouped(results: Sequence[Result], field: str) -> str:
    lines = [
        f"| {field} | sick | recall | first cause | healthy | with a warning | with a critical | without it: recall | "
        "first cause | healthy with an alarm |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for value in sorted({str(result["cell"][field]) for result in results}):
        own, rest = ([r for r in results if (r["cell"][field] == value) is wanted] for wanted in (True, False))
        lines.append(f"| {value} | {' | '.join([*_row(own), *_short_row(rest)])} |")
    return "\n".join([*lines, ""])


def _row(results: Sequence[Result]) -> list[str]:
    found, quiet = scores(results), healthy(results)
    return [
        str(len(found)),
        share_of(found, is_found),
        share_of(found, _is_first),
        str(len(quiet)),
        str(sum(_worst(run, ALARMS) for run in quiet)),
        str(sum(_worst(run, {"critical"}) for run in quiet)),
    ]


def _short_row(results: Sequence[Result]) -> list[str]:
    found, quiet = scores(results), healthy(results)
    alarmed = sum(_worst(run, ALARMS) for run in quiet)
    return [share_of(found, is_found), share_of(found, _is_first), f"{alarmed}/{len(quiet)}"]


def _worst(result: Result, levels: Iterable[str]) -> bool:
    return any(episode["severity"] in levels for episode in result["episodes"])


def _agreement(results: Sequence[Result]) -> str:
    """How often a form says what most forms of the same run say, and how often all say the same."""
    lines = [
        "| form | verdict as in most forms | first cause as in most forms | not judged or not read |",
        "|---|---|---|---|",
    ]
    for form in FOLDERS:
        having = [r for r in results if form in r["forms"]]
        same = {what: sum(r["forms"][form][what] == _usual(r, what) for r in having) for what in ("verdict", "cause")}
        blind = sum(r["forms"][form]["verdict"] in ("not-judged", "unreadable") for r in having)
        both = " | ".join(share(same[what], len(having)) for what in ("verdict", "cause"))
        lines.append(f"| {form} | {both} | {blind}/{len(having)} |")
    alike = sum(len({found["verdict"] for found in result["forms"].values()}) == 1 for result in results)
    alarmed = sum(len({found["verdict"] in ALARMS for found in result["forms"].values()}) == 1 for result in results)
    compared = [result for result in results if all("worst" in found for found in result["forms"].values())]
    same = sum(len({found["worst"] for found in result["forms"].values()}) == 1 for result in compared)
    told = (
        f"\nAll forms of a run give the same verdict: {share(alike, len(results))}. All or none raise an alarm, a "
        f"warning or worse: {share(alarmed, len(results))}. They do not hold the same: not each has settings and"
        " answers. The rules that all forms of a run let run find the same in each, or nothing: "
        f"{share(same, len(compared))}.\n"
    )
    return "\n".join([*lines, told])


def _usual(result: Result, what: str) -> Any:
    return Counter(found[what] for found in result["forms"].values()).most_common(1)[0][0]


def _beside_learning(found: Sequence[Score], quiet: Sequence[Result]) -> str:
    """What a detector that learns finds at several rates of false alarms, one of them that of rlvitals."""
    rows = [*(each.result for each in found), *quiet]
    if not rows or not all("learned" in row for row in rows):
        return ""
    ours, alarmed = sum(map(_has_alarm, found)), sum(_worst(run, ALARMS) for run in quiet)
    lines = [
        f"### Beside a detector that learns, on {len(found)} sick and {len(quiet)} healthy runs\n",
        "A random forest, grown on the labels of these runs, judges those of tasks that it has not seen, from the "
        "logged numbers of whole runs (`benchmarks/trl_runs/learned.py`). It tells neither cause nor step.\n",
        "| | healthy runs with an alarm | sick runs with an alarm |",
        "|---|---|---|",
        f"| rlvitals | {share(alarmed, len(quiet))} | {share(ours, len(found))} |",
    ]
    highest = sorted((run["learned"] for run in quiet), reverse=True)
    for false in sorted({alarmed, *(round(rate * len(quiet)) for rate in FALSE_RATES)}):
        bar = highest[false] if false < len(highest) else -1.0
        right = sum(each.result["learned"] > bar for each in found)
        lines.append(f"| learned | {share(false, len(quiet))} | {share(right, len(found))} |")
    bar = highest[alarmed] if alarmed < len(highest) else -1.0
    shown = [each for each in found if each.result["learned"] > bar]
    told = (
        f"\nWhere it alarms in as many healthy runs as rlvitals, it shows {len(shown)} sick ones by numbers alone. "
        f"rlvitals alarms in {share_of(shown, _has_alarm)} of these, and is right about {share_of(shown, is_found)}.\n"
    )
    return "\n".join([*lines, told])


def _beside_learned_causes(found: Sequence[Score]) -> str:
    """How often a cause that is learned from the same findings is right."""
    if not found or not all("learned_cause" in each.result for each in found):
        return ""
    lines = [
        f"### Beside causes that are learned, on {len(found)} sick runs with an alarm\n",
        "A logistic regression learns from the faulty runs of other tasks which cause goes with which rules, and how "
        "gravely they fired (`benchmarks/trl_runs/learned_causes.py`).\n",
        "| causes | the first one is right |",
        "|---|---|",
        f"| ranked by rlvitals | {share_of(found, _is_first)} |",
        f"| learned from other tasks | {share_of(found, _learns_the_right_cause)} |",
    ]
    return "\n".join([*lines, ""])


def _learns_the_right_cause(each: Score) -> bool:
    cell = each.result["cell"]
    return each.result["learned_cause"] in read_expected()[cell["fault"]].causes_with(cell["algorithm"])


def _single_runs(found: Sequence[Score], results: Sequence[Result]) -> list[str]:
    return [
        "### Fault by fault\n",
        fault_table(found),
        _listed("Missed", [each.result for each in found if not each.is_found]),
        _listed("Another cause first", [e.result for e in found if e.is_found and e.cause_rank != 1]),
        _listed("Alarms in healthy runs", [run for run in healthy(results) if _worst(run, ALARMS)]),
        unseen_table(),
    ]


def _listed(title: str, runs: Sequence[Result]) -> str:
    if not runs:
        return ""
    lines = [f"{title}, with what was said:\n"]
    for run in runs:
        seen = Counter(f"`{e['rule']}` ({e['severity']})" for e in run["episodes"] if e["severity"] in ALARMS)
        causes = ", ".join(f"`{cause['cause']}`" for cause in run["causes"]) or "no cause"
        lines.append(f"- {run['name']} ({run['cell']['form']}): {causes}; {', '.join(seen) or 'no alarm'}")
        lines += [f"  - {sentence}" for sentence in run["said"]]
    return "\n".join([*lines, ""])
