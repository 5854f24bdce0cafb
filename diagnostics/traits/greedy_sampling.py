"""Cold sampling: whether a run draws its answers as good as greedily, by its settings or since some step."""

from diagnostics.detectors.changepoint import find_break
from diagnostics.model.run import Run
from diagnostics.traits.hyperparameters import value_of

COLD = 0.3  # temperature below which sampling is as good as greedy, as before a launch


def samples_coldly(run: Run) -> bool:
    """Whether the settings say so."""
    temperature = value_of(run, "temperature")
    return isinstance(temperature, int | float) and temperature < COLD


def samples_turned_cold(run: Run) -> bool:
    """Whether sampling is as good as greedy: by the settings, or since the entropy left its level at once.

    At a temperature T all log-probabilities are stretched by 1/T, and so is what an update does to them. An update
    shows in the next batch only, so an entropy that falls in the very batch whose update is the first to be large fell
    before that update.
    """
    entropy, size = find_break(run.get("entropy_per_token")), find_break(run.get("approx_kl"))
    if samples_coldly(run) or entropy is None:
        return samples_coldly(run)
    fell = entropy.fell and entropy.after < COLD * entropy.before
    return fell and (size is None or entropy.step <= size.step)
