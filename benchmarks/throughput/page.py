"""The page: how often the bottleneck is named, and how well the gain of removing it is predicted."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import numpy as np

from benchmarks.machine import machine
from benchmarks.throughput.judging import Judged
from benchmarks.throughput.layout import KINDS

CLOSE = 0.2


def page(found: Sequence[Judged], command: str, steps: int) -> str:
    """The whole page in Markdown."""
    return "\n".join(_lines(found, command, steps)) + "\n"


def _lines(found: Sequence[Judged], command: str, steps: int) -> Iterator[str]:
    yield from ("# Throughput", "")
    yield f"Printed by `{command}` on {datetime.now(UTC):%Y-%m-%d}; {machine()}."
    yield ""
    yield f"{len(found)} random trainings of {steps} steps, each a discrete-event simulation of rollout workers, a"
    yield "queue and a trainer that knows nothing of who judges it. Its log is written as a run directory, and read as"
    yield "any other. The truth is the same training simulated again without each stage: the bottleneck is the stage"
    yield "without which a step is shortest. A stage that gains at least 80 % as much is right as well, which concerns"
    yield f"{_ties(found)} trainings; in {_balanced(found)} no stage gains a twentieth of a step: naming none is right."
    yield "The speed-up is the time of a step over that without the named stage; where the log lacks backpressure, only"
    yield "a bound is given, and none is scored."
    yield ""
    named = Counter(one.named or "none" for one in found)
    yield f"Named: {', '.join(f'{name} {count}' for name, count in named.most_common())}."
    yield ""
    yield f"| kind | trainings | right | speed-ups predicted | within {CLOSE:.0%} | median error | worst verdict |"
    yield "|---|---:|---:|---:|---:|---:|---|"
    for kind in KINDS:
        yield _row(kind, [one for one in found if one.layout.kind == kind])
    yield _row("all", found)
    yield ""
    yield "“Grader inside”: answers are scored while others are still being written, so that the log times both as"
    yield "generation, and removing generation removes both. “Nearly equal”: an update about as long as the rollouts of"
    yield "a step take."
    yield ""
    yield "Real trainings of the bundled trainer that are slow in a known place have [a page](throughput-trainer.md)."
    wrong = [one for one in found if not one.is_right]
    if wrong:
        yield ""
        yield from (
            "| wrong | named | right | a step without the named | without the right |",
            "|---|---|---|---:|---:|",
        )
        yield from map(_mistake, wrong)


def share_right(found: Sequence[Judged]) -> float:
    """The share of trainings whose bottleneck was named."""
    return float(np.mean([one.is_right for one in found]))


def share_close(found: Sequence[Judged]) -> float:
    """The share of predicted speed-ups that are close; 1 where none was predicted."""
    errors = [one.error for one in found if one.error is not None]
    return float(np.mean([error <= CLOSE for error in errors])) if errors else 1.0


def _ties(found: Sequence[Judged]) -> int:
    return sum(len(one.right) > 1 for one in found)


def _balanced(found: Sequence[Judged]) -> int:
    return sum(not one.has_bottleneck for one in found)


def _row(kind: str, found: Sequence[Judged]) -> str:
    errors = [one.error for one in found if one.error is not None]
    right = sum(one.is_right for one in found)
    middle = f"{np.median(errors):.1%}" if errors else ""
    worst = max((one.worst for one in found if one.worst), key=lambda severity: severity.rank, default="none")
    return (
        f"| {kind} | {len(found)} | {right} ({share_right(found):.0%}) | {len(errors)} | {share_close(found):.0%} "
        f"| {middle} | {worst} |"
    )


def _mistake(one: Judged) -> str:
    best = min(one.times, key=lambda name: one.times[name])
    named = "" if one.named is None else f"{one.times[one.named]:.2f}×"
    return f"| {one.layout.kind} | {one.named or 'none'} | {', '.join(one.right)} | {named} | {one.times[best]:.2f}× |"
