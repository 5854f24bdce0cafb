"""The cost of a sick run in JSON, the same wherever it is told."""

from typing import Any

from diagnostics.model.cost import Cost


def cost_document(cost: Cost | None) -> dict[str, Any] | None:
    """Its steps, hours and GPU-hours, null where the log does not tell them; `at_least`: more time than the log tells.

    None for a run that is not sick, or that ended at the onset.
    """
    if cost is None:
        return None
    return {
        "first_step": cost.first_step,
        "last_step": cost.last_step,
        "still": cost.is_still,
        "steps": cost.steps,
        "hours": cost.hours,
        "at_least": cost.time is not None and not cost.time.is_whole,
        "clock": cost.time.clock if cost.time else None,
        "gpus": cost.gpus,
        "gpu_hours": cost.gpu_hours,
    }
