"""The reward model as a reward function: checked by name, and loaded before it first scores."""

from typing import TYPE_CHECKING, Any

from trainer.config.local_or_hub import check_model
from trainer.config.reward_names import RewardError
from trainer.data.conversations import Completion, Prompt
from trainer.rewards.function import Function

if TYPE_CHECKING:
    from trainer.rewards.classifier import Classifier


def reward_model(name: str) -> Function:
    """The function that scores prompt and completion with a sequence classifier.

    Args:
        name: A local folder or a hub id.

    Raises:
        RewardError: The name is a path that holds no model.
    """
    check_model(name, "reward_model", RewardError)
    return _RewardModel(name)


class _RewardModel:
    def __init__(self, name: str) -> None:
        self._name = name
        self._classifier: Classifier | None = None

    def __call__(self, prompts: list[Prompt], completions: list[Completion], **columns: list[Any]) -> list[float]:
        return self.load().scores(prompts, completions)

    def load(self) -> "Classifier":
        """The classifier, loaded on first use."""
        if self._classifier is None:
            from trainer.rewards.classifier import Classifier  # noqa: PLC0415 - torch, in the training's process only

            self._classifier = Classifier(self._name)
        return self._classifier
