"""The sentiment reward: how positive a completion sounds to VADER's lexicon and rules."""

import importlib.util
from typing import Any

from diagnostics.told import told
from trainer.config.reward_names import RewardError
from trainer.rewards.function import Function


def sentiment() -> Function:
    """The function that gives VADER's compound score of the completion, −1 … 1.

    Source: Hutto & Gilbert 2014, "VADER: a parsimonious rule-based model for sentiment analysis".

    Raises:
        RewardError: vaderSentiment is not installed.
    """
    if importlib.util.find_spec("vaderSentiment") is None:
        raise RewardError(told("reward function sentiment needs vaderSentiment; pip install 'rlvitals[sentiment]'"))
    analyser: Any = None

    def sentiment(prompts: list[str], completions: list[str], **columns: list[Any]) -> list[float]:
        nonlocal analyser
        analyser = analyser or _analyser()
        return [analyser.polarity_scores(completion)["compound"] for completion in completions]

    return sentiment


def _analyser() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer  # noqa: PLC0415 - an extra of its own

    return SentimentIntensityAnalyzer()
