"""The weight of a KL penalty that is part of the loss, where no setting states it: the slope of one over the other."""

import numpy as np

from diagnostics.model.alignment import at_common_steps
from diagnostics.model.run import Run

FEWEST = 10  # logged points
FOLLOWS = 0.95  # correlation: the KL then explains nine tenths of the loss's variance


def kl_weight_in_loss(run: Run, fewest: int = FEWEST, follows: float = FOLLOWS) -> float | None:
    """The slope of the loss over the KL per token; None where more than that KL moves the loss.

    A loss that is divided by the longest answer instead of each one's tokens shows less than the weight that is set.
    """
    kl, loss = run.get("kl_per_token"), run.get("loss")
    if kl is None or loss is None:
        return None
    kl, loss = at_common_steps(kl, loss)
    is_known = kl.finite & loss.finite
    x, y = kl.values[is_known], loss.values[is_known]
    if len(x) < fewest or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.polyfit(x, y, 1)[0]) if float(np.corrcoef(x, y)[0, 1]) >= follows else None
