"""A reward model: any sequence classifier that transformers loads, on the training's device.

Axes: B completions, L labels.
"""

from collections.abc import Sequence

import torch
from accelerate import PartialState

from diagnostics.told import told
from trainer.config.reward_names import RewardError
from trainer.data.conversations import Completion, Prompt, is_conversation
from trainer.rollout.models import load_classifier, load_tokenizer

TEXTS_AT_ONCE = 64
NO_LIMIT = 1_000_000  # tokens; a tokenizer without a limit reports 1e30


class Classifier:
    """A loaded reward model with its tokenizer.

    With one label the score is its logit, with two the log-odds of the second. Plain text is scored as prompt +
    completion, as in TRL, with the special tokens of the model's tokenizer; a conversation goes through its chat
    template.
    """

    def __init__(self, name: str) -> None:
        """Load a model from a folder or the hub.

        Raises:
            ConfigError: The model cannot be loaded.
            RewardError: The model has more than two labels.
        """
        self._model = load_classifier(name).to(PartialState().device)
        self._tokenizer = load_tokenizer(name)
        self._tokenizer.truncation_side = "left"  # the end of the text is what is judged
        self._model.config.pad_token_id = self._tokenizer.pad_token_id
        if (labels := self._model.config.num_labels) > 2:
            raise RewardError(
                told(
                    "reward_model:{name} has {labels} labels; a reward model has one label, or two (no and yes)",
                    name=name,
                    labels=labels,
                )
            )

    def scores(self, prompts: Sequence[Prompt], completions: Sequence[Completion]) -> list[float]:
        """One score per completion.

        Raises:
            RewardError: The prompts are conversations, but the model's tokenizer has no chat template.
        """
        texts = [self._text(prompt, completion) for prompt, completion in zip(prompts, completions, strict=True)]
        adds_special_tokens = not is_conversation(prompts[0])  # a chat template adds its own
        scores: list[float] = []
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            scores += self._scores_of(texts[start : start + TEXTS_AT_ONCE], adds_special_tokens)
        return scores

    def _text(self, prompt: Prompt, completion: Completion) -> str:
        if isinstance(prompt, str):
            return f"{prompt}{completion}"
        if self._tokenizer.chat_template is None:
            raise RewardError(
                told("the reward model's tokenizer has no chat template, which the dataset's messages need")
            )
        messages = [dict(message) for message in (*prompt, *completion) if not isinstance(message, str)]
        return str(self._tokenizer.apply_chat_template(messages, tokenize=False))

    @torch.inference_mode()
    def _scores_of(self, texts: list[str], adds_special_tokens: bool) -> list[float]:
        inputs = self._tokenizer(
            texts,
            return_tensors="pt",
            padding=True,
            padding_side="right",
            truncation=self._tokenizer.model_max_length < NO_LIMIT,
            add_special_tokens=adds_special_tokens,
        ).to(self._model.device)
        logits_BL = self._model(**inputs).logits.float()
        score_B = logits_BL[:, 0] if logits_BL.shape[1] == 1 else logits_BL[:, 1] - logits_BL[:, 0]
        return [float(score) for score in score_B]
