"""The Markdown page of agreement on public logs: both parts in sums, the known part log by log."""

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median

from benchmarks.detecting.intervals import poisson_upper
from benchmarks.detecting.report import share
from benchmarks.public_logs.agreement import Judged, of
from benchmarks.public_logs.diagnosing import ALARMS
from benchmarks.public_logs.readers import JUDGEMENTS, agreement_of_readers
from benchmarks.public_logs.table import PARTS, PublicLog

Results = Sequence[Judged]


def tables(logs: Sequence[PublicLog], results: Results) -> str:
    """All tables; `logs` are all that the committed table names, at hand or not."""
    by_part = {part: [result for result in results if result.log.part == part] for part in PARTS}
    pieces = [
        _missing(logs, results),
        _summary(by_part | {"both": results}),
        agreement_of_readers(logs),
        *(_by_producer(part, by_part[part]) for part in PARTS),
        _gaps(_opened(of(by_part["known"], "healthy"))),
        _single_logs(by_part["known"]),
    ]
    return "\n".join(piece for piece in pieces if piece)


def _missing(logs: Sequence[PublicLog], results: Results) -> str:
    missing = len(logs) - len(results)
    return f"{missing} of the {len(logs)} logs were not at hand.\n" if missing else ""


def _summary(groups: dict[str, Results]) -> str:
    rows: dict[str, Callable[[Results], str]] = {
        "logs, of repositories": lambda group: f"{len(group)}, {len({each.log.repository for each in group})}",
        f"count as {' · '.join(JUDGEMENTS)}": _counts,
        "opened": lambda group: share(sum(each.is_opened for each in group), len(group)),
        "recall: a right rule at warning or above": _recall,
        "recall, of the logs that are opened": lambda group: _recall(_opened(group)),
        "steps from the judged onset to the right alarm, median (range)": _delay,
        "cause: the first one is right": _named,
        "cause, of the logs that are opened": lambda group: _named(_opened(group)),
        "cause: right for one of the two readers": _named_by_either,
        "healthy runs with a false alarm": _with_false_alarm,
        "false criticals per healthy run": lambda group: _rate(group, "critical"),
        "false warnings per healthy run": lambda group: _rate(group, "warning"),
        "healthy runs called healthy": lambda group: _called(of(group, "healthy"), "healthy"),
        "healthy runs with notes alone": lambda group: _called(of(group, "healthy"), "info"),
        "healthy runs whose log lacks a vital check": _lacking,
        "logs without RL called healthy": lambda group: _called(of(group, "no-rl"), "healthy"),
        "logs without RL said to hold none": lambda group: _called(of(group, "no-rl"), "not-rl"),
    }
    lines = [f"| | {' | '.join(groups)} |", f"|---|{'---|' * len(groups)}"]
    lines += [f"| {name} | {' | '.join(map(say, groups.values()))} |" for name, say in rows.items()]
    note = "\nIn brackets 95 % intervals (Wilson), behind a rate the 95 % upper bound of a Poisson rate.\n"
    return "\n".join(["## Agreement\n", *lines, note])


def _counts(group: Results) -> str:
    return " · ".join(str(len(of(group, judged))) for judged in JUDGEMENTS)


def _recall(group: Results) -> str:
    return share(sum(each.is_found for each in of(group, "sick")), len(of(group, "sick")))


def _named(group: Results) -> str:
    asked = [each for each in of(group, "sick") if each.log.causes]
    return share(sum(each.is_named for each in asked), len(asked))


def _named_by_either(group: Results) -> str:
    asked = [each for each in of(group, "sick") if each.log.causes]
    return share(sum(each.is_named_by_either for each in asked), len(asked))


def _opened(group: Results) -> list[Judged]:
    return [each for each in group if each.is_opened]


def _delay(group: Results) -> str:
    delays = [each.delay for each in of(group, "sick") if each.delay is not None]
    return f"{median(delays):g} ({min(delays)} to {max(delays)})" if delays else "–"


def _with_false_alarm(group: Results) -> str:
    quiet = _opened(of(group, "healthy"))
    return share(sum(bool(each.false_alarms) for each in quiet), len(quiet))


def _rate(group: Results, severity: str) -> str:
    quiet = _opened(of(group, "healthy"))
    events = sum(alarm.severity == severity for each in quiet for alarm in each.false_alarms)
    return f"{events / len(quiet):.2f} (< {poisson_upper(events, len(quiet)):.2f})" if quiet else "–"


def _called(group: Results, verdict: str) -> str:
    return share(sum(each.said.verdict == verdict for each in group), len(group))


def _lacking(group: Results) -> str:
    quiet = _opened(of(group, "healthy"))
    return share(sum(bool(each.said.missing) for each in quiet), len(quiet))


def _gaps(quiet: Results) -> str:
    """How many logs of healthy runs lack what a vital check needs, by producer: such a run is not called healthy."""
    producers = sorted({each.log.producer for each in quiet})
    counts = Counter((check, each.log.producer) for each in quiet for check in each.said.missing)
    lines = [
        "### What the logs of healthy runs lack, known part\n",
        "A run is called healthy where all vital checks ran and nothing fired, not even a note.\n",
        f"| vital check | {' | '.join(producers)} |",
        f"|---|{'---|' * len(producers)}",
    ]
    lines += [
        f"| {check} | {' | '.join(str(counts[check, producer]) for producer in producers)} |"
        for check in dict.fromkeys(check for check, _ in sorted(counts))
    ]
    return "\n".join([*lines, ""]) if counts else ""


def _by_producer(part: str, results: Results) -> str:
    lines = [
        f"### By producer, {part} part\n",
        "| producer | logs | opened | sick | found | first cause right | healthy | with a false critical "
        "| with a false warning |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for producer in sorted({each.log.producer for each in results}):
        group = [each for each in results if each.log.producer == producer]
        lines.append(f"| {producer} | {' | '.join(map(str, _producer_row(group)))} |")
    return "\n".join([*lines, ""])


def _producer_row(group: Results) -> tuple[int, ...]:
    sick, quiet = of(group, "sick"), _opened(of(group, "healthy"))
    severities = [{alarm.severity for alarm in each.false_alarms} for each in quiet]
    return (
        len(group),
        sum(each.is_opened for each in group),
        len(sick),
        sum(each.is_found for each in sick),
        sum(each.is_named for each in sick),
        len(of(group, "healthy")),
        *(sum(severity in found for found in severities) for severity in reversed(ALARMS)),
    )


def _single_logs(results: Results) -> str:
    lines = [
        "## The known part, log by log\n",
        "| log | producer, format | judged | verdict and first cause | alarms, from step | disagreement |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *map(_row, results), ""])


def _row(result: Judged) -> str:
    log, said = result.log, result.said
    judged = f"{log.judged} from {log.since}: {log.why}" if log.since is not None else f"{log.judged}: {log.why}"
    if log.second and log.counts_as != log.judged:
        judged += f" (to the second reader {log.second.judged})"
    verdict = f"{said.verdict}, `{said.cause}`" if said.cause else f"{said.verdict} {said.error}".strip()
    trainings = f" ({said.runs} trainings)" if said.runs > 1 else ""
    alarms = ", ".join(f"`{alarm.rule}` {alarm.severity} {alarm.first_step}" for alarm in said.alarms)
    cells = (log.name, f"{log.producer}, {log.format}", judged, verdict + trainings, alarms, result.disagreement)
    return f"| {' | '.join(cell.replace('|', '∣') for cell in cells)} |"
