"""What producers do differently, as facts that rules ask for instead of a producer's name."""

from enum import StrEnum


class Quirk(StrEnum):
    """One way in which some producers differ."""

    AVERAGES_LOGGED_STEPS = "averages-logged-steps"
    """A logged point is the mean over `logging_steps` steps, without NaN."""
    COUNTS_ROWS = "counts-rows"
    """The log names no steps: its rows are counted, and how many steps lie between two of them is unknown."""
    STATES_WHAT_IT_LOGS = "states-what-it-logs"
    """The settings say how many steps and completions are logged."""
    REPLACES_NAN_LOSS = "replaces-nan-loss"
    """Where a loss was NaN, the log shows the mean of those before it."""
    IGNORES_STOP_REQUESTS = "ignores-stop-requests"
    """The training does not stop when a callback asks it to."""
    SELECTS_SAMPLES = "selects-samples"
    """The logged completions are the best and the worst of a batch and a few others, not drawn at random."""
    LOGS_BATCH_REWARD_STD = "logs-batch-reward-std"
    """The logged deviation of the reward is that of the whole batch, not the mean within groups."""
