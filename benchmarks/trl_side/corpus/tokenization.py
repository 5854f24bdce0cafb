"""The tokenizers of the TRL corpus: each architecture has one of another kind, trained on a task's own texts."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import tokenizers
from packaging.version import Version
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

PAD, EOS, UNKNOWN, USER, BOT = "<pad>", "<eos>", "<unk>", "<user>", "<bot>"
_SPECIAL = [PAD, EOS, UNKNOWN, USER, BOT]
CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{{ ('<user>' if message['role'] == 'user' else '<bot>') + message['content'] }}"
    "{{ '<eos>' if message['role'] == 'assistant' else '' }}"
    "{% endfor %}{{ '<bot>' if add_generation_prompt else '' }}"
)

_OLDEST_WITH_SCHEME = Version("0.19")
_NO_MARK_IN_FRONT: Mapping[str, Any] = (
    {"prepend_scheme": "never"}
    if Version(tokenizers.__version__) >= _OLDEST_WITH_SCHEME
    else {"add_prefix_space": False}
)


def make_tokenizer(architecture: str, texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """The tokenizer that an architecture gets, trained on these texts."""
    return _BY_ARCHITECTURE[architecture](texts)


def load_tokenizer(folder: Path) -> PreTrainedTokenizerFast:
    """The tokenizer of a model's folder, padding on the left."""
    return AutoTokenizer.from_pretrained(folder, padding_side="left")


def _characters(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """One token per character."""
    vocabulary = {token: index for index, token in enumerate([*_SPECIAL, *sorted(set("".join(texts)))])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    tokenizer.decoder = decoders.Fuse()
    return _wrap(tokenizer)


def _byte_pairs(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """Merged bytes, as GPT-2's."""
    tokenizer = _splitting(models.BPE(unk_token=UNKNOWN), pre_tokenizers.ByteLevel(add_prefix_space=False))
    tokenizer.decoder = decoders.ByteLevel()
    return _trained(tokenizer, trainers.BpeTrainer(vocab_size=300, special_tokens=_SPECIAL), texts)


def _merged_characters(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """Merged characters within words, spaces kept as marks; rare words are several tokens."""
    return _trained(_with_marks(models.BPE(unk_token=UNKNOWN)), _merges(200), texts)


def _words(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """Mostly whole words."""
    return _trained(_with_marks(models.BPE(unk_token=UNKNOWN)), _merges(600), texts)


def _pieces(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """Unigram pieces, spaces kept as marks."""
    trainer = trainers.UnigramTrainer(vocab_size=240, special_tokens=_SPECIAL, unk_token=UNKNOWN)
    return _trained(_with_marks(models.Unigram()), trainer, texts)


def _merges(vocabulary: int) -> Any:
    return trainers.BpeTrainer(vocab_size=vocabulary, special_tokens=_SPECIAL)


def _with_marks(model: Any) -> Tokenizer:
    tokenizer = _splitting(model, pre_tokenizers.Metaspace(**_NO_MARK_IN_FRONT))
    tokenizer.decoder = decoders.Metaspace(**_NO_MARK_IN_FRONT)
    return tokenizer


def _splitting(model: Any, last: Any) -> Tokenizer:
    """A tokenizer for which each digit and each mark stands alone."""
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.Punctuation(), last]
    )
    return tokenizer


def _trained(tokenizer: Tokenizer, trainer: Any, texts: Sequence[str]) -> PreTrainedTokenizerFast:
    tokenizer.train_from_iterator(texts, trainer)
    return _wrap(tokenizer)


def _wrap(tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=EOS,
        unk_token=UNKNOWN,
        extra_special_tokens=[USER, BOT],
        padding_side="left",
        clean_up_tokenization_spaces=False,
        model_input_names=["input_ids", "attention_mask"],
    )
    wrapped.chat_template = CHAT_TEMPLATE
    return wrapped


_BY_ARCHITECTURE: Mapping[str, Callable[[Sequence[str]], PreTrainedTokenizerFast]] = {
    "gpt2": _byte_pairs,
    "llama": _pieces,
    "qwen3": _merged_characters,
    "gpt_neox": _words,
    "gemma": _characters,
}
