"""How many GPUs a run occupies, as far as its log says so."""

import numpy as np

from diagnostics.model.run import Run
from diagnostics.model.series import Steps, Values
from diagnostics.model.settings import Settings

CPU = "cpu"
FEWEST_ROWS = 3  # whose throughput tells the same number of GPUs
ROUNDING = 0.005  # of that number: rates are printed with three digits


def gpus_of(run: Run) -> int | None:
    """The GPUs of a run, trainer and rollout engine together: 0 where it trains on the CPU, None where it is unknown.

    A number of nodes and the GPUs of each are a number of GPUs. A number of processes is one only where the log says
    that they train on an accelerator, each on one of its own: a machine without one has processes too. Without such
    settings, a throughput per GPU beside the whole one tells by how many it was divided.
    """
    settings, device = run.settings, run.device or str(run.settings.value("device", ""))
    if device == CPU or settings.is_on("use_cpu"):
        return 0
    stated = _of_nodes(settings, "num_nodes", "gpus_per_node")
    if stated is not None:
        of_engine = _of_nodes(settings, "rollout_nodes", "rollout_gpus_per_node")
        return stated + (of_engine or 0)
    return (_count(settings, "num_processes") if run.device else None) or _of_throughput(run)


def _of_throughput(run: Run) -> int | None:
    """The same whole number at every row; None where the rates give none, as they are of different tokens."""
    per_gpu = run.get("tokens_per_second_per_gpu")
    whole = _tokens_per_second(run)
    if per_gpu is None or whole is None:
        return None
    _, here, there = np.intersect1d(per_gpu.steps, whole[0], assume_unique=True, return_indices=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        quotients = whole[1][there] / per_gpu.values[here]
    if len(quotients) < FEWEST_ROWS or not np.isfinite(quotients).all():
        return None
    found = round(float(np.median(quotients)))
    is_exact = found >= 1 and bool((np.abs(quotients - found) <= ROUNDING * found).all())
    return found if is_exact else None


def _tokens_per_second(run: Run) -> tuple[Steps, Values] | None:
    """Over all GPUs: as it is logged, else the tokens of each step by its time."""
    logged, tokens, seconds = run.get("tokens_per_second"), run.get("step_tokens"), run.get("step_time")
    if logged is not None:
        return logged.steps, logged.values
    if tokens is None or seconds is None:
        return None
    steps, here, there = np.intersect1d(tokens.steps, seconds.steps, assume_unique=True, return_indices=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return steps, tokens.values[here] / seconds.values[there]


def _of_nodes(settings: Settings, nodes: str, per_node: str) -> int | None:
    counts = _count(settings, nodes), _count(settings, per_node)
    return counts[0] * counts[1] if counts[0] and counts[1] else None


def _count(settings: Settings, name: str) -> int | None:
    """A setting that is a number of things; None where it is not known, or none."""
    number = settings.number(name)
    return int(number) if number is not None and number >= 1 and number == int(number) else None
