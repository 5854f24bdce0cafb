"""The cost of a sick run in words."""

from diagnostics.model.cost import Cost, TrainingTime
from diagnostics.model.messages import format_value
from diagnostics.wording.times import duration
from diagnostics.wording.values import counted


def cost_sentence(cost: Cost) -> str:
    """What a run spent after the onset: "After step 12 it ran for 131 steps: 3 h, 24 GPU-hours on 8 GPUs."."""
    verb = "it ran for" if cost.is_still else "this held for"
    steps = f"After step {cost.first_step} {verb} {counted(cost.steps, 'step')}"
    if cost.time is None:
        return f"{steps}."
    devices = f", {_gpu_hours(cost)} on {counted(cost.gpus, 'GPU')}" if cost.gpus else ""
    return f"{steps}: {_at_least(cost.time)}{duration(cost.time.seconds)}{devices}."


def cost_in_short(cost: Cost | None) -> str:
    """Its GPU-hours, else its time, else its steps: "24 GPU-hours", "40 min", "131 steps"; empty for none."""
    if cost is None:
        return ""
    if cost.time is None:
        return counted(cost.steps, "step")
    return _at_least(cost.time) + (_gpu_hours(cost) or duration(cost.time.seconds))


def _at_least(time: TrainingTime) -> str:
    return "" if time.is_whole else "at least "


def _gpu_hours(cost: Cost) -> str:
    return "" if cost.gpu_hours is None else f"{format_value(cost.gpu_hours)} GPU-hours"
