"""How far a policy is from its reference at the end of a run, as logged."""

import numpy as np

from diagnostics.model.run import Run
from diagnostics.model.series import Series

END = 5  # logged points that show the end of a run


def level_at_the_end(series: Series | None) -> float | None:
    """The median of the last logged points; None where too few are logged."""
    if series is None or series.finite.sum() < END:
        return None
    return float(np.median(series.values[series.finite][-END:]))


def distance_of_answers(run: Run) -> float | None:
    """The KL of a whole answer to the reference, in nats, over the last points; None where it is not known."""
    logged = level_at_the_end(run.get("kl_per_sequence"))
    of_token, length = level_at_the_end(run.get("kl_per_token")), level_at_the_end(run.get("length_mean"))
    if logged is None and of_token is not None and length is not None:
        return of_token * length
    return logged
