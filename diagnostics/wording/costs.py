"""The cost of a sick run in words."""

from diagnostics.language import _
from diagnostics.model.cost import Cost, TrainingTime
from diagnostics.model.messages import format_value
from diagnostics.wording.times import duration
from diagnostics.wording.values import counted


def cost_sentence(cost: Cost) -> str:
    """What a run spent after the onset: "After step 12 it ran for 131 steps: 3 h, 24 GPU-hours on 8 GPUs."."""
    template = (
        _("After step {step} it ran for {steps}") if cost.is_still else _("After step {step} this held for {steps}")
    )
    steps = template.format(step=cost.first_step, steps=counted(cost.steps, "step"))
    if cost.time is None:
        return _("{steps}.").format(steps=steps)
    time = _at_least(cost.time, duration(cost.time.seconds))
    if not cost.gpus:
        return _("{steps}: {time}.").format(steps=steps, time=time)
    return _("{steps}: {time}, {gpu_hours} on {gpus}.").format(
        steps=steps, time=time, gpu_hours=_gpu_hours(cost), gpus=counted(cost.gpus, "GPU")
    )


def cost_in_short(cost: Cost | None) -> str:
    """Its GPU-hours, else its time, else its steps: "24 GPU-hours", "40 min", "131 steps"; empty for none."""
    if cost is None:
        return ""
    if cost.time is None:
        return counted(cost.steps, "step")
    return _at_least(cost.time, _gpu_hours(cost) or duration(cost.time.seconds))


def _at_least(time: TrainingTime, amount: str) -> str:
    return amount if time.is_whole else _("at least {amount}").format(amount=amount)


def _gpu_hours(cost: Cost) -> str:
    return "" if cost.gpu_hours is None else _("{hours} GPU-hours").format(hours=format_value(cost.gpu_hours))
