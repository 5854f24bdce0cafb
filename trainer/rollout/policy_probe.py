"""The probe of an untrained policy: its answers to the first prompts, with more room than in training.

Axes: N answers, T completion tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from transformers import PreTrainedModel

from trainer.acceleration.device import accelerator_for
from trainer.config.training import TrainConfig
from trainer.data.dataset import Row, load_rows
from trainer.rollout.generation import generate
from trainer.rollout.models import checkpoint_of, load_policy, load_tokenizer
from trainer.rollout.policy import decode, encode, stop_ids
from trainer.rollout.sampling import Sampling, draw_uniforms

ROOM = 4
"""Multiple of the training's length limit that a probe's answer may reach."""


@dataclass(frozen=True, slots=True)
class ProbedAnswers:
    """N answers of a policy, those to a prompt in consecutive places.

    `lengths` are in tokens; the length of an answer that did not end equals the `room`. `texts` and `ids` are what a
    training would have kept: up to its own limit.
    """

    rows: Sequence[Row]
    lengths: Sequence[int]
    room: int
    texts: Sequence[str]
    ids: Sequence[Sequence[int]]


def probe_answers(config: TrainConfig, prompts: int, generations: int) -> ProbedAnswers:
    """Answers to the first prompts, sampled as in training, `generations` to each.

    With fewer rows than prompts, single answers are given repeatedly, groups once for each row.

    Raises:
        ConfigError: The model or the prompts cannot be read.
    """
    device = accelerator_for(config).device
    rows = load_rows(config)
    count = prompts if generations == 1 else min(prompts, len(rows))
    asked = [rows[place % len(rows)] for place in range(count) for _ in range(generations)]
    source = checkpoint_of(config)
    tokenizer, model = load_tokenizer(source), load_policy(source).to(device)
    ids_NQ, mask_NQ = encode(tokenizer, [row["prompt"] for row in asked], device, config.max_prompt_length)
    kept = Sampling.of(config, stop_ids(model, tokenizer), int(tokenizer.pad_token_id))
    sampling = replace(kept, max_new_tokens=_room(model, ids_NQ.shape[1], kept.max_new_tokens))
    uniforms_NT = draw_uniforms(len(asked), sampling, torch.Generator().manual_seed(config.seed))
    lengths: list[int] = []
    texts: list[str] = []
    ids: list[list[int]] = []
    for first in range(0, len(asked), config.per_device_train_batch_size):
        part = slice(first, first + config.per_device_train_batch_size)
        written = generate(model, ids_NQ[part], mask_NQ[part], sampling, uniforms_NT[part])
        lengths += written.mask_BT.sum(1).tolist()
        cut = written.cut(kept.max_new_tokens)
        texts += decode(tokenizer, cut.ids_BT, cut.mask_BT)
        ids += cut.token_lists()
    return ProbedAnswers(asked, lengths, sampling.max_new_tokens, texts, ids)


def _room(model: PreTrainedModel, prompt_length: int, limit: int) -> int:
    most = getattr(model.config, "max_position_embeddings", None)
    return ROOM * limit if most is None else max(min(ROOM * limit, most - prompt_length), limit)
