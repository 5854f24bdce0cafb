"""The value model given to TRL's PPO: the policy's body with one output per token that starts at 0, as ours."""

from pathlib import Path

import torch
from transformers import AutoModelForTokenClassification, PreTrainedModel
from transformers.utils import logging


def value_model_of(checkpoint: Path) -> PreTrainedModel:
    """A float32 value model built from a policy's folder."""
    logging.set_verbosity_error()  # the head is new by design; a warning would say so for every case
    model: PreTrainedModel = AutoModelForTokenClassification.from_pretrained(
        checkpoint, num_labels=1, dtype=torch.float32
    )
    for parameter in model.score.parameters():
        torch.nn.init.zeros_(parameter)
    return model
