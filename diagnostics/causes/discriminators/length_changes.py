"""Changes in how completions end that no policy learns, read from their lengths: a setting must have changed.

A policy gives every token, the end token among them, a probability above 0, so its lengths scatter. Lengths that stop
dead at one number, step after step and over a whole batch, show a limit or a floor of the sampling. Where completions
went beyond it before, and left that level at once while the policy stayed near its reference, a setting changed during
the run, whatever the configuration says about its start.
"""

import numpy as np

from diagnostics.causes.discriminators.shapes import find_break, hard_maximum, hard_minimum
from diagnostics.detectors.changepoint import Break
from diagnostics.detectors.hard_limit import HardLimit
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values

SAME_CHANGE = 1  # steps at most between a hard limit and the break that it causes
NEAR_REFERENCE = 1.0  # nats per token, where `kl-too-high` is critical: beyond it the policy itself has changed
AT_THE_LIMIT = 0.9  # of the limit is the mean length of completions that hardly ever end before it
WELL_BELOW = 0.5  # of the limit is a mean length that shows that completions did end before it
AFTER_A_BREAK = 3  # points that show how far the policy is from its reference


def length_limit_was_lowered(run: Run) -> bool:
    """Whether completions stop dead at a length that most batches of the same run exceeded before.

    A policy that learns to be brief ends its completions at various lengths; it does not run all of them into one
    number.
    """
    limit, jump = hard_maximum(run.get("length_max")), _length_jump(run)
    return limit is not None and jump is not None and jump.fell and _causes(limit, jump)


def eos_was_suppressed(run: Run) -> bool:
    """Whether no completion is shorter than a number of tokens that most batches stayed below before.

    Learning may make short completions rare; it does not make the end impossible up to one token at once.
    """
    least, jump = hard_minimum(run.get("length_min")), _length_jump(run)
    if least is None or jump is None or eos_is_ignored(run):
        return False
    return jump.rose and _causes(least, jump)


def eos_is_ignored(run: Run) -> bool:
    """Whether more end tokens are counted since no completion ends any more: they are sampled and do not end it."""
    least, eos = hard_minimum(run.get("length_min")), find_break(run.get("eos_tokens"))
    return least is not None and eos is not None and eos.rose and _causes(least, eos)


def eos_was_replaced(run: Run) -> bool:
    """Whether completions suddenly run on to the limit, but for a few that still end here and there.

    A suppressed end token holds back all of them. These wait for a token that is not the model's own end, and happens
    to be sampled now and then.
    """
    limit, jump = hard_maximum(run.get("length_max")), _length_jump(run)
    if limit is None or jump is None or hard_minimum(run.get("length_min")) is not None:
        return False
    return jump.before <= WELL_BELOW * limit.value and jump.after >= AT_THE_LIMIT * limit.value


def _length_jump(run: Run) -> Break | None:
    """The break of the mean length, where the policy was still near its reference when it came."""
    jump = find_break(run.get("length_mean"))
    return jump if jump is not None and _is_near_reference(run, jump.step) else None


def _is_near_reference(run: Run, step: int) -> bool:
    """Whether the KL to the reference, where one is logged, is finite and small in the first batches from `step` on."""
    kl = _first_values_from(run.get("kl_per_token"), step)
    if kl is None and (per_sequence := _first_values_from(run.get("kl_per_sequence"), step)) is not None:
        tokens = _first_values_from(run.get("length_mean"), step)
        kl = per_sequence / max(1.0, float(np.median(tokens))) if tokens is not None else None
    return kl is None or bool(np.isfinite(kl).all() and np.median(np.abs(kl)) < NEAR_REFERENCE)


def _first_values_from(series: Series | None, step: int) -> Values | None:
    """The series' first values from `step` on; None where there is none."""
    values = None if series is None else series.values[series.steps >= step][:AFTER_A_BREAK]
    return values if values is not None and len(values) else None


def _causes(limit: HardLimit, jump: Break) -> bool:
    """Whether a new hard limit explains a break: it was passed before, and holds since the step of the break."""
    return limit.was_passed and abs(limit.step - jump.step) <= SAME_CHANGE
