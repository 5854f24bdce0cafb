"""Formulas: pure functions of arrays that give a metric from others at the same steps; NaN stays NaN."""

import numpy as np

from diagnostics.model.series import Values

SMALLEST_KL = 1e-3  # nats per sequence; of one this large, a console's four digits leave the weight within 10 %
ROUNDING = 1e-6  # float32, in which trainers take their means, holds seven digits


def largest_deviation(mean: Values, lowest: Values, highest: Values) -> Values:
    """(N,) The largest standard deviation that values with this mean, minimum and maximum can have.

    √((max − mean)·(mean − min)), by Bhatia and Davis, "A Better Bound on the Variance" (2000): reached where there are
    only two values, as with rewards of right and wrong; 0 where all values are equal. NaN where the mean lies outside
    of the range by more than rounding: then the three are not of the same values.
    """
    inside = np.clip(mean, lowest, highest)
    is_inside = np.isclose(mean, inside, rtol=ROUNDING, atol=ROUNDING)
    return np.sqrt(np.where(is_inside, (highest - inside) * (inside - lowest), np.nan))


def per_token(per_sequence: Values, length: Values) -> Values:
    """(N,) Sums over sequences as a mean over all tokens of the batch; NaN where no answer has a token."""
    return per_sequence / np.where(length > 0, length, np.nan)


def per_sequence(per_token: Values, length: Values) -> Values:
    """(N,) Means over tokens as a sum over a sequence of mean length."""
    return per_token * length


def penalty_weight(penalty: Values, kl: Values) -> Values:
    """(N,) The weight w of a penalty of −w·KL; NaN where the KL is so near 0 that rounding decides."""
    return -penalty / np.where(np.abs(kl) >= SMALLEST_KL, kl, np.nan)


def cut_off_share(mean: Values, longest: Values, limit: float) -> Values | None:
    """(N,) The share of completions as long as the limit: 0 where the longest is shorter, 1 where the mean is as long.

    None where the lengths of some step leave it open, or exceed the limit, which then was another one.
    """
    is_full = np.isclose(mean, limit, rtol=ROUNDING)
    share = np.where(np.isfinite(mean) & np.isfinite(longest), np.where(is_full, 1.0, 0.0), np.nan)
    is_open = ~is_full & (longest >= limit) | (longest > limit * (1 + ROUNDING))
    return None if is_open.any() else share


def without_signal(lowest: Values, highest: Values) -> Values | None:
    """(N,) 1 at the steps whose advantages are all exactly 0, as only groups of equal rewards give them; else NaN.

    None unless the last steps are so: of others nothing is known, as one group with a signal hides how many have none.
    """
    is_silent = (lowest == 0) & (highest == 0)
    if not is_silent.any() or not is_silent[int(np.argmax(is_silent)) :].all():
        return None
    return np.where(is_silent, 1.0, np.nan)


def without_spread(spread: Values) -> Values | None:
    """(N,) 1 at the steps at which all answers earn the same, 0 at the others; None where there are none such."""
    is_silent = spread == 0
    return np.where(np.isfinite(spread), is_silent.astype(float), np.nan) if is_silent.any() else None


def share_of(part: Values, whole: Values) -> Values | None:
    """(N,) The part over the whole, NaN where the whole is 0; None where a part is larger, and so is no part of it."""
    share = part / np.where(whole > 0, whole, np.nan)
    return None if (share > 1 + ROUNDING).any() else share


def rate(amount: Values, seconds: Values) -> Values:
    """(N,) The amount per second; NaN where no time passed."""
    return amount / np.where(seconds > 0, seconds, np.nan)


def dropped_share(dropped: Values, trained: Values) -> Values:
    """(N,) The share of finished samples that was thrown away; NaN where there was none of either."""
    finished = dropped + trained
    return dropped / np.where(finished > 0, finished, np.nan)


def dropped_share_of_total(dropped_so_far: Values, trained: Values) -> Values:
    """(N,) The same from a count since the start: NaN at the first point, and where the count begins anew."""
    dropped = np.diff(dropped_so_far, prepend=np.nan)
    return dropped_share(np.where(dropped >= 0, dropped, np.nan), trained)
