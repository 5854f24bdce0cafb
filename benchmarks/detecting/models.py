"""Models in sizes other than the shipped ones, built once from what the repository contains.

`addition` learns the same sums as the shipped model. `remarks` learns from completions of the shipped model, because
the review texts that it was trained on are not included.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from trainer.tasks import addition, pretraining, remarks
from trainer.tasks.build import completed_openings, supervised_sums

SEED = 1
UNFINISHED = ".unfinished"
SHAPES: Mapping[str, Mapping[str, int]] = {
    "wide": {"hidden_size": 144, "intermediate_size": 384, "num_hidden_layers": 3, "num_attention_heads": 6}
}
"""Size → how it differs from the shipped models: `wide` has twice their parameters."""
STEPS = 400
MAX_LENGTH = 64  # positions, as in the shipped models


def model_folder(cache: Path, size: str, task: str) -> Path:
    """The folder of the model of this size."""
    return cache / "models" / f"{task}-{size}"


def make_missing(cache: Path, size: str, task: str) -> Path:
    """The model's folder; trains the model first if the cache lacks it, in about four CPU minutes."""
    folder = model_folder(cache, size, task)
    if not folder.is_dir():
        unfinished = folder.with_name(folder.name + UNFINISHED)
        torch.manual_seed(SEED)
        _MAKERS[task](unfinished, SHAPES[size])
        unfinished.rename(folder)
    return folder


def _make_addition(folder: Path, shape: Mapping[str, int]) -> None:
    tokenizer = pretraining.character_tokenizer(addition.ALPHABET)
    _train_and_save(folder, shape, tokenizer, supervised_sums(tokenizer, SEED))


def _make_remarks(folder: Path, shape: Mapping[str, int]) -> None:
    tokenizer = PreTrainedTokenizerFast.from_pretrained(remarks.CHECKPOINT)
    texts = completed_openings(SEED, max_new_tokens=20)
    examples = [pretraining.example(tokenizer, "", text) for text in texts]
    _train_and_save(folder, shape, tokenizer, examples)


def _train_and_save(
    folder: Path,
    shape: Mapping[str, int],
    tokenizer: PreTrainedTokenizerFast,
    examples: list[pretraining.Example],
) -> None:
    ends = {"pad_token_id": tokenizer.pad_token_id, "eos_token_id": tokenizer.eos_token_id, "bos_token_id": None}
    positions = {"vocab_size": len(tokenizer), "max_position_embeddings": MAX_LENGTH, "tie_word_embeddings": True}
    model = LlamaForCausalLM(LlamaConfig(**shape, **positions, **ends))
    pretraining.train(model, examples, STEPS, SEED)
    pretraining.save(model, tokenizer, folder)


_MAKERS: Mapping[str, Callable[[Path, Mapping[str, int]], None]] = {
    "addition": _make_addition,
    "remarks": _make_remarks,
}
