"""The Markdown tables of the detection benchmark."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from pathlib import Path
from statistics import median

from benchmarks.detecting.cells import values_of_seed
from benchmarks.detecting.expected import PEERS
from benchmarks.detecting.intervals import poisson_upper, wilson
from benchmarks.detecting.scores import (
    FalseAlarms,
    Result,
    Score,
    early_alarms,
    false_alarms,
    is_sick,
    peer_is_right,
    score_sick_runs,
)

TOP = 3
ALGORITHMS = ("ppo", "grpo", "rloo", "ppo_step")
PINNED = Path(__file__).parents[1] / "peers-requirements.txt"


def part_page(part: str, results: Sequence[Result], planned: int) -> str:
    """All tables of one part; `planned` is its total number of cells."""
    found = score_sick_runs(results)
    pieces = [
        f"## The {part} part: {len(results)} of {planned} planned runs\n",
        _age(results),
        _summary(found, results),
        "### Fault by fault\n",
        fault_table(found),
        missed_section(found),
        _silent_list(found),
        "### False alarms\n",
        _false_table(results),
        peer_table(results),
        _fix_table(results),
    ]
    return "\n".join(piece for piece in pieces if piece)


def _age(results: Sequence[Result]) -> str:
    before = sum(map(_was_judged_before, results))
    return f"Judged before, by an earlier version of rules and causes: {before} of these.\n" if before else ""


def share(hits: int, n: int) -> str:
    """A share with its 95 % interval: `0.90 [0.60, 0.98] (9/10)`."""
    low, high = wilson(hits, n)
    return f"{hits / n:.2f} [{low:.2f}, {high:.2f}] ({hits}/{n})" if n else "–"


def _summary(found: Sequence[Score], results: Sequence[Result]) -> str:
    given = sorted({value for each in found for value in _given(each)})
    groups = {
        "all faults": found,
        "without silent ones": [each for each in found if not each.is_silent],
        "the documents'": [each for each in found if each.result["documents"]],
        "from the start": [each for each in found if each.result["cell"]["onset"] == 1],
        "switched on later": [each for each in found if each.result["cell"]["onset"] > 1],
        **{f"`{value}`": [each for each in found if value in _given(each)] for value in given},
    }
    rows: dict[str, Callable[[Sequence[Score]], str]] = {
        "recall: a right rule at warning or above": lambda group: share_of(group, is_found),
        "cause: the first one is right": lambda group: share_of(group, _is_first),
        f"cause: one of the first {TOP} is right": lambda group: share_of(group, is_named),
        "delay from onset, median steps (range)": delay,
        "alarms per incident, mean": alarms_per_incident,
        "flaps per run, mean": flaps,
    }
    groups = {name: group for name, group in groups.items() if group or group is found}
    lines = [f"| | {' | '.join(groups)} |", f"|---|{'---|' * len(groups)}"]
    lines += [f"| {name} | {' | '.join(map(say, groups.values()))} |" for name, say in rows.items()]
    return "\n".join([*lines, f"\nTraining took {_effort(results)}.\n"])


def _effort(results: Sequence[Result]) -> str:
    """The CPU time of the trainings, and where their results tell it the machines: `35 CPU minutes (a processor)`."""
    minutes = sum(result["cpu_seconds"] for result in results) / 60
    machines = "; ".join(sorted({result["machine"] for result in results if result.get("machine")}))
    return f"{minutes:.0f} CPU minutes{f' ({machines})' if machines else ''}"


def _given(each: Score) -> list[str]:
    """The values that all runs of its seed were given."""
    cell = each.result["cell"]
    return [str(value) for value in values_of_seed(cell["part"], cell["seed"]).values()]


def is_found(each: Score) -> bool:
    return each.is_found


def is_named(each: Score) -> bool:
    return each.cause_rank is not None and each.cause_rank <= TOP


def share_of(group: Sequence[Score], holds: Callable[[Score], bool]) -> str:
    return share(sum(map(holds, group)), len(group))


def delay(group: Sequence[Score]) -> str:
    delays = [each.delay for each in group if each.delay is not None]
    return f"{median(delays):g} ({min(delays)} to {max(delays)})" if delays else "–"


def alarms_per_incident(group: Sequence[Score]) -> str:
    alarms = [each.alarms for each in group if each.is_found]
    return f"{sum(alarms) / len(alarms):.1f}" if alarms else "–"


def flaps(group: Sequence[Score]) -> str:
    return f"{sum(each.flaps for each in group) / len(group):.2f}" if group else "–"


def fault_table(found: Sequence[Score]) -> str:
    lines = [
        "| fault | recall | top-1 | top-3 | delay | alarms | named instead |",
        "|---|---|---|---|---|---|---|",
    ]
    for fault, group in groupby(sorted(found, key=_fault), key=_fault):
        lines.append(_fault_row(fault, list(group)))
    return "\n".join([*lines, ""])


def _fault(each: Score) -> str:
    return each.fault


def _fault_row(fault: str, group: Sequence[Score]) -> str:
    low, high = wilson(sum(each.is_found for each in group), len(group))
    top_1, top_3 = sum(each.cause_rank == 1 for each in group), sum(map(is_named, group))
    instead = sorted({_first_cause(each) for each in group if each.cause_rank != 1})
    cells = (
        f"`{fault}`",
        f"{sum(each.is_found for each in group)}/{len(group)} [{low:.2f}, {high:.2f}]",
        f"{top_1}/{len(group)}",
        f"{top_3}/{len(group)}",
        delay(group),
        alarms_per_incident(group),
        ", ".join(instead),
    )
    return f"| {' | '.join(cells)} |"


def _first_cause(each: Score) -> str:
    return f"`{each.result['causes'][0]['cause']}`" if each.result["causes"] else "none"


def missed_section(found: Sequence[Score]) -> str:
    missed = [each for each in found if not each.is_found]
    if not missed:
        return ""
    lines = [
        "Missed, with what was said instead, and what each rule that should have found it says of the whole run:\n"
    ]
    for each in missed:
        fired = ", ".join(f"`{rule}` ({level})" for rule, level in each.result["fired"].items()) or "nothing"
        lines.append(f"- {each.result['name']}{' (silent)' if each.is_silent else ''}: {fired}")
        lines += [f"  - `{rule}`: {why}" for rule, why in each.result.get("why", {}).items()]
    return "\n".join([*lines, ""])


def _silent_list(found: Sequence[Score]) -> str:
    silent = sorted({each.result["name"].rpartition("-")[0] for each in found if each.is_silent})
    unknown = sum(each.is_silent is None for each in found)
    sentence = f"Silent (no logged metric differs from the healthy runs at p < 0.01): {', '.join(silent) or 'none'}."
    return f"{sentence}{f' For {unknown} runs there are too few healthy ones to tell.' if unknown else ''}\n"


def _is_first(each: Score) -> bool:
    return each.cause_rank == 1


def _false_table(results: Sequence[Result]) -> str:
    lines = ["| on | runs | steps | warnings per run | criticals per run | which |", "|---|---|---|---|---|---|"]
    for name, alarms in (("healthy runs", false_alarms), ("steps before a later onset", early_alarms)):
        lines += [false_row(f"{name}{by}", alarms(judged)) for by, judged in _by_rules(results)]
    return "\n".join([*lines, "\nIn brackets the 95 % upper bound of a Poisson rate.\n"])


def _by_rules(results: Sequence[Result]) -> list[tuple[str, Sequence[Result]]]:
    """The results of the present rules and those of earlier ones, each with words for which they are."""
    now = [result for result in results if not _was_judged_before(result)]
    before = [result for result in results if _was_judged_before(result)]
    if not now or not before:
        return [("", results)]
    return [(", by these rules and causes", now), (", judged before", before)]


def _was_judged_before(result: Result) -> bool:
    return bool(result.get("judged_before", False))


def false_row(name: str, alarms: FalseAlarms) -> str:
    which = sorted({f"`{rule}` in {run}" for run, rule in (*alarms.criticals, *alarms.warnings)})
    cells = (
        name,
        str(alarms.runs),
        str(alarms.steps),
        rate_per_run(len(alarms.warnings), alarms.runs),
        rate_per_run(len(alarms.criticals), alarms.runs),
        "; ".join(which) or "none",
    )
    return f"| {' | '.join(cells)} |"


def rate_per_run(events: int, runs: int) -> str:
    return f"{events / runs:.3f} [≤ {poisson_upper(events, runs):.3f}] ({events})" if runs else "–"


def _fix_table(results: Sequence[Result]) -> str:
    tried = [result for result in results if result.get("fixed")]
    if not tried:
        return ""
    settable = [result for result in tried if result["fixed"]["outcome"] != "no-setting"]
    recovered = [result for result in settable if result["fixed"]["outcome"] == "recovers"]
    lines = [
        f"### What the suggested fix does, on {len(tried)} runs that were sick from the start\n",
        "Each was trained again with `rlvitals train --from RUN --apply-fixes`, and recovers where its sign is gone.\n",
        f"- the suggestion is a setting: {share(len(settable), len(tried))}",
        f"- of these, the run recovers: {share(len(recovered), len(settable))}\n",
        "| run | changed | outcome | still fires |",
        "|---|---|---|---|",
        *map(_fix_row, tried),
    ]
    return "\n".join([*lines, ""])


def _fix_row(result: Result) -> str:
    fixed = result["fixed"]
    changes = ", ".join(f"`{name} {value}`" for name, value in fixed["changes"].items()) or "–"
    still = ", ".join(f"`{rule}`" for rule in fixed["still"]) or "–"
    return f"| {result['name']} | {changes} | {fixed['outcome']} | {still} |"


def peer_table(results: Sequence[Result]) -> str:
    asked = [result for result in results if result.get("peers")]
    if not asked:
        return ""
    sick, healthy = ([r for r in asked if is_sick(r) is wanted] for wanted in (True, False))
    mine = score_sick_runs(sick)
    algorithms = [name for name in ALGORITHMS if any(result["cell"]["algorithm"] == name for result in sick)]
    lines = [
        f"### Beside other packages, on {len(sick)} sick and {len(healthy)} healthy runs\n",
        f"| | right finding | {' | '.join(map(str.upper, algorithms))} "
        "| healthy runs with a warning | with a critical |",
        f"|{'---|' * (len(algorithms) + 4)}",
        _peer_row("rlvitals", [(each.result, each.is_found) for each in mine], _levels_of_ours(healthy), algorithms),
    ]
    for peer in PEERS:
        levels = [set(result["peers"][peer].values()) for result in healthy]
        found = [(result, peer_is_right(result, peer)) for result in sick]
        lines.append(_peer_row(f"{peer} {pinned_version(peer)}", found, levels, algorithms))
    return "\n".join([*lines, ""])


def pinned_version(peer: str) -> str:
    """The version pinned for the peers' environment."""
    lines = PINNED.read_text("utf-8").splitlines()
    return next(line.partition("==")[2] for line in lines if line.startswith(f"{peer}=="))


def _levels_of_ours(healthy: Iterable[Result]) -> list[set[str]]:
    return [{episode["severity"] for episode in result["episodes"]} for result in healthy]


def _peer_row(
    name: str, judged: Sequence[tuple[Result, bool]], levels: Sequence[set[str]], algorithms: Sequence[str]
) -> str:
    per_algorithm = [
        [right for result, right in judged if result["cell"]["algorithm"] == algorithm] for algorithm in algorithms
    ]
    warned, critical = (sum(bool(found & of) for found in levels) for of in ({"warning", "critical"}, {"critical"}))
    cells = (
        name,
        share(sum(right for _, right in judged), len(judged)),
        *(share(sum(group), len(group)) for group in per_algorithm),
        f"{warned}/{len(levels)}",
        f"{critical}/{len(levels)}",
    )
    return f"| {' | '.join(cells)} |"
