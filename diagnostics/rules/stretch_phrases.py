"""The words for a stretch past a limit: "stayed" only where it did, and "x times" only where a ratio means anything."""

from collections.abc import Mapping

from diagnostics.model.messages import Message

TEXTS: Mapping[str, str] = {
    "stretch.stayed-above": "stayed above",
    "stretch.stayed-below": "stayed below",
    "stretch.was-above": "was above",
    "stretch.was-below": "was below",
    "stretch.throughout": "",
    "stretch.at-share": " at {share} % of the points",
    "stretch.at-share-by-median": " at {share} % of the points (judged by the median of {median_of})",
    "stretch.times": "{times} times",
    "stretch.far-above": "far above",
}
STEADY = 0.95  # of the points; a reader of "stayed above" who finds one point in ten below takes it for untrue
LARGEST_TIMES = 1000.0  # what is a thousand times its usual level is compared with a level of nearly 0


def stayed(share: float | None, *, above: bool) -> Message:
    """ "stayed above" where nearly every logged point was past the limit, else "was above"."""
    return Message(f"stretch.{'stayed' if _is_steady(share) else 'was'}-{'above' if above else 'below'}")


def mostly(share: float | None, median_of: int) -> Message:
    """At how many of the logged points it was so, and by which median it was judged; empty where at nearly all."""
    if share is None or _is_steady(share):
        return Message("stretch.throughout")
    by_median = "-by-median" if median_of > 1 else ""
    return Message(f"stretch.at-share{by_median}", {"share": int(100 * share), "median_of": median_of})


def compared(measured: float, base: float, smallest: float) -> Message:
    """How many times its base a value is; "far above" where the base is hardly more than 0."""
    if base <= smallest or measured > LARGEST_TIMES * base:
        return Message("stretch.far-above")
    return Message("stretch.times", {"times": measured / base})


def _is_steady(share: float | None) -> bool:
    return share is not None and share >= STEADY
