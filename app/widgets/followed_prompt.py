"""One prompt followed through the training: the prompts that a run asked more than once, and the answers to one."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from diagnostics.model.run import Run
from diagnostics.model.samples import Sample

_MOST_STEPS = 60  # of a run that are searched for a prompt, evenly spread, with those at which it follows prompts
_MOST_ANSWERS = 200


def searched_steps(run: Run, current: int) -> list[int]:
    """The steps whose samples are searched for a prompt, in order: all of a short run, some of a long one."""
    steps = run.samples.steps
    if len(steps) <= _MOST_STEPS:
        return list(steps)
    spread = (steps[round(place * (len(steps) - 1) / (_MOST_STEPS - 1))] for place in range(_MOST_STEPS))
    followed = run.samples.followed_steps[-_MOST_STEPS:]
    return sorted({*spread, *followed, current})


def repeated_queries(run: Run, steps: Sequence[int], known: dict[int, frozenset[str]]) -> frozenset[str]:
    """The prompts that were answered at more than one of these steps.

    Args:
        known: The prompts of steps that were searched before; the newest step is not kept, since it may grow.
    """
    for step in steps:
        if step not in known:
            known[step] = frozenset(sample.query for sample in run.samples.at(step))
    counts = Counter(chain.from_iterable(known[step] for step in steps))
    known.pop(run.samples.steps[-1], None)
    return frozenset(query for query, count in counts.items() if count > 1)


def answers_to(run: Run, query: str, steps: Sequence[int]) -> list[tuple[int, Sample]]:
    """The answers to a prompt at these steps, the earliest first, each with its row among the samples of its step."""
    found = (
        (row, sample) for step in steps for row, sample in enumerate(run.samples.at(step)) if sample.query == query
    )
    return [item for item, _ in zip(found, range(_MOST_ANSWERS), strict=False)]
