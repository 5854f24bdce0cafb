"""The answers to compare: a policy's answers to held-out prompts, and a dataset's reference answers.

Axes: N prompts, T completion tokens.
"""

from collections.abc import Sequence
from typing import Any

import torch

from diagnostics.language import _
from diagnostics.told import told
from trainer.acceleration.device import accelerator_for
from trainer.config.options import ConfigError
from trainer.config.training import TrainConfig
from trainer.console import progress
from trainer.data.conversations import is_conversation
from trainer.data.dataset import Row
from trainer.rollout.generation import generate
from trainer.rollout.models import Source, load_policy, load_tokenizer
from trainer.rollout.policy import decode, encode, stop_ids
from trainer.rollout.sampling import Sampling, draw_uniforms

REFERENCE_COLUMNS = ("reference", "answer", "solution", "completion", "chosen")
"""Usual columns of reference answers; the first one that every row has is used."""


def answers_of(
    name: str, source: Source, config: TrainConfig, rows: Sequence[Row], temperature: float, seed: int
) -> list[str]:
    """A checkpoint's answers to the rows' prompts, sampled from its plain distribution.

    All models share the same random numbers, so that only the models make their answers differ.

    Args:
        name: The model's name in the progress on stderr.
        config: Supplies the length limits, the end tokens, the batch size and the device.
        temperature: Sampling temperature; 0 takes the likeliest token.
    """
    device = accelerator_for(config).device
    tokenizer, model = load_tokenizer(source), load_policy(source).to(device)
    trained_with = Sampling.of(config, stop_ids(model, tokenizer), int(tokenizer.pad_token_id))
    sampling = Sampling(
        max_new_tokens=trained_with.max_new_tokens,
        eos_ids=trained_with.eos_ids,
        pad_id=trained_with.pad_id,
        temperature=temperature or 1.0,
        do_sample=temperature > 0,
    )
    uniforms_NT = draw_uniforms(len(rows), sampling, torch.Generator().manual_seed(seed))
    answers: list[str] = []
    passes = range(0, len(rows), config.per_device_train_batch_size)
    for first in progress(
        passes, len(passes), _("{name}: answers to {count} prompts").format(name=name, count=len(rows))
    ):
        part = slice(first, first + config.per_device_train_batch_size)
        prompts = [row["prompt"] for row in rows[part]]
        ids_BQ, mask_BQ = encode(tokenizer, prompts, device, config.max_prompt_length)
        written = generate(model, ids_BQ, mask_BQ, sampling, uniforms_NT[part])
        answers += decode(tokenizer, written.ids_BT, written.mask_BT)
    return answers


def reference_column(rows: Sequence[Row], named: str | None) -> str | None:
    """The column of the reference answers: the named one, else the first usual one that every row has, if any.

    Raises:
        ConfigError: Not every row has the named column.
    """
    if named is not None and not all(row.get(named) is not None for row in rows):
        raise ConfigError(
            told(
                "not every held-out row has the column {named!r} (columns: {names})",
                named=named,
                names=", ".join(sorted(rows[0])),
            )
        )
    usual = (name for name in REFERENCE_COLUMNS if all(row.get(name) is not None for row in rows))
    return named or next(usual, None)


def references_in(rows: Sequence[Row], column: str) -> list[str]:
    """The reference answers of a column: texts, numbers, or the last messages of conversations."""
    return [_as_text(row[column]) for row in rows]


def _as_text(reference: Any) -> str:
    return str(reference[-1]["content"] if is_conversation(reference) else reference)
