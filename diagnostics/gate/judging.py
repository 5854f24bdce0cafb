"""Judges candidates by a gate: every check of it, each with its figures."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from diagnostics.addresses import shown
from diagnostics.gate.gate_file import Budget, Gate, GateError, RatioBudget, Worse
from diagnostics.gate.intervals import Interval, Side, difference, mean_interval, mean_noise
from diagnostics.gate.readings import Reading, logarithm_of, mean_of
from diagnostics.gate.run_checks import check_findings, check_first_step, check_run
from diagnostics.gate.verdict import Check, GateVerdict, Group, State
from diagnostics.language import N_, _
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.messages import format_value
from diagnostics.model.run import Run
from diagnostics.punctuation import clauses

_ONE_SEED = N_(
    "one run on each side: how far seeds lie apart is not known, so no difference between the two is conclusive; "
    "a second baseline run would tell"
)

_COMPARED: Mapping[Worse, str] = {
    "lower": N_("{candidate} against {baseline}; difference {difference}, {allowed} lower allowed"),
    "higher": N_("{candidate} against {baseline}; difference {difference}, {allowed} higher allowed"),
    "either": N_("{candidate} against {baseline}; difference {difference}, {allowed} either way allowed"),
}

Measure = Callable[[Run], Reading]


def judge_gate(gate: Gate, candidates: Sequence[Diagnosis], baselines: Sequence[Run] = ()) -> GateVerdict:
    """The verdict on the candidates. Raises GateError where the baseline cannot serve as one.

    Without `baselines` those count whose figures the gate's file holds.
    """
    runs = [diagnosis.run for diagnosis in candidates]
    checks = [
        *(check_run(run, gate) for run in runs),
        *(check for diagnosis in candidates for check in check_findings(diagnosis, gate)),
        *(check for run in runs for check in check_first_step(run, gate)),
        *(check for name, budget in gate.metrics.items() for check in _of_metric(name, budget, gate, runs, baselines)),
        *(check for name, ratio in gate.ratios.items() for check in _of_ratio(name, ratio, gate, runs, baselines)),
    ]
    stored = max((len(side.values) for side in stored_sides(gate).values()), default=0)
    return GateVerdict(
        checks=tuple(checks),
        candidates=tuple(run.path for run in runs),
        baselines=len(baselines) or stored,
        steps=gate.steps,
        false_fail_rate=gate.false_fail_rate,
        rate=gate.rate,
    )


def stored_sides(gate: Gate) -> Mapping[str, Side]:
    """What the gate's file holds of its baseline, by the name of the budget."""
    budgets: dict[str, Budget | RatioBudget] = {**gate.metrics, **gate.ratios}
    return {name: budget.baseline for name, budget in budgets.items() if budget.baseline is not None}


def _of_metric(name: str, budget: Budget, gate: Gate, runs: Sequence[Run], baselines: Sequence[Run]) -> Iterator[Check]:
    measure = partial(mean_of, metric=name, window=gate.steps)
    readings = [measure(run) for run in runs]
    if unmeasured := _unmeasured("metric", name, runs, readings):
        yield from unmeasured
        return
    candidate = side_of(readings)
    if budget.worse is not None:
        base = _baseline(name, budget.baseline, baselines, measure)
        yield _compared(name, budget, candidate, base, gate.rate) if base else _missing("metric", name, candidate)
    yield from _bounded(name, budget, candidate, gate.rate)


def _of_ratio(
    name: str, budget: RatioBudget, gate: Gate, runs: Sequence[Run], baselines: Sequence[Run]
) -> Iterator[Check]:
    measure = partial(logarithm_of, ratio=name, window=gate.steps)
    readings = [measure(run) for run in runs]
    if unmeasured := _unmeasured("ratio", name, runs, readings):
        yield from unmeasured
        return
    candidate = side_of(readings)
    base = _baseline(name, budget.baseline, baselines, measure)
    yield _ratio_checked(name, budget, candidate, base, gate.rate) if base else _missing("ratio", name, candidate)


def _unmeasured(group: Group, name: str, runs: Sequence[Run], readings: Sequence[Reading]) -> list[Check]:
    """A check for each candidate that measured nothing: failed, or unsure where it is about time and memory."""
    state = State.UNSURE if group == "ratio" else State.FAILED
    return [
        Check(group, name, state, reading.problem, run.path)
        for run, reading in zip(runs, readings, strict=True)
        if reading.problem
    ]


def side_of(readings: Sequence[Reading]) -> Side:
    """What several runs measured."""
    return Side(tuple(item.value for item in readings), mean_noise([item.error for item in readings]))


def _baseline(name: str, stored: Side | None, baselines: Sequence[Run], measure: Measure) -> Side | None:
    """The runs that were named, else what the file holds. Raises GateError where one of the runs cannot serve."""
    if not baselines:
        return stored
    readings = [(run.path, measure(run)) for run in baselines]
    for path, reading in readings:
        if reading.problem:
            raise GateError(_unfit(name, path, reading))
    return side_of([reading for _, reading in readings])


def _unfit(name: str, path: Path, reading: Reading) -> str:
    sentence = _("the baseline run {run} cannot serve for {name}: {problem}; leave it out, or the budget")
    return sentence.format(run=shown(path), name=name, problem=reading.problem)


def _missing(group: Group, name: str, candidate: Side) -> Check:
    message = _("there is nothing to compare with: name runs with --baseline, or write the gate from some with --write")
    return Check(group, name, State.UNSURE, message, candidate=candidate.mean if group == "metric" else None)


def _compared(name: str, budget: Budget, candidate: Side, base: Side, rate: float) -> Check:
    """Failed where the whole interval of the difference lies beyond what is allowed, in the direction that is worse."""
    found = difference(candidate, base, rate)
    is_lower = budget.worse in ("lower", "either") and found.high < -budget.allowed
    is_higher = budget.worse in ("higher", "either") and found.low > budget.allowed
    state = _state(is_lower or is_higher, found)
    sentence = _COMPARED["either" if budget.worse is None else budget.worse]
    message = _(sentence).format(
        candidate=format_value(candidate.mean),
        baseline=format_value(base.mean),
        difference=_span(found),
        allowed=format_value(budget.allowed),
    )
    return Check(
        "metric",
        name,
        state,
        _with_doubt(message, state),
        candidate=candidate.mean,
        baseline=base.mean,
        interval=found,
        limit=budget.allowed,
    )


def _bounded(name: str, budget: Budget, candidate: Side, rate: float) -> Iterator[Check]:
    """Failed where the whole interval of the mean lies beyond a bound."""
    found = mean_interval(candidate, rate)
    for sentence, bound, is_beyond in (
        (_("mean {mean}, at least {bound} is due"), budget.low, budget.low is not None and found.high < budget.low),
        (_("mean {mean}, at most {bound} is due"), budget.high, budget.high is not None and found.low > budget.high),
    ):
        if bound is not None:
            message = sentence.format(mean=_span(found), bound=format_value(bound))
            state = State.FAILED if is_beyond else State.PASSED
            yield Check("metric", name, state, message, candidate=candidate.mean, interval=found, limit=bound)


def _ratio_checked(name: str, budget: RatioBudget, candidate: Side, base: Side, rate: float) -> Check:
    """Failed where the whole interval of the ratio lies above what is allowed."""
    of_logs = difference(candidate, base, rate)
    found = Interval(math.exp(of_logs.estimate), _exp(of_logs.low), _exp(of_logs.high), of_logs.basis)
    state = _state(found.low > budget.most, found)
    means = math.exp(candidate.mean), math.exp(base.mean)
    message = _("{ratio} times the baseline, {most} times allowed").format(
        ratio=_span(found), most=format_value(budget.most)
    )
    return Check("ratio", name, state, _with_doubt(message, state), None, *means, found, budget.most)


def _exp(value: float) -> float:
    return math.exp(value) if value < math.log(1e300) else math.inf


def _state(is_beyond: bool, found: Interval) -> State:
    if not is_beyond:
        return State.PASSED
    return State.UNSURE if found.basis == "noise within the runs" else State.FAILED


def _with_doubt(message: str, state: State) -> str:
    return clauses((message, _(_ONE_SEED))) if state is State.UNSURE else message


def _span(found: Interval) -> str:
    return _("{estimate} ({low} to {high})").format(
        estimate=format_value(found.estimate), low=format_value(found.low), high=format_value(found.high)
    )
