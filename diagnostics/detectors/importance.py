"""Importance ratios: what their mean is where two policies differ by chance, and what it shows where one is cut off."""

import math

CAP = 3.0  # above it trainers mask or cut a ratio
LEAST = 0.5  # an expected ratio below it says too little
FAR = 5.0  # nats: a factor of 150, which rounding and old weights seldom put between two probabilities of a token
FEW = 15.0  # times the mean difference: so far lies the farthest token where most of them agree
NORMAL = math.pi / 2  # the variance of a normal difference over its squared mean size


def expected_mean_ratio(difference: float, tokens: float, cap: float = CAP) -> float:
    """The mean ratio of texts of so many tokens, those above the cap left out, where the mean absolute difference of a
    token's log-probability in two policies is `difference`, and tokens differ independently.

    A ratio averages to 1 over the samples of its denominator, whatever the two are; of a log-normal one with that mean
    the part below the cap remains.
    """
    spread = math.sqrt(NORMAL * tokens) * difference
    return 0.5 * math.erfc(-(math.log(cap) - spread**2 / 2) / (spread * math.sqrt(2))) if spread > 0 else 1.0


def one_sided_share(ratio: float, difference: float, tokens: float) -> float:
    """The part of the difference that has one sign, by how far the mean ratio lies below the expected one.

    About 0 where two policies differ by chance, about 1 where one of them is renormalised after a cut-off, so that all
    its probabilities are larger. NaN where chance alone takes so much off the ratio that nothing can be told.
    """
    expected = expected_mean_ratio(difference, tokens)
    if difference <= 0 or ratio <= 0 or expected < LEAST:
        return math.nan
    return math.log(expected / ratio) / (tokens * difference)


def few_are_far(difference: float, farthest: float) -> bool:
    """Whether a few tokens make the mean absolute difference: the farthest is worlds apart, and most agree.

    So it is where log-probabilities are of other tokens, as after text was tokenised again: a chance between two
    unrelated tokens. Rounding and old weights move nearly every token, and none so far.
    """
    return farthest >= max(FAR, FEW * difference)
