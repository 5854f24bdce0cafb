"""The time budget in words: what holds a run up, what a step would take without it, and what bounds that."""

from collections.abc import Iterator, Mapping

from diagnostics.language import N_, _
from diagnostics.model.messages import format_value
from diagnostics.model.run import Run
from diagnostics.punctuation import clauses, labelled, listed
from diagnostics.time_budget.bottleneck import WORTH_NAMING, Bottleneck, bottleneck
from diagnostics.time_budget.budget import TimeBudget
from diagnostics.time_budget.stages import GENERATE, OF_ROLLOUTS, SCORE, SYNC, TITLES, UPDATE, WAIT
from diagnostics.time_budget.tail import Tail, tail

NOTHING_LOGGED = N_(
    "The log does not say where the time of a step goes: it needs the step time and that of its stages."
)
_BOUND_BY: Mapping[str, str] = {
    GENERATE: N_("Generation-bound"),
    SCORE: N_("Grader-bound"),
    UPDATE: N_("Trainer-bound"),
    SYNC: N_("Sync-bound"),
}


def budget_sentence(run: Run, budget: TimeBudget) -> str:
    """What holds the run up, in one sentence: each clause stands only where the log has what it says."""
    found = bottleneck(budget)
    if found is None:
        return _("No stage that is timed takes a twentieth of a step.")
    told = [_holds_up(found, budget), *_without(found, budget), *_tail(tail(run, budget)), *_overlap(budget)]
    return _("{clauses}.").format(clauses=clauses(told))


def shares_line(budget: TimeBudget) -> str:
    """The mean time of a step and what its stages take of it, the largest first."""
    shares = [f"{_(TITLES[name])} {_percent(share)}" for name, share in budget.shares.items() if share >= 0.005]
    return _("{seconds} s a step: {shares}").format(seconds=format_value(budget.mean_step), shares=listed(shares))


def _holds_up(found: Bottleneck, budget: TimeBudget) -> str:
    """What holds the run up, and by which share of a step."""
    stage, share = _(TITLES[found.stage]), _percent(found.share)
    bound = _(_BOUND_BY.get(found.stage, ""))
    kind = bound or _("Held up by {stage}").format(stage=stage)
    if not budget.is_overlapping or found.stage not in OF_ROLLOUTS:
        takes = _("{share} of a step goes to {stage}").format(share=share, stage=stage)
    elif found.stage == GENERATE:
        takes = _("{share} of a step waits for rollouts").format(share=share)
    else:
        takes = _("{share} of a step waits for the grader").format(share=share)
    rivals = _(" and ").join(_(TITLES[name]) for name in found.rivals if name != WAIT)
    if not rivals:
        return labelled(kind, takes)
    return _("{kind}: {takes}, and {stages} nearly as much").format(kind=kind, takes=takes, stages=rivals)


def _without(found: Bottleneck, budget: TimeBudget) -> Iterator[str]:
    """How long a step would be without it, or the bound of that."""
    time = f"{format_value(round(found.without, 2))}×"
    holds_rollouts_up = budget.is_overlapping and found.stage not in (*OF_ROLLOUTS, SYNC)
    if found.is_bound:
        yield _("without it a step would take at least {time}").format(time=time)
        if holds_rollouts_up and budget.backpressure is None:
            yield _("how much more depends on the wait of the rollout workers, which is not logged")
    elif holds_rollouts_up:
        yield _("a faster trainer could bring a step to {time}, then rollouts hold it up").format(time=time)
    else:
        yield _("without it a step would take {time}").format(time=time)


def _tail(found: Tail | None) -> Iterator[str]:
    """What the longest answers cost, where the samples show whole batches."""
    if found is not None and found.share >= WORTH_NAMING:
        yield _("at most {share} waits for the longest 5 % of answers").format(share=_percent(found.share))
    if found is not None and 1 - found.with_limit >= WORTH_NAMING:
        time = format_value(round(found.with_limit, 2))
        words = _("at a limit of {limit} tokens a step would take {time}× or more")
        yield words.format(limit=f"{found.limit:,}", time=time)


def _overlap(budget: TimeBudget) -> Iterator[str]:
    if budget.overlap >= WORTH_NAMING:
        words = _("stages overlap: together they take {share} of a step")
        yield words.format(share=_percent(1 + budget.overlap))


def _percent(share: float) -> str:
    return f"{format_value(round(100 * share, 1) if share < 0.1 else round(100 * share))} %"
