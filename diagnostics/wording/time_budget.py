"""The time budget in words: what holds a run up, what a step would take without it, and what bounds that."""

from collections.abc import Iterator, Mapping

from diagnostics.model.messages import format_value
from diagnostics.model.run import Run
from diagnostics.time_budget.bottleneck import WORTH_NAMING, Bottleneck, bottleneck
from diagnostics.time_budget.budget import TimeBudget
from diagnostics.time_budget.stages import GENERATE, OF_ROLLOUTS, SCORE, SYNC, TITLES, UPDATE, WAIT
from diagnostics.time_budget.tail import Tail, tail

NOTHING_LOGGED = "The log does not say where the time of a step goes: it needs the step time and that of its stages."
_BOUND_BY: Mapping[str, str] = {
    GENERATE: "Generation-bound",
    SCORE: "Grader-bound",
    UPDATE: "Trainer-bound",
    SYNC: "Sync-bound",
}


def budget_sentence(run: Run, budget: TimeBudget) -> str:
    """What holds the run up, in one sentence: each clause stands only where the log has what it says."""
    found = bottleneck(budget)
    if found is None:
        return "No stage that is timed takes a twentieth of a step."
    clauses = [_holds_up(found, budget), *_without(found, budget), *_tail(tail(run, budget)), *_overlap(budget)]
    return "; ".join(clauses) + "."


def shares_line(budget: TimeBudget) -> str:
    """The mean time of a step and what its stages take of it, the largest first."""
    shares = [f"{TITLES[name]} {_percent(share)}" for name, share in budget.shares.items() if share >= 0.005]
    return f"{format_value(budget.mean_step)} s a step: {', '.join(shares)}"


def _holds_up(found: Bottleneck, budget: TimeBudget) -> str:
    """What holds the run up, and by which share of a step."""
    kind = _BOUND_BY.get(found.stage, "Held up by " + TITLES[found.stage])
    share = _percent(found.share)
    if budget.is_overlapping and found.stage in OF_ROLLOUTS:
        takes = f"{share} of a step waits for {'rollouts' if found.stage == GENERATE else 'the grader'}"
    else:
        takes = f"{share} of a step goes to {TITLES[found.stage]}"
    rivals = " and ".join(TITLES[name] for name in found.rivals if name != WAIT)
    return f"{kind}: {takes}" + (f", and {rivals} nearly as much" if rivals else "")


def _without(found: Bottleneck, budget: TimeBudget) -> Iterator[str]:
    """How long a step would be without it, or the bound of that."""
    time = f"{format_value(round(found.without, 2))}×"
    holds_rollouts_up = budget.is_overlapping and found.stage not in (*OF_ROLLOUTS, SYNC)
    if found.is_bound:
        yield f"without it a step would take at least {time}"
        if holds_rollouts_up and budget.backpressure is None:
            yield "how much more depends on the wait of the rollout workers, which is not logged"
    elif holds_rollouts_up:
        yield f"a faster trainer could bring a step to {time}, then rollouts hold it up"
    else:
        yield f"without it a step would take {time}"


def _tail(found: Tail | None) -> Iterator[str]:
    """What the longest answers cost, where the samples show whole batches."""
    if found is not None and found.share >= WORTH_NAMING:
        yield f"at most {_percent(found.share)} waits for the longest 5 % of answers"
    if found is not None and 1 - found.with_limit >= WORTH_NAMING:
        time = format_value(round(found.with_limit, 2))
        yield f"at a limit of {found.limit:,} tokens a step would take {time}× or more"


def _overlap(budget: TimeBudget) -> Iterator[str]:
    if budget.overlap >= WORTH_NAMING:
        yield f"stages overlap: together they take {_percent(1 + budget.overlap)} of a step"


def _percent(share: float) -> str:
    return f"{format_value(round(100 * share, 1) if share < 0.1 else round(100 * share))} %"
