"""The trial of a tokenizer: a training's first prompts in tokens, and its chat template as a conversation grows."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from transformers import PreTrainedTokenizerBase

from trainer.config.training import TrainConfig
from trainer.data.conversations import Prompt, prompt_text
from trainer.data.dataset import load_rows
from trainer.rollout.growing_conversations import grown_conversations
from trainer.rollout.models import checkpoint_of, load_tokenizer
from trainer.rollout.policy import chat_text, prompt_ids

_SHOWN_TOKENS = 8
_SHOWN_TEXT = 80  # characters
_QUESTION = [{"role": "user", "content": "What is 2 + 2?"}]


def try_tokenizer(config: TrainConfig, prompts: int) -> Mapping[str, Any]:
    """A `diagnostics.model.tokenization.Tokenization` as JSON; no data are read for 0 prompts.

    Raises:
        ConfigError: The tokenizer or the prompts cannot be read, or a prompt has no tokens.
    """
    rows = load_rows(config)[:prompts] if prompts else []
    tokenizer = load_tokenizer(checkpoint_of(config))
    asked: list[Prompt] = [row["prompt"] for row in rows]
    has_template = tokenizer.chat_template is not None
    template_bos, retokenized_bos = _bos_of_template(tokenizer) if has_template else (0, 0)
    return {
        "bos": tokenizer.bos_token,
        "eos": tokenizer.eos_token,
        "pad": tokenizer.pad_token,
        "adds_bos": _leading_bos(tokenizer, tokenizer("2")["input_ids"]) > 0,
        "has_template": has_template,
        "template_bos": template_bos,
        "retokenized_bos": retokenized_bos,
        "prompts": [
            _prompt_tokens(tokenizer, prompt, ids)
            for prompt, ids in zip(asked, prompt_ids(tokenizer, asked), strict=True)
        ],
        "conversations": grown_conversations(tokenizer) if has_template else [],
    }


def _bos_of_template(tokenizer: PreTrainedTokenizerBase) -> tuple[int, int]:
    """The BOS tokens at the start of a rendered question, and of the same text tokenised once more like plain text.

    0 for a template that cannot render one.
    """
    try:
        text = chat_text(tokenizer, _QUESTION)
    except Exception:  # a template is a program of somebody else's; the conversations tell what it raises
        return 0, 0
    rendered, again = (tokenizer(text, add_special_tokens=added)["input_ids"] for added in (False, True))
    return _leading_bos(tokenizer, rendered), _leading_bos(tokenizer, again)


def _prompt_tokens(tokenizer: PreTrainedTokenizerBase, prompt: Prompt, ids: Sequence[int]) -> Mapping[str, Any]:
    shown = list(ids[:_SHOWN_TOKENS])
    return {
        "text": prompt_text(prompt)[:_SHOWN_TEXT],
        "ids": shown,
        "tokens": [str(tokenizer.decode([token]))[:_SHOWN_TEXT] for token in shown],
        "count": len(ids),
        "leading_bos": _leading_bos(tokenizer, ids),
        "end_tokens": list(ids).count(tokenizer.eos_token_id),
        "is_rendered": not isinstance(prompt, str),
    }


def _leading_bos(tokenizer: PreTrainedTokenizerBase, ids: Sequence[int]) -> int:
    if tokenizer.bos_token_id is None:
        return 0
    return sum(1 for _ in takewhile(lambda token: token == tokenizer.bos_token_id, ids))
