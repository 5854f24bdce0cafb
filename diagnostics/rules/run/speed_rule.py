"""What a rule of speed is: it judges where the time of a step goes, and says nothing of steps too short to matter."""

from dataclasses import replace

from diagnostics.detectors.averages import finite_median
from diagnostics.detectors.ratios import ratios
from diagnostics.model.alignment import at_common_steps
from diagnostics.model.messages import Message
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.model.vocabulary import metric
from diagnostics.rules.levels import Level, read_levels
from diagnostics.rules.rule import Input, LimitsT, RuleResult, Skipped, alternatives
from diagnostics.rules.run.run_rule import RunRule

WORTH_SAVING = 1.0  # seconds: of a shorter step nobody misses the part that is lost
SECONDS = "s"
_SHORT = "speed.short-steps"
_UNTIMED = "speed.untimed"

TEXTS = {
    _UNTIMED: "The log times neither a step nor any part of one.",
    f"{_UNTIMED}.enable": "Log the time of a step and of its parts.",
    _SHORT: "Steps take {seconds} s: too short for their parts to matter.",
    f"{_SHORT}.enable": "Nothing to do.",
}


class SpeedRule(RunRule[LimitsT]):
    """A rule of speed. Being slow is never critical.

    `marks` are metrics one of which shows that the run has what the rule is about, such as a queue or a KV cache; a run
    without any of them is not judged. Empty: every run has it.
    """

    marks: tuple[str, ...] = ()

    def applies(self, run: Run) -> bool:
        """Only where the run has what the rule is about."""
        return super().applies(run) and (not self.marks or run.get(*self.marks) is not None)

    def why_missing(self, run: Run, item: Input) -> Skipped:
        """A rule of times misses no single metric where steps are too short to matter, or nothing is timed at all."""
        if not _are_timed(self.inputs):
            return super().why_missing(run, item)
        step = run.get("step_time")
        if step is not None and (short := too_short(step)):
            return short
        if any(series.unit == SECONDS for series in run.series.values()):
            return super().why_missing(run, item)
        return Skipped(Message(_UNTIMED), Message(f"{_UNTIMED}.enable"), applies=False)

    def judged_share(
        self, part: Series, step: Series, levels: tuple[Level, ...], *, key: str = "fired", utilization: float = 0.0
    ) -> RuleResult:
        """The finding about a part's share of the step time; its message may use `percent` and `utilization`."""
        part, step = at_common_steps(part, step)
        if short := too_short(step):
            return short
        share = replace(part, values=ratios(part.values, step.values))
        return self.judged_in_unit(
            part,
            step.values,
            read_levels(share, levels),
            key=key,
            unit="of the step time",
            percent=100 * finite_median(share.values),
            utilization=utilization,
        )


def _are_timed(inputs: tuple[Input, ...]) -> bool:
    """Whether a time is among the inputs of a rule."""
    names = [name for item in inputs for name in alternatives(item)]
    return any(known.unit == SECONDS for name in names if (known := metric(name)) is not None)


def too_short(step: Series) -> Skipped | None:
    """Why a run is not judged whose steps are too short; None where they are long enough."""
    seconds = finite_median(step.values)
    if not seconds < WORTH_SAVING:
        return None
    return Skipped(Message(_SHORT, {"seconds": seconds}), Message(f"{_SHORT}.enable"), applies=False)
