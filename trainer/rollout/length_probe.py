"""The length probe: how long an untrained policy's answers get with more room than in training.

Axes: N prompts, T completion tokens.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch

from trainer.acceleration.device import accelerator_for
from trainer.config.training import TrainConfig
from trainer.data.dataset import load_rows
from trainer.rollout.generation import generate
from trainer.rollout.models import checkpoint_of, load_policy, load_tokenizer
from trainer.rollout.policy import encode, stop_ids
from trainer.rollout.sampling import Sampling, draw_uniforms

PROMPTS = 32
ROOM = 4
"""Multiple of the training's length limit that a probe's answer may reach."""


def probe_lengths(config: TrainConfig) -> Mapping[str, Any]:
    """One answer to each of the first 32 prompts, sampled as in training: `{"lengths": […], "room": …}`, in tokens.

    The length of an answer that did not end equals the room. With fewer than 32 rows, prompts are answered repeatedly.

    Raises:
        ConfigError: The model or the prompts cannot be read.
    """
    device = accelerator_for(config).device
    rows = load_rows(config)
    prompts = [rows[place % len(rows)]["prompt"] for place in range(PROMPTS)]
    source = checkpoint_of(config)
    tokenizer, model = load_tokenizer(source), load_policy(source).to(device)
    ids_NQ, mask_NQ = encode(tokenizer, prompts, device, config.max_prompt_length)
    sampling = Sampling.of(config, stop_ids(model, tokenizer), int(tokenizer.pad_token_id))
    most = getattr(model.config, "max_position_embeddings", None)
    wide = ROOM * sampling.max_new_tokens
    room = wide if most is None else max(min(wide, most - ids_NQ.shape[1]), sampling.max_new_tokens)
    sampling = replace(sampling, max_new_tokens=room)
    uniforms_NT = draw_uniforms(PROMPTS, sampling, torch.Generator().manual_seed(config.seed))
    lengths: list[int] = []
    for first in range(0, PROMPTS, config.per_device_train_batch_size):
        part = slice(first, first + config.per_device_train_batch_size)
        written = generate(model, ids_NQ[part], mask_NQ[part], sampling, uniforms_NT[part])
        lengths += written.mask_BT.sum(1).tolist()
    return {"lengths": lengths, "room": room}
