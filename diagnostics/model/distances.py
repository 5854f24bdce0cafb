"""How far a policy is from its reference, as logged."""

from dataclasses import replace

import numpy as np

from diagnostics.model.alignment import at_common_steps
from diagnostics.model.run import Run
from diagnostics.model.series import Series

END = 5  # logged points that show the end of a run


def kl_of_answers(run: Run) -> Series | None:
    """The KL of whole answers to the reference, in nats: as logged, or that of a token times the mean length.

    None where it is not known.
    """
    whole, of_token, length = run.get("kl_per_sequence"), run.get("kl_per_token"), run.get("length_mean")
    if whole is not None or of_token is None or length is None:
        return whole
    of_token, length = at_common_steps(of_token, length)
    with np.errstate(invalid="ignore"):  # an infinite one of no tokens
        return replace(of_token, name="kl_per_sequence", values=of_token.values * length.values)


def level_at_the_end(series: Series | None) -> float | None:
    """The median of the last logged points; None where too few are logged."""
    if series is None or series.finite.sum() < END:
        return None
    return float(np.median(series.values[series.finite][-END:]))


def distance_of_answers(run: Run) -> float | None:
    """The KL of a whole answer to the reference, in nats, over the last points; None where it is not known."""
    return level_at_the_end(kl_of_answers(run))
