"""How far the two readers of the public logs agree: with people at odds, no diagnosis can be right."""

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from benchmarks.detecting.report import share
from benchmarks.public_logs.table import PARTS, Judgement, PublicLog, Reading

JUDGEMENTS: tuple[Judgement, ...] = get_args(Judgement)

_Pair = tuple[PublicLog, Reading]


def agreement_of_readers(logs: Sequence[PublicLog]) -> str:
    """The section of the page; empty where no log has a second reading."""
    pairs = _read_twice(logs)
    if not pairs:
        return ""
    groups = {part: _read_twice([log for log in logs if log.part == part]) for part in PARTS} | {"both": pairs}
    rows = {
        "logs that both have read": lambda group: str(len(group)),
        "judged alike": _alike,
        "Cohen's kappa": _kappa,
        "of those one calls sick, the other calls healthy": _opposed,
        "sick to both: they share a right first cause": _sharing,
    }
    lines = [f"| | {' | '.join(groups)} |", f"|---|{'---|' * len(groups)}"]
    lines += [f"| {name} | {' | '.join(map(say, groups.values()))} |" for name, say in rows.items()]
    return "\n".join(["## How far two readers agree\n", *lines, "", *_table(pairs), ""])


def _read_twice(logs: Sequence[PublicLog]) -> list[_Pair]:
    return [(log, log.second) for log in logs if log.second]


def _alike(pairs: Sequence[_Pair]) -> str:
    return share(sum(first.judged == second.judged for first, second in pairs), len(pairs))


def _kappa(pairs: Sequence[_Pair]) -> str:
    """Agreement beyond chance, from 0 (chance) to 1: J. Cohen, A coefficient of agreement for nominal scales, 1960."""
    if not pairs:
        return "–"
    firsts, seconds = Counter(first.judged for first, _ in pairs), Counter(second.judged for _, second in pairs)
    by_chance = sum(firsts[judged] * seconds[judged] for judged in JUDGEMENTS) / len(pairs) ** 2
    observed = sum(first.judged == second.judged for first, second in pairs) / len(pairs)
    return f"{(observed - by_chance) / (1 - by_chance):.2f}" if by_chance < 1 else "–"


def _opposed(pairs: Sequence[_Pair]) -> str:
    judged = [{first.judged, second.judged} for first, second in pairs]
    return share(judged.count({"sick", "healthy"}), sum("sick" in both for both in judged))


def _sharing(pairs: Sequence[_Pair]) -> str:
    """Of the logs that are sick to both, and for which both name causes."""
    named = [(set(first.causes), set(second.causes)) for first, second in pairs if first.causes and second.causes]
    return share(sum(bool(first & second) for first, second in named), len(named))


def _table(pairs: Sequence[_Pair]) -> list[str]:
    counts = Counter((first.judged, second.judged) for first, second in pairs)
    head = [f"| first reader | second: {' | '.join(JUDGEMENTS)} |", f"|---|{'---|' * len(JUDGEMENTS)}"]
    return head + [
        f"| {first} | {' | '.join(str(counts[first, second]) for second in JUDGEMENTS)} |" for first in JUDGEMENTS
    ]
