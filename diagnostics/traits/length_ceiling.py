"""How the answers of a run end, read from their lengths: what no policy can learn, and so must have been set.

A policy gives every token, the end among them, a probability above 0, and its lengths scatter. Lengths that stop dead
at one number, step after step and over a whole batch, are a limit or a floor of the sampling. Where answers went beyond
it before, and left that level at once while the policy stayed near its reference, a setting changed during the run,
whatever the configuration says of its beginning.
"""

from dataclasses import dataclass

import numpy as np

from diagnostics.detectors.changepoint import Break, find_break
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values

LATEST = 10  # points that show how things stand now
SEARCHED = 1000  # points for the step at which they began to; so far back a setting that changed is no news
SAME = 0.8  # of them: a batch without a single answer at its limit happens now and then
APART = 1  # steps at most between a wall and the break that it made
NEAR = 1.0  # nats per token to the reference, where `kl-too-high` is critical: beyond it the policy itself has changed
MOST = 0.9  # of the limit is the mean length of answers that hardly ever end before it
HALF = 0.5  # of the limit is room enough to show that answers did end before it
SHOWN = 3  # points from a break on that show how far the policy is from its reference


@dataclass(frozen=True, slots=True)
class Wall:
    """A length at which the answers of a run stop dead, from `step` on; `was_crossed`: most batches went beyond before.

    A ceiling stops the longest answer of a batch, a floor the shortest.
    """

    tokens: float
    step: int
    was_crossed: bool


def ceiling(run: Run) -> Wall | None:
    """The length beyond which no answer goes, though one of nearly every batch reaches it; None where there is none."""
    series = run.get("length_max")
    return None if series is None else _wall(series, 1.0)


def floor(run: Run) -> Wall | None:
    """The length that no answer stays below, though one of nearly every batch is just as long; None without one."""
    series = run.get("length_min")
    return None if series is None else _wall(series, -1.0)


def limit_fell(run: Run) -> bool:
    """Whether answers stop dead at a length that most batches of the same run went beyond before.

    A policy that learns to be brief ends its answers at various lengths; it does not run all of them into one number.
    """
    wall, left = ceiling(run), _lengths_left(run)
    return wall is not None and left is not None and left.fell and _made(wall, left)


def end_was_held_back(run: Run) -> bool:
    """Whether no answer is shorter than a number of tokens that most batches stayed below before.

    Learning may make short answers rare; it does not make the end impossible up to one token at once.
    """
    wall, left = floor(run), _lengths_left(run)
    if wall is None or left is None or ends_go_unheeded(run):
        return False
    return left.rose and _made(wall, left)


def ends_go_unheeded(run: Run) -> bool:
    """Whether more end tokens were counted as soon as no answer ended any more: they are written, and do not end it."""
    wall, ends = floor(run), find_break(run.get("eos_tokens"))
    return wall is not None and ends is not None and ends.rose and _made(wall, ends)


def end_was_missed(run: Run) -> bool:
    """Whether answers ran on to the limit at once, but for a few that still end here and there.

    An end that is forbidden holds back all of them. These wait for a token that is not the model's own end, and happens
    to be drawn now and then.
    """
    limit, left = ceiling(run), _lengths_left(run)
    if limit is None or left is None or floor(run) is not None:
        return False
    return left.before <= HALF * limit.tokens and left.after >= MOST * limit.tokens


def _lengths_left(run: Run) -> Break | None:
    """The break of the mean length, where the policy was still near its reference when it came."""
    left = find_break(run.get("length_mean"))
    return left if left is not None and _policy_stayed(run, left.step) else None


def _policy_stayed(run: Run, step: int) -> bool:
    """Whether the KL to the reference, where one is logged, is finite and small in the batches from `step` on."""
    shown = _from(run.get("kl_per_token"), step)
    if shown is None and (summed := _from(run.get("kl_per_sequence"), step)) is not None:
        tokens = _from(run.get("length_mean"), step)
        shown = summed / max(1.0, float(np.median(tokens))) if tokens is not None else None
    return shown is None or bool(np.isfinite(shown).all() and np.median(np.abs(shown)) < NEAR)


def _from(series: Series | None, step: int) -> Values | None:
    """The series' first points from `step` on; None where there is none."""
    shown = None if series is None else series.values[series.steps >= step][:SHOWN]
    return shown if shown is not None and len(shown) else None


def _made(wall: Wall, left: Break) -> bool:
    return wall.was_crossed and abs(wall.step - left.step) <= APART


def _wall(series: Series, sign: float) -> Wall | None:
    """The highest value (`sign` 1) or the lowest (−1) of the latest points, where nearly all of them have it."""
    steps, values = series.steps[-2 * SEARCHED :], sign * series.values[-2 * SEARCHED :]
    steps, values = steps[np.isfinite(values)][-SEARCHED:], values[np.isfinite(values)][-SEARCHED:]
    if len(values) < LATEST:
        return None
    tokens = float(values[-LATEST:].max())
    if float(np.mean(values[-LATEST:] == tokens)) < SAME:
        return None
    beyond = np.flatnonzero(values > tokens)
    first = int(beyond[-1]) + 1 if len(beyond) else 0
    earlier = values[max(0, first - LATEST) : first]
    was_crossed = len(earlier) > 0 and float(np.mean(earlier > tokens)) > 1 - SAME
    return Wall(sign * tokens, int(steps[first]), was_crossed)
