"""The reward model as a reward function: a sequence classifier, named and checked here and loaded when first called."""

from typing import TYPE_CHECKING, Any

from trainer.messages import Completion, Prompt
from trainer.rewards.function import Function, RewardError
from trainer.sources import check_model

if TYPE_CHECKING:
    from trainer.rewards.classifier import Classifier


def reward_model(name: str) -> Function:
    """The function that gives a sequence classifier's score of prompt and completion.

    Args:
        name: A local folder or a hub id.

    Raises:
        RewardError: the name is a path, and no model is there.
    """
    check_model(name, "reward_model", RewardError)
    classifier: Classifier | None = None

    def reward_model(prompts: list[Prompt], completions: list[Completion], **columns: list[Any]) -> list[float]:
        nonlocal classifier
        classifier = classifier or _loaded(name)
        return classifier.scores(prompts, completions)

    return reward_model


def _loaded(name: str) -> "Classifier":
    from trainer.rewards.classifier import Classifier  # noqa: PLC0415 - torch, in the training's process only

    return Classifier(name)
