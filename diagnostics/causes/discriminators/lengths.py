"""What tells apart causes in the length of answers: whether length pays, or brevity."""

from collections.abc import Collection

from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run


def longer_pays(outcome: Outcome, run: Run) -> bool:
    """Whether the reward was found to follow the length of the answers, and not their brevity."""
    return outcome.message.template == "reward-follows-length.longer"


def shorter_pays(outcome: Outcome, run: Run) -> bool:
    return outcome.message.template == "reward-follows-length.shorter"


def only_the_reward_shows_it(run: Run, rules: Collection[str]) -> bool:
    """Whether nothing but the reward that follows the length shows a cause in the length."""
    return {*rules} == {"reward-follows-length"}
