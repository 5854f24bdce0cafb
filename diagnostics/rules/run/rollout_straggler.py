"""A straggler holds each batch up: the slowest rollout takes several times as long as the mean one.

What it checks
    The seconds of the slowest rollout over the mean, else the longest answer over the mean length, as the median of
    five logged points: 3 for ten points is a note, where generation, or waiting for it, takes at least half of a step.
    The note names what the slowest rollout spends its time on, where the log tells: generation, tools or its reward.

Why it matters
    A batch ends with its slowest member; until then most of the engine's places stand empty.

When it is wrong
    An engine that fills its places with the next prompts has no empty ones; lengths then tell nothing of time.

What to try
    A lower length limit, a timeout for tools and graders, more prompts in flight than a batch needs.

References
    verl, agent_loop: the time of the slowest rollout, by what it was spent on.
"""

from dataclasses import replace

from diagnostics.detectors.averages import finite_median
from diagnostics.detectors.ratios import ratios
from diagnostics.model.alignment import at_common_steps
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.levels import Level, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Input, Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import series_of
from diagnostics.rules.run.speed_rule import SpeedRule, too_short

SPENT_ON = {
    "slowest_generation_seconds": "generation",
    "slowest_tool_seconds": "tools",
    "slowest_reward_seconds": "grader",
}
KINDS = (("rollout_seconds_max", "rollout_seconds_mean"), ("length_max", "length_mean"))
"""The slowest rollout and the mean one, in seconds where those are logged, else in tokens."""
WAITED = ("rollout_wait_time", "generation_time")


class Limits(RuleLimits):
    """How far behind the slowest may be."""

    times: float = limit(3.0, "× the mean", "engineering default")
    share: float = limit(0.5, "of the step time", "engineering default")
    patience: int = limit(10, "logged points", "engineering default")


class RolloutStraggler(SpeedRule[Limits]):
    """Judges the slowest rollout against the mean, where a step waits for rollouts."""

    code = "RV915"
    name = "rollout-straggler"
    grade = "F"
    source = "engineering default; verl, agent_loop metrics"
    inputs = (
        tuple(slowest for slowest, _ in KINDS),
        tuple(mean for _, mean in KINDS),
        "step_time",
        WAITED,
    )
    marks = WAITED
    limits = Limits()
    remedies = ("shorter-limit", "bounded-rollouts")
    texts = english(
        headline="Each batch waits for its slowest rollout.",
        fired="The slowest rollout took {measured} {unit} (step {peak}), {times} × the mean, from step {first} to "
        "{last}.",
        generation="The slowest rollout took {measured} {unit} (step {peak}), {times} × the mean, "
        "most of it in generation, from step {first} to {last}.",
        tools="The slowest rollout took {measured} {unit} (step {peak}), {times} × the mean, "
        "most of it in tools, from step {first} to {last}.",
        grader="The slowest rollout took {measured} {unit} (step {peak}), {times} × the mean, "
        "most of it in its grader, from step {first} to {last}.",
    )

    def missing(self, run: Run) -> tuple[Input, ...]:
        """The inputs that the run does not log; the slowest rollout and the mean have to be of the same kind."""
        of_any = super().missing(run)
        if of_any or any(run.get(slowest) and run.get(mean) for slowest, mean in KINDS):
            return of_any
        return tuple(mean for slowest, mean in KINDS if run.get(slowest))

    def check(self, run: Run, limits: Limits) -> RuleResult:
        waited, step = at_common_steps(series_of(run, *WAITED), series_of(run, "step_time"))
        if short := too_short(step):
            return short
        share = finite_median(ratios(waited.values, step.values))
        if not share >= limits.share:
            return Quiet(share, limits.share, "of the step time", waited.name, waited.tag)
        slowest, mean = _slowest_and_mean(run)
        times = replace(slowest, values=ratios(slowest.values, mean.values))
        reading = read_levels(times, (Level(Severity.INFO, limits.times, limits.patience),))
        return self.judged_in_unit(slowest, mean.values, reading, key=_spent_on(run), unit="× the mean")


def _spent_on(run: Run) -> str:
    """What the slowest rollout spends most of its time on, as the key of the message that says so."""
    logged = {word: series for name, word in SPENT_ON.items() if (series := run.get(name)) is not None}
    seconds = {word: finite_median(series.values) for word, series in logged.items()}
    return max(seconds, key=lambda word: seconds[word]) if len(seconds) > 1 else "fired"


def _slowest_and_mean(run: Run) -> tuple[Series, Series]:
    """The slowest rollout and the mean one, of the first kind that is logged whole."""
    found = next((slowest, mean) for slowest, mean in KINDS if run.get(slowest) and run.get(mean))
    slowest, mean = at_common_steps(*(series_of(run, name) for name in found))
    return slowest, mean
